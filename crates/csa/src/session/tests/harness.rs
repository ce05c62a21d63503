//! A session with a clock, and a monitor of what it does.

use super::*;

/// A session with a clock and a monitor of its actions.
pub(super) struct Harness {
    pub(super) session: Session,
    pub(super) now: Instant,
    /// The actions of the last input.
    pub(super) last: Vec<Action>,
    pub(super) monitor: Monitor,
}

/// Checks the actions of a session independently of its state.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about a session")]
pub(super) struct Monitor {
    pub(super) game: Option<(Game, Color)>,
    /// Something was already sent in this turn.
    sent_in_turn: bool,
    last_sent: Option<Instant>,
    pub(super) last_word: Option<String>,
    pub(super) request: u64,
    thinking: bool,
    started: u32,
    ended: u32,
    pub(super) closed: bool,
    /// The game is suspended, or its connection is lost.
    stands_still: bool,
    /// The user wants to suspend the game.
    pub(super) may_suspend: bool,
}

impl Monitor {
    /// A session follows whose connection is new. A line that was sent over the last one may not have arrived.
    fn new_connection(&mut self) {
        (self.closed, self.sent_in_turn, self.last_sent) = (false, false, None);
        self.stands_still = self.game.is_some();
    }

    fn check_sent(&mut self, now: Instant, message: &ClientMessage) {
        match message {
            ClientMessage::Move { .. } | ClientMessage::Special(_) if self.stands_still => {
                panic!("{message} in a game that stands still");
            }
            ClientMessage::Move { word, .. } => {
                let (game, color) = self.game.as_ref().expect("a move outside a game");
                let position = game.position();
                assert_eq!(position.side_to_move(), *color, "a move out of turn");
                let mv = csa::parse_move(position, word.as_str()).unwrap();
                assert!(position.is_legal(mv), "{word} is illegal");
                assert!(!self.sent_in_turn, "two lines in one turn");
                self.sent_in_turn = true;
                self.last_word = Some(word.to_string());
            }
            ClientMessage::Special(Special::Chudan) => {
                assert!(self.game.is_some() && self.may_suspend, "%CHUDAN was sent");
            }
            ClientMessage::Special(word) => {
                let (game, color) = self.game.as_ref().expect("a % line outside a game");
                let position = game.position();
                assert_eq!(position.side_to_move(), *color, "a % line out of turn");
                assert!(!self.sent_in_turn, "two lines in one turn");
                match word {
                    Special::Toryo => {}
                    Special::Kachi => assert!(position.can_declare(EnteringKingRule::default())),
                    other => panic!("{other} was sent"),
                }
                self.sent_in_turn = true;
            }
            ClientMessage::KeepAlive => {
                let since = now - self.last_sent.expect("the login comes first");
                assert!(since >= Duration::from_secs(30), "an empty line too early");
            }
            ClientMessage::Login { .. } => assert_eq!(self.last_sent, None),
            ClientMessage::Agree { .. }
            | ClientMessage::Reject { .. }
            | ClientMessage::Extended(_)
            | ClientMessage::Logout => assert!(self.game.is_none() || self.stands_still),
            ClientMessage::Other(line) => panic!("{line} was sent"),
        }
    }

