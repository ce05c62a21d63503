//! Shows the reports of games: as a live board, as lines, or only the results.

use crate::watch::{Report, Reports, Snapshot, moment_words, sleeping_words, waiting_words};
use std::{
    io::{self, Write},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use tokio::{runtime::Handle, time::MissedTickBehavior};

use crate::config::ViewStyle;

use super::{
    clean,
    frame::{self, Footer},
    lines,
    scene::{DisplayedGame, Ending},
    screen::{self, Screen},
    speech,
    style::Paint,
};

/// Shows games: as a live board, with a line for each move, or only their results.
///
/// Writing may block if the reader is slow, so [`View::spawn`] runs a view in a separate thread; no game waits for it.
pub struct View<W> {
    out: W,
    form: Form,
    state: Snapshot,
    /// The latest game.
    game: Option<DisplayedGame>,
    footer: Footer,
    /// Returns the number of columns and rows of the terminal.
    size: fn() -> (usize, usize),
}

enum Form {
    Live {
        screen: Screen,
        paint: Paint,
    },
    /// The events without the moves, used instead of a live board if several clients share a terminal.
    Summary,
    Lines,
    Quiet,
}

/// The output that a view writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether the output is a terminal that can move its cursor.
    pub terminal: bool,
    /// Whether colours are allowed.
    pub colour: bool,
}

impl Surroundings {
    /// The properties of an output, by whether it is a terminal and by the environment: `TERM=dumb` means that the
    /// cursor cannot be moved, and `NO_COLOR` turns colour off.
    pub fn detect(terminal: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { terminal: terminal && !dumb, colour: !no_colour }
    }
}

impl<W: Write> View<W> {
    /// A view of this style. A live board needs a terminal; without one the view writes lines.
    pub fn new(style: ViewStyle, out: W, surroundings: Surroundings) -> Self {
        let paint = if surroundings.colour { Paint::Colour } else { Paint::Plain };
        let form = match style {
            ViewStyle::Auto | ViewStyle::Live if surroundings.terminal => {
                Form::Live { screen: Screen::new(paint), paint }
            }
            ViewStyle::Auto | ViewStyle::Live | ViewStyle::Lines => Form::Lines,
            ViewStyle::Quiet => Form::Quiet,
        };
        Self {
            out,
            form,
            state: Snapshot::default(),
            game: None,
            footer: Footer { notices: Vec::new(), help: HELP },
            size: Screen::size,
        }
    }

    /// The view beside others on the same output: no live board.
    #[must_use]
    pub fn beside_others(mut self) -> Self {
        if let Form::Live { .. } = self.form {
            self.form = Form::Summary;
        }
        self
    }

    /// The view of another process, which Ctrl-C leaves alone.
    #[must_use]
    pub fn of_other_process(mut self) -> Self {
        self.footer.help = HELP_OF_WATCHING;
        self
    }

