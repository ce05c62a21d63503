//! Connections of the test: as a server, or as a client of one.

use std::{
    io::{
        self, BufRead, BufReader,
        ErrorKind::{ConnectionAborted, ConnectionReset},
        Read, Write,
    },
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::mpsc::channel,
    thread::JoinHandle,
    time::Duration,
};

use kyomi_csa::{GameSummary, ReadOptions};
use kyomi_shogi::{Position, notation::csa};

/// The longest wait; it is reached only if something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A server that the test plays, on one port.
pub(crate) struct Desk(pub(crate) TcpListener);

impl Desk {
    pub(crate) fn open() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// A configuration that connects to this server.
    pub(crate) fn config(&self, games: u32, engine: &str) -> String {
        let port = self.port();
        format!(
            "games = {games}\n[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"kyomi\"\n\
             password = \"secret\"\nprofile = \"wcsc\"\n[engine]\n{engine}\n"
        )
    }

    pub(crate) fn accept(&self) -> Peer {
        let (sender, accepted) = channel();
        let listener = self.0.try_clone().unwrap();
        std::thread::spawn(move || sender.send(listener.accept().map(|(stream, _)| stream)));
        Peer::over(accepted.recv_timeout(PATIENCE).expect("nobody connects").unwrap())
    }

    /// Accepts a connection and its login.
    pub(crate) fn welcome(&self) -> Peer {
        let mut peer = self.accept();
        assert_eq!(peer.line(), "LOGIN kyomi secret");
        peer.send("LOGIN:kyomi OK");
        peer
    }
}

/// A connection that sends and receives lines.
pub(crate) struct Peer {
    reader: BufReader<TcpStream>,
    pub(crate) writer: TcpStream,
}

impl Peer {
    pub(crate) fn connect(address: impl ToSocketAddrs) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let writer = stream.try_clone().unwrap();
        Self { reader: BufReader::new(stream), writer }
    }

    pub(crate) fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Sends these bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// The next line that is not empty: by empty lines a client keeps its connection alive.
    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        loop {
            let line = self.line_or_end().expect("the connection is closed");
            if !line.is_empty() {
                return line;
            }
        }
    }

    /// The next line, be it empty; `None` at the end of the stream.
    pub(crate) fn line_or_end(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = match self.reader.read_line(&mut line) {
            // The other side has ended it with something unread.
            Err(error) if [ConnectionReset, ConnectionAborted].contains(&error.kind()) => 0,
            read => read.unwrap(),
        };
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Sends these bytes again and again from another thread, until the other side closes the connection. One that takes
    /// no more and stays is a fault.
    pub(crate) fn flood(
        mut self,
        mut bytes: impl FnMut() -> Vec<u8> + Send + 'static,
    ) -> JoinHandle<()> {
        std::thread::spawn(move || {
            loop {
                if let Err(error) = self.writer.write_all(&bytes()) {
                    assert_ne!(
                        error.kind(),
                        io::ErrorKind::WouldBlock,
                        "nobody closes the connection"
                    );
                    return;
                }
            }
        })
    }

    /// Reads this line.
    #[track_caller]
    pub(crate) fn expect(&mut self, line: &str) {
        assert_eq!(self.line(), line);
    }

    #[track_caller]
    pub(crate) fn expect_all(&mut self, lines: &[&str]) {
        for line in lines {
            self.expect(line);
        }
    }

    #[track_caller]
    pub(crate) fn expect_end(&mut self) {
        assert_eq!(self.line_or_end(), None);
    }

    /// Skips all lines before one that begins so. Returns it.
    #[track_caller]
    pub(crate) fn line_with(&mut self, beginning: &str) -> String {
        loop {
            let line = self.line();
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    /// Reads an offer.
    #[track_caller]
    pub(crate) fn read_offer(&mut self) -> GameSummary {
        let lines = self.read_offer_lines();
        GameSummary::parse(lines.iter().map(String::as_str), ReadOptions::default()).unwrap()
    }

    #[track_caller]
    pub(crate) fn read_offer_lines(&mut self) -> Vec<String> {
        self.expect("BEGIN Game_Summary");
        let mut lines = vec!["BEGIN Game_Summary".to_owned()];
        while lines.last().is_none_or(|line| line != "END Game_Summary") {
            lines.push(self.line());
        }
        lines
    }

    /// Whether the client has closed the connection.
    pub(crate) fn is_gone(&mut self) -> bool {
        let mut rest = Vec::new();
        matches!(self.reader.read_to_end(&mut rest), Ok(0) | Err(_))
    }

    /// Everything that arrives until the end of the stream.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        let _ = self.reader.read_to_end(&mut rest);
        rest
    }

    /// Offers a game and waits until the client agrees; `sign` is the client's side.
    pub(crate) fn begin(&mut self, id: &str, sign: char) {
        self.continue_with(id, sign, &[], "");
    }

    /// Offers a game after moves like `+7776FU,T3`, with more lines, and sees it agreed to.
    pub(crate) fn continue_with(&mut self, id: &str, sign: char, moves: &[&str], more: &str) {
        self.offer(id, sign, moves, more);
        assert_eq!(self.line(), format!("AGREE {id}"));
        self.send(&format!("START:{id}"));
    }

    /// Offers a game after these moves.
    pub(crate) fn offer(&mut self, id: &str, sign: char, moves: &[&str], more: &str) {
        self.send(&summary(id, sign, moves, more));
    }
}

/// The offer of a game after these moves, without its last line end.
pub(crate) fn summary(id: &str, sign: char, moves: &[&str], more: &str) -> String {
    let to_move = if moves.len().is_multiple_of(2) { '+' } else { '-' };
    let moves: String = moves.iter().flat_map(|line| [line, "\n"]).collect();
    let start = csa::format_position(&Position::startpos());
    format!(
        "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\n\
         Declaration:Jishogi 1.1\nGame_ID:{id}\nName+:a\nName-:b\nYour_Turn:{sign}\n\
         Rematch_On_Draw:NO\nTo_Move:{to_move}\nMax_Moves:256\nBEGIN Time\nTime_Unit:1sec\n\
         Total_Time:600\nByoyomi:10\nEND Time\nBEGIN Position\n{start}{moves}END Position\n\
         {more}END Game_Summary"
    )
}