    fn check(&mut self, now: Instant, action: &Action) {
        assert!(!self.closed, "{action:?} after the end");
        match action {
            Action::Send(message) => {
                self.check_sent(now, message);
                self.last_sent = Some(now);
                assert!(!message.to_line().contains('\n'));
            }
            Action::Think(snapshot) => {
                assert!(!self.stands_still);
                let (game, color) = self.game.as_ref().expect("thinking outside a game");
                assert_eq!(snapshot.game.moves(), game.moves());
                assert_eq!(game.position().side_to_move(), *color);
                assert_eq!(snapshot.clocks.turn, *color);
                assert!(snapshot.id > self.request, "ids only grow");
                self.request = snapshot.id;
                self.thinking = true;
            }
            Action::Ponder(snapshot) => {
                let (game, color) = self.game.as_ref().expect("pondering outside a game");
                // Our own move may not be confirmed yet.
                assert!([1, 2].contains(&(snapshot.game.len() - game.len())));
                assert_eq!(snapshot.game.position().side_to_move(), *color);
                assert!(snapshot.id > self.request, "ids only grow");
                self.request = snapshot.id;
                self.thinking = true;
            }
            Action::StopThinking => {
                assert!(self.thinking, "nobody is thinking");
                self.thinking = false;
            }
            Action::Save(GameEvent::Started(start)) => {
                assert!(self.game.is_none());
                self.game = Some((start.summary.game().unwrap(), start.color));
                self.sent_in_turn = false;
                self.started += 1;
            }
            Action::Save(GameEvent::Move(event)) => {
                let (game, _) = self.game.as_mut().expect("a move outside a game");
                assert_eq!(event.color, game.position().side_to_move());
                assert_eq!(event.word, csa::format_move(game.position(), event.mv));
                game.push(event.mv).unwrap();
                assert_eq!(event.ply as usize, game.len());
                self.sent_in_turn = false;
            }
            Action::Save(GameEvent::Ended(_)) => {
                assert!(self.game.take().is_some());
                self.stands_still = false;
                self.ended += 1;
            }
            Action::Save(event) => panic!("{event:?} does not belong into the record"),
            Action::Show(GameEvent::Started(_) | GameEvent::Move(_) | GameEvent::Ended(_)) => {
                panic!("{action:?} belongs into the record")
            }
            Action::Show(GameEvent::Suspended) => {
                assert!(self.game.is_some() && !self.stands_still && !self.thinking);
                self.stands_still = true;
            }
            Action::Show(GameEvent::Resumed { .. }) => {
                // A line that was sent before may not have arrived.
                assert!(self.game.is_some() && self.stands_still);
                (self.stands_still, self.sent_in_turn) = (false, false);
            }
            Action::Show(_) | Action::WakeAt(_) => {}
            Action::Close(end) => {
                let kept = u32::from(matches!(end, SessionEnd::Disconnected { .. }));
                assert_eq!(self.started, self.ended + kept, "a game was left without an end");
                self.closed = true;
            }
        }
    }
}

impl Harness {
    pub(super) fn new(profile: Profile) -> Self {
        Self::with(SessionSettings {
            ponder: PonderStart::AfterEcho,
            ..SessionSettings::new("kyomi", Secret::new("secret"), profile)
        })
    }

    /// A session that is not connected yet.
    pub(super) fn with(settings: SessionSettings) -> Self {
        let session = Session::new(settings);
        Self { session, now: Instant::now(), last: Vec::new(), monitor: Monitor::default() }
    }

    /// The same client with a new session.
    pub(super) fn followed_by(mut self, session: Session) -> Self {
        self.monitor.new_connection();
        Self { session, last: Vec::new(), ..self }
    }

    /// Connects and logs in.
    pub(super) fn logged_in(mut self) -> Self {
        self.feed(Input::Connected);
        self.line(LOGIN);
        self
    }

    pub(super) fn feed(&mut self, input: Input) -> &[Action] {
        let answered = matches!(input, Input::Chosen(_));
        let ticked = matches!(input, Input::Tick);
        self.last = self.session.handle(self.now, input);
        if answered && self.last.iter().any(|action| matches!(action, Action::Send(_))) {
            self.monitor.thinking = false;
        }
        for action in &self.last {
            if let Action::WakeAt(at) = action {
                assert!(!ticked || *at > self.now, "a tick handles everything that is due");
            }
            self.monitor.check(self.now, action);
        }
        &self.last
    }

    pub(super) fn line(&mut self, text: &str) -> &[Action] {
        self.feed(Input::Line(Line::text(text)))
    }

    pub(super) fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    pub(super) fn answer(&mut self, answer: Answer) -> &[Action] {
        let id = self.monitor.request;
        self.feed(Input::Chosen(Chosen::plain(id, answer)))
    }

    /// A game that has begun, playing this side.
    pub(super) fn playing(profile: Profile, color: Color) -> Self {
        Self::started(profile, &offer(color))
    }

    /// The game `game` of this offer, which has begun.
    pub(super) fn started(profile: Profile, offer: &[String]) -> Self {
        let mut harness = Self::new(profile).logged_in();
        harness.lines(offer);
        harness.line("START:game");
        assert!(harness.session.in_game());
        harness
    }

