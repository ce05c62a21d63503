//! From reports to what is seen: chooses the form, keeps the scene, draws in time.

use crate::record::EndKind;
use crate::watch::{Report, Reports, Snapshot};
use std::{
    io::{self, Write},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, time::MissedTickBehavior};

use crate::config::ViewStyle;

use super::{
    clean,
    frame::{self, Footer},
    lines,
    scene::{Ending, Scene},
    screen::{self, Screen},
    style::Paint,
};

/// Whoever watches the games: a live board, a line for each move, or only the results.
///
/// Writing may block for as long as the reader likes, so [`View::spawn`] gives it a thread; no
/// game ever waits for it.
pub struct View<W> {
    out: W,
    form: Form,
    scene: Option<Scene>,
    footer: Footer,
    /// Columns and rows of the terminal.
    size: fn() -> (usize, usize),
}

enum Form {
    Live { screen: Screen, paint: Paint },
    Lines,
    Quiet,
}

/// What surroundings a view has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether a person looks at the output.
    pub terminal: bool,
    /// Whether colours are wanted there.
    pub colour: bool,
}

impl Surroundings {
    /// What the output can do, by whether it is a terminal and by the environment: `TERM=dumb` cannot
    /// move its cursor, and `NO_COLOR` turns colour off.
    pub fn detect(terminal: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { terminal: terminal && !dumb, colour: !no_colour }
    }
}