    /// Processes one report, and writes the output that follows from it.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn report(&mut self, report: &Report, now: Instant) -> io::Result<()> {
        self.state.apply(report);
        match report {
            Report::GameStarted { .. } => {
                self.follow_game(now)?;
                self.tick(now)
            }
            Report::Thinking { .. }
            | Report::Moved { .. }
            | Report::GameEnded { .. }
            | Report::Resumed { .. }
            | Report::Snapshot { .. } => self.follow_game(now),
            Report::EngineStarting { player } => {
                self.status(&format!("starting {player}'s engine"))
            }
            Report::EngineReady { player, engine } => {
                self.status(&format!("{player}'s engine is ready: {engine}"))
            }
            Report::Connecting { server } => self.status(&format!("connecting to {server}")),
            Report::Waiting { name, pairing: None } => {
                self.status(&format!("logged in as {name}, waiting for a game"))
            }
            Report::Waiting { name, pairing } => {
                let words = waiting_words(name, *pairing, Timestamp::now());
                self.status(&format!("logged in, {words}"))
            }
            Report::Sleeping { until, reason } => {
                self.status(&sleeping_words(*until, *reason, Timestamp::now()))
            }
            Report::ScheduleOpen { until: Some(until) } => {
                let until = moment_words(*until, Timestamp::now());
                self.status(&format!("games begin until {until}"))
            }
            Report::Pausing { pause, reason } => {
                self.status(&format!("trying again in {} s: {reason}", pause.as_secs()))
            }
            Report::Disconnected { reason, .. } => {
                self.status(&format!("connection lost: {reason}"))
            }
            Report::Suspended { .. } => self.status("the server has suspended the game"),
            Report::ServerSaid(said) => self.status(&format!("the server says: {}", clean(said))),
            // The log passes all warnings to the screen.
            Report::Warning(_)
            | Report::EngineFailed { .. }
            | Report::NoPairing { .. }
            | Report::ScheduleOpen { .. } => Ok(()),
        }
    }

    /// Shows what is new in the latest game: its beginning, moves, and its end.
    fn follow_game(&mut self, now: Instant) -> io::Result<()> {
        let Some(live) = self.state.games.last() else { return Ok(()) };
        let known = self.game.take().filter(|shown| shown.number == live.number);
        let is_new = known.is_none();
        let mut game = known.unwrap_or_else(|| DisplayedGame::new(live));
        if is_new {
            if let Form::Summary = self.form {
                let [black, white] = &game.names;
                let verb = if live.continued { "goes on" } else { "begins" };
                writeln!(self.out, "game {} {verb}: {black} - {white}", game.number)?;
            }
            self.footer.notices.clear();
            if let Form::Live { screen, .. } = &mut self.form {
                screen.enter(&mut self.out)?;
            }
        }
        let shown = game.moves.len();
        game.follow(live);
        if let (Form::Lines, [_, ..]) = (&self.form, &game.moves[shown..]) {
            for row in &game.moves[shown..] {
                self.out.write_all(lines::move_line(row).as_bytes())?;
            }
            self.out.flush()?;
        }
        let ending = live.end.as_ref().filter(|_| game.ending.is_none()).map(Ending::of);
        self.game = Some(game);
        ending.map_or(Ok(()), |ending| self.end(ending, now))
    }

    /// Redraws the live board, if the view has one.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn tick(&mut self, now: Instant) -> io::Result<()> {
        let (Form::Live { screen, .. }, Some(game)) = (&mut self.form, &self.game) else {
            return Ok(());
        };
        if game.ending.is_some() {
            return Ok(());
        }
        let notices = &mut self.footer.notices;
        let news = screen::take_notices();
        if !news.is_empty() {
            // The key that caused the notice (Ctrl-C) may have been echoed on the screen.
            screen.repair();
        }
        notices.extend(news);
        notices.drain(..notices.len().saturating_sub(NOTICES_SHOWN));
        let size = (self.size)();
        let lines = frame::draw(game, &self.footer, now, size);
        screen.show(&mut self.out, &lines, size)
    }

    /// Restores the terminal and prints the notices that were not shown.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Form::Live { .. } = &self.form {
            Screen::leave(&mut self.out)?;
            for notice in screen::take_notices() {
                speech::say(notice);
            }
        }
        self.out.flush()
    }

    /// Shows the end of the game. The last picture is printed to the normal screen, so that it stays in the terminal's
    /// history.
    fn end(&mut self, ending: Ending, now: Instant) -> io::Result<()> {
        let lines = lines::ending_lines(&ending);
        let mut text = String::new();
        if let Some(game) = &mut self.game {
            game.ending = Some(ending);
            if let Form::Live { paint, .. } = &self.form {
                Screen::leave(&mut self.out)?;
                let (columns, _) = (self.size)();
                for line in frame::last_picture(game, now, columns) {
                    text.push_str(&line.render(columns, *paint));
                    text.push('\n');
                }
            }
        }
        text.push_str(&lines);
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Shows a line on the state between games, on a terminal only.
    fn status(&mut self, text: &str) -> io::Result<()> {
        let playing = self.game.as_ref().is_some_and(|game| game.ending.is_none());
        match self.form {
            Form::Live { .. } | Form::Summary if !playing => {
                writeln!(self.out, "{}", clean(text))?;
                self.out.flush()
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write + Send + 'static> View<W> {
    /// Follows the reports in a separate thread until they end. Timers come from `runtime`.
    ///
    /// If the output cannot be written, the view stops showing the games, and the other reports are read and dropped.
    /// The games are not affected.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn spawn(mut self, mut reports: Reports, runtime: Handle) -> io::Result<JoinHandle<()>> {
        thread::Builder::new().name("kyomi-view".to_owned()).spawn(move || {
            let shown = runtime.block_on(self.follow(&mut reports));
            let shown = shown.and_then(|()| self.finish());
            if let Err(error) = shown {
                screen::restore();
                tracing::warn!("the game is no longer shown: {error}");
                while reports.blocking_next().is_some() {}
            }
        })
    }

    async fn follow(&mut self, reports: &mut Reports) -> io::Result<()> {
        let mut ticks = tokio::time::interval(BETWEEN_FRAMES);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                report = reports.next() => match report {
                    Some(report) => self.report(&report, Instant::now())?,
                    None => return Ok(()),
                },
                _ = ticks.tick() => self.tick(Instant::now())?,
            }
        }
    }
}

/// The time between two frames: short enough for clocks that show tenths, long enough for a slow connection.
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// The number of warnings shown below the board at a time.
const NOTICES_SHOWN: usize = 2;

const HELP_OF_WATCHING: &str = "Ctrl-C: stop watching; the game goes on";

const HELP: &str = "Ctrl-C: finish this game and stop; twice: resign and leave";

#[cfg(test)]
mod tests;
