//! The clock of the system: whether it is synchronized, and how far it is off.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::{process::Command, time::timeout};

use super::Finding;

/// Checks the clock of the system.
pub(super) async fn check() -> Finding {
    if !cfg!(target_os = "linux") {
        return finding(None, None);
    }
    finding(is_synchronized().await, offset().await)
}

fn finding(synchronized: Option<bool>, offset: Option<f64>) -> Finding {
    const MATTERS: &str = "pairing times and schedules depend on it, thinking times do not";
    let warning = |text: &str| Finding::warning("clock", format!("{text}; {MATTERS}"));
    let off = offset.map(|seconds| format!("off by {}", length(seconds.abs())));
    match (synchronized, offset, off) {
        (_, Some(seconds), Some(off)) if seconds.abs() > MOST_SECONDS => {
            warning(&format!("the system clock is {off}")).remedy(
                "wait until it is right, or set it: `chronyc makestep`, `timedatectl set-ntp true`",
            )
        }
        (Some(true), _, Some(off)) => Finding::ok(
            "clock",
            format!("the system clock is synchronized over the network, {off}"),
        ),
        (Some(true), _, None) => {
            Finding::ok("clock", "the system clock is synchronized over the network")
        }
        (Some(false), ..) => {
            warning("the system clock is not synchronized").remedy("`timedatectl set-ntp true`")
        }
        (None, _, Some(off)) => Finding::ok("clock", format!("the system clock is {off}")),
        (None, _, None) => warning("not known whether the system clock is synchronized")
            .remedy("compare `date` with a clock that is right"),
    }
}

/// The largest offset that is accepted, in seconds. Servers state times to the second.
const MOST_SECONDS: f64 = 1.0;

/// `0.8 ms`, `12.5 s`.
fn length(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1000.0) } else { format!("{seconds:.1} s") }
}

/// Whether the system reports that its clock is synchronized; `None` if it reports nothing.
async fn is_synchronized() -> Option<bool> {
    if Path::new("/run/systemd/timesync/synchronized").exists() {
        return Some(true);
    }
    match output_of("timedatectl", &["show", "--property=NTPSynchronized"]).await?.trim() {
        "NTPSynchronized=yes" => Some(true),
        "NTPSynchronized=no" => Some(false),
        _ => None,
    }
}

/// How far the clock is off in seconds, as the program that synchronizes it has measured; `None` if there is none.
async fn offset() -> Option<f64> {
    if let Some(text) = output_of("timedatectl", &["timesync-status"]).await
        && let Some(seconds) = offset_of_timesyncd(&text)
    {
        return Some(seconds);
    }
    offset_of_chrony(&output_of("chronyc", &["-c", "tracking"]).await?)
}

/// The standard output of a tool of the system that succeeds within a few seconds.
async fn output_of(tool: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(tool);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(TOOL_LIMIT, command.output()).await.ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The longest wait for a tool of the system.
const TOOL_LIMIT: Duration = Duration::from_secs(3);

/// The offset in the status of systemd-timesyncd: `Offset: +1min 2.5s`.
fn offset_of_timesyncd(text: &str) -> Option<f64> {
    let value = text.lines().find_map(|line| line.trim().strip_prefix("Offset:"))?.trim();
    let words = value.trim_start_matches(['+', '-']).split_ascii_whitespace();
    let mut sum = None;
    for word in words {
        let unit = word.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, unit) = word.split_at(unit);
        let seconds = match unit {
            "us" | "μs" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "min" => 60.0,
            "h" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            // Weeks and more: the clock is wrong in any case.
            _ => 1e6,
        };
        sum = Some(sum.unwrap_or(0.0) + number.parse::<f64>().ok()? * seconds);
    }
    sum
}

/// The offset in the answer of chrony to `tracking`: the fifth value, in seconds. The reference 0 means that it has
/// none.
fn offset_of_chrony(text: &str) -> Option<f64> {
    let mut values = text.lines().next()?.split(',');
    let reference = values.next()?;
    if reference.trim_matches('0').is_empty() {
        return None;
    }
    values.nth(3)?.trim().parse().ok().filter(|seconds: &f64| seconds.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_from_both_programs() {
        let status = |offset: &str| {
            format!(
                "       Server: 10.0.0.1 (time)\n       Offset: {offset}\n        Delay: 43ms\n"
            )
        };
        for (text, expected) in [
            ("+1.183ms", Some(0.001_183)),
            ("-834us", Some(0.000_834)),
            ("+1min 2.5s", Some(62.5)),
            ("-3w 2d", Some(3_172_800.0)),
            ("n/a", None),
            ("", None),
            ("5", None),
        ] {
            let found = offset_of_timesyncd(&status(text));
            let equal = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(equal, "{text}: {found:?}");
        }
        assert_eq!(offset_of_timesyncd("Server: n/a"), None);
        let line = "A9FEA97B,10.0.0.1,4,1616684217.926,-0.25,-0.000001,0.1,1,0,0,0,0,64.2,Normal\n";
        assert_eq!(offset_of_chrony(line), Some(-0.25));
        assert_eq!(
            offset_of_chrony("00000000,,0,0.0,0.000000000,0,0,0,0,0,1,1,0,Not synchronised"),
            None
        );
        assert_eq!(offset_of_chrony("506 Cannot talk to daemon"), None);
        assert_eq!(offset_of_chrony(""), None);
    }

    #[test]
    fn a_clock_that_is_off_is_a_warning_even_if_it_counts_as_synchronized() {
        let text = |synchronized, offset| format!("{:?}", finding(synchronized, offset));
        assert!(text(Some(true), Some(-1.5)).contains("the system clock is off by 1.5 s; pairing"));
        assert!(text(Some(true), Some(-1.5)).contains("Warning"));
        assert!(text(Some(true), Some(0.000_8)).contains("over the network, off by 0.8 ms"));
        assert!(text(Some(true), Some(0.000_8)).contains("Ok"));
        assert!(text(None, None).contains("not known whether"));
    }
}