    pub(super) fn play(&mut self, word: &str) {
        let game = &self.monitor.game.as_ref().unwrap().0;
        let mv = csa::parse_move(game.position(), word).unwrap();
        self.answer(Answer::Move(mv));
        self.line(&format!("{word},T1"));
    }

    pub(super) fn ended(&self) -> Option<&EndEvent> {
        self.last.iter().find_map(|action| match action {
            Action::Save(GameEvent::Ended(end)) => Some(end),
            _ => None,
        })
    }

    pub(super) fn sent(&self) -> Vec<String> {
        self.last
            .iter()
            .filter_map(|action| match action {
                Action::Send(message) => Some(message.to_line()),
                _ => None,
            })
            .collect()
    }

    /// The words of the events that were saved.
    pub(super) fn saved(&self) -> Vec<String> {
        let event = |action: &Action| match action {
            Action::Save(GameEvent::Move(event)) => Some(event.word.clone()),
            Action::Save(GameEvent::Started(_)) => Some("started".to_owned()),
            Action::Save(GameEvent::Ended(end)) => Some(end.end.reason.to_string()),
            _ => None,
        };
        self.last.iter().filter_map(event).collect()
    }

    /// The id of the request to the player.
    pub(super) fn asked(&self) -> Option<u64> {
        self.last.iter().find_map(|action| match action {
            Action::Think(snapshot) => Some(snapshot.id),
            _ => None,
        })
    }

    /// Answers this request with a move in USI notation.
    pub(super) fn answer_with(&mut self, id: u64, mv: &str) {
        let mv = kyomi_shogi::notation::usi::parse_move(mv).unwrap();
        self.feed(Input::Chosen(Chosen::plain(id, Answer::Move(mv))));
    }

    pub(super) fn later(&mut self, secs: u64) {
        self.now += Duration::from_secs(secs);
    }

    /// How the session was closed by the last input.
    pub(super) fn session_end(&self) -> Option<&SessionEnd> {
        self.last.iter().find_map(|action| match action {
            Action::Close(end) => Some(end),
            _ => None,
        })
    }
}

/// The lines of an offer in which we play this side.
pub(super) fn offer(color: Color) -> Vec<String> {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.your_turn = color;
    summary.to_lines()
}

/// A session in the state that these lines lead to.
pub(super) fn reached(lines: &[&str]) -> Harness {
    let mut harness = Harness::new(Profile::Kyomi);
    if lines.first() != Some(&"offline") {
        harness.feed(Input::Connected);
    }
    for line in lines {
        match *line {
            "offline" => {}
            "offer" => harness.lines(&offer(Color::Black)),
            "quit" => {
                harness.feed(Input::Quit(When::AfterGame));
            }
            "resuming" => harness = resuming(harness),
            line => {
                harness.line(line);
            }
        }
    }
    harness
}

/// The connection is lost between `AGREE` and `START`. Over the next one the game is asked for by its token.
fn resuming(mut harness: Harness) -> Harness {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.reconnect_token = Some(Secret::new("0123"));
    harness.lines(&summary.to_lines());
    harness.feed(Input::Lost(Cause::EndOfStream));
    let (settings, agreed) = (harness.session.settings.clone(), harness.session.take_agreed());
    let session = Session::after_agreement(settings, agreed.unwrap());
    let mut harness = harness.followed_by(session).logged_in();
    harness.lines(&summary.to_lines());
    harness
}

pub(super) const LOGIN: &str = "LOGIN:kyomi OK";
/// Lines that lead to each state, and the state.
pub(super) const STATES: [(&[&str], &str); 11] = [
    (&["offline"], "before the connection stands"),
    (&[], "while logging in"),
    (&[LOGIN], "while waiting for a game"),
    (&[LOGIN, "BEGIN Game_Summary", "Game_ID:game"], "while an offer is read"),
    (&[LOGIN, "offer"], "before the game starts"),
    (&[LOGIN, "resuming"], "while a game is resumed"),
    (&[LOGIN, "offer", "START:game"], "in the game"),
    (&[LOGIN, "offer", "START:game", "#TIME_UP"], "at the end of the game"),
    (&[LOGIN, "offer", "START:game", "#CHUDAN"], "while the game is suspended"),
    (&[LOGIN, "quit"], "while leaving"),
    (&["LOGIN:incorrect"], "after the end"),
];