impl<W: Write> View<W> {
    /// A view of the wanted style; a live board needs a terminal and becomes lines elsewhere.
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
            scene: None,
            footer: Footer { notices: Vec::new(), help: HELP },
            size: Screen::size,
        }
    }

    /// Takes one report in, and writes what is to be written at once.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn report(&mut self, report: &Report, now: Instant) -> io::Result<()> {
        match report {
            Report::GameStarted { number, names, game, clocks, .. } => {
                let names = [names[0].as_str(), names[1].as_str()];
                self.scene = Some(Scene::new(*number, names, game.as_ref().clone(), clocks, now));
                self.footer.notices.clear();
                if let Form::Live { screen, .. } = &mut self.form {
                    screen.enter(&mut self.out)?;
                }
                self.tick(now)
            }
            Report::Thinking { color, game, info } => {
                if let Some(scene) = &mut self.scene {
                    scene.think(*color, game, info);
                }
                Ok(())
            }
            Report::Moved { event, clocks, .. } => {
                let row = self.scene.as_mut().and_then(|scene| scene.make(event, clocks, now));
                match (&self.form, row) {
                    (Form::Lines, Some(row)) => {
                        self.out.write_all(lines::move_line(row).as_bytes())?;
                        self.out.flush()
                    }
                    _ => Ok(()),
                }
            }
            Report::GameEnded { end, record, .. } => {
                let ending = Ending {
                    result: end.result_word().to_owned(),
                    reason: format!("%{}", clean(EndKind::of(end).word())),
                    record: record.as_ref().map(|path| clean(&path.display().to_string())),
                };
                self.end(ending, now)
            }
            Report::EngineStarting { player } => {
                self.status(&format!("starting {player}'s engine"))
            }
            Report::EngineReady { player, engine } => {
                self.status(&format!("{player}'s engine is ready: {engine}"))
            }
            Report::Connecting { server } => self.status(&format!("connecting to {server}")),
            Report::Waiting { name } => {
                self.status(&format!("logged in as {name}, waiting for a game"))
            }
            Report::Pausing { pause, reason } => {
                self.status(&format!("trying again in {} s: {reason}", pause.as_secs()))
            }
            Report::Suspended { reason, .. } => self.status(&format!("connection lost: {reason}")),
            Report::Resumed { clocks, .. } => {
                if let Some(scene) = &mut self.scene {
                    scene.resume(clocks, now);
                }
                Ok(())
            }
            Report::Snapshot { snapshot, .. } => self.catch_up(snapshot, now),
            // Comes by way of the log, like all warnings.
            Report::Warning(_) => Ok(()),
        }
    }

    /// Goes on from what stands, reports having been lost or not seen: moves that were not shown are shown now.
    fn catch_up(&mut self, snapshot: &Snapshot, now: Instant) -> io::Result<()> {
        let Some(game) = snapshot.games.last() else { return Ok(()) };
        let shown = match &self.scene {
            Some(scene) if scene.number == game.number && scene.ending.is_some() => return Ok(()),
            Some(scene) if scene.number == game.number => scene.moves.len(),
            _ => 0,
        };
        // A game that has begun is not begun again, even before its first move.
        let known = self.scene.as_ref().is_some_and(|scene| scene.number == game.number);
        for report in game.reports_after(shown) {
            if !(known && matches!(report, Report::GameStarted { .. })) {
                self.report(&report, now)?;
            }
        }
        Ok(())
    }

    /// Draws the live board as it is now; nothing elsewhere.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn tick(&mut self, now: Instant) -> io::Result<()> {
        let (Form::Live { screen, .. }, Some(scene)) = (&mut self.form, &self.scene) else {
            return Ok(());
        };
        if scene.ending.is_some() {
            return Ok(());
        }
        let notices = &mut self.footer.notices;
        let news = screen::take_notices();
        if !news.is_empty() {
            // The key that caused it (Ctrl-C) may have left its own trace.
            screen.repair();
        }
        notices.extend(news);
        notices.drain(..notices.len().saturating_sub(NOTICES_SHOWN));
        let size = (self.size)();
        let lines = frame::draw(scene, &self.footer, now, size);
        screen.show(&mut self.out, &lines, size)
    }

    /// Gives the terminal back.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Form::Live { .. } = &self.form {
            Screen::leave(&mut self.out)?;
            for notice in screen::take_notices() {
                let _ = writeln!(io::stderr(), "{notice}");
            }
        }
        self.out.flush()
    }

    /// The game's last picture stays on the normal screen, where one can scroll back to it.
    fn end(&mut self, ending: Ending, now: Instant) -> io::Result<()> {
        let lines = lines::ending_lines(&ending);
        let mut text = String::new();
        if let Some(scene) = &mut self.scene {
            scene.ending = Some(ending);
            if let Form::Live { paint, .. } = &self.form {
                Screen::leave(&mut self.out)?;
                let (columns, _) = (self.size)();
                for line in frame::last_picture(scene, now, columns) {
                    text.push_str(&line.render(columns, *paint));
                    text.push('\n');
                }
            }
        }
        text.push_str(&lines);
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// What goes on between games, for people only.
    fn status(&mut self, text: &str) -> io::Result<()> {
        let playing = self.scene.as_ref().is_some_and(|scene| scene.ending.is_none());
        match self.form {
            Form::Live { .. } if !playing => {
                writeln!(self.out, "{}", clean(text))?;
                self.out.flush()
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write + Send + 'static> View<W> {
    /// Follows the reports in a thread of its own until they end; timers come from `runtime`.
    ///
    /// An output that cannot be written ends the showing and never the games: the rest of the
    /// reports is read and dropped.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(mut self, mut reports: Reports, runtime: Handle) -> io::Result<JoinHandle<()>> {
        thread::Builder::new().name("kyomi-view".to_owned()).spawn(move || {
            let shown = runtime.block_on(self.follow(&mut reports));
            let shown = shown.and_then(|()| self.finish());
            if let Err(error) = shown {
                screen::restore();
                tracing::warn!("the game is not shown any more: {error}");
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

/// Often enough for a clock with tenths, seldom enough for a slow line.
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// The number of warnings shown below the board at a time.
const NOTICES_SHOWN: usize = 2;

const HELP: &str = "Ctrl-C: finish this game and stop; twice: resign and leave";

#[cfg(test)]
mod tests;
