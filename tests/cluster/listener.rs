//! A port of a test's own that records what clients send to it.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use parking_lot::Mutex;

use crate::broker::PATIENCE;

/// What is sent to a listener, and the threads that serve its connections.
#[derive(Default)]
struct Heard {
    bytes: Mutex<Vec<u8>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// A listener on this machine. It accepts connections until the test ends.
pub(crate) struct Listener {
    port: u16,
    heard: Arc<Heard>,
    /// The addresses of the clients, in the order in which they are accepted.
    accepted: mpsc::Receiver<SocketAddr>,
}

impl Listener {
    /// Passes connections on to this port.
    pub(crate) fn in_front_of(port: u16) -> Self {
        Self::start(move |client, bytes| {
            // A broker that a test has killed is not there.
            let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return };
            let answers = (server.try_clone().unwrap(), client.try_clone().unwrap());
            let answering = thread::spawn(move || {
                copy(answers.0, &answers.1, |_| {});
                let _ = answers.1.shutdown(Shutdown::Both);
            });
            copy(client, &server, |part| bytes.lock().extend_from_slice(part));
            let _ = server.shutdown(Shutdown::Write);
            answering.join().unwrap();
        })
    }

    /// Plays a server of NATS that has no TLS.
    pub(crate) fn without_tls() -> Self {
        Self::start(|mut client, bytes| {
            let _ = client.write_all(b"INFO {\"server_id\":\"A\",\"version\":\"2.9.10\",\"proto\":1,\"max_payload\":1048576}\r\n");
            let mut answer = &b"-ERR 'Unknown Protocol Operation'\r\n"[..];
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = client.read(&mut part) {
                bytes.lock().extend_from_slice(&part[..length]);
                // As the real server does, once.
                let _ = client.write_all(std::mem::take(&mut answer));
            }
        })
    }

    fn start(serve: impl Fn(TcpStream, &Mutex<Vec<u8>>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Heard::default());
        let (sender, accepted) = mpsc::channel();
        let (shared, serve) = (heard.clone(), Arc::new(serve));
        thread::spawn(move || {
            while let Ok((client, address)) = listener.accept() {
                let (serve, heard) = (serve.clone(), shared.clone());
                let thread = thread::spawn(move || serve(client, &heard.bytes));
                shared.threads.lock().push(thread);
                let _ = sender.send(address);
            }
        });
        Self { port, heard, accepted }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Waits until this number of connections have been accepted, since the last call.
    pub(crate) fn await_connections(&self, number: usize) {
        for _ in 0..number {
            self.accepted.recv_timeout(PATIENCE).expect("a client that tries again");
        }
    }

    /// Something has been sent, and no login was readable in it. The clients must have ended.
    #[track_caller]
    pub(crate) fn heard_no_login(&self) {
        let heard = self.heard();
        let is_login = heard.contains("CONNECT") || heard.contains("hush");
        assert!(!heard.is_empty() && !is_login, "{heard}");
    }

    /// The number of connections since the last call of this or of [`Listener::await_connections`]. The clients must
    /// have ended.
    pub(crate) fn connections(&self) -> usize {
        // Connections are accepted in order, so all others are counted when this one is there.
        let own = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        let own = own.local_addr().unwrap();
        let next = || self.accepted.recv_timeout(PATIENCE).expect("the test's own connection");
        std::iter::repeat_with(next).take_while(|address| *address != own).count()
    }

    /// All that has been sent, as text. The clients must have ended.
    pub(crate) fn heard(&self) -> String {
        self.connections();
        let threads = std::mem::take(&mut *self.heard.threads.lock());
        for thread in threads {
            thread.join().unwrap();
        }
        String::from_utf8_lossy(&self.heard.bytes.lock()).into_owned()
    }
}

/// Copies until one side ends.
fn copy(mut from: TcpStream, mut to: &TcpStream, mut tell: impl FnMut(&[u8])) {
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut part) {
        tell(&part[..length]);
        if to.write_all(&part[..length]).is_err() {
            return;
        }
    }
}
