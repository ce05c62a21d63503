//! The time of a round trip to the server.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};

use crate::client::{check::Finding, server_stream::ServerStream};
use kyomi_csa::Profile;

/// Where the server is.
#[derive(Clone, Copy)]
pub(super) struct ServerPlace {
    peer: Option<SocketAddr>,
    is_on_local_network: bool,
}

impl ServerPlace {
    pub(super) fn of(stream: &ServerStream) -> Self {
        Self { peer: stream.peer(), is_on_local_network: stream.is_on_local_network() }
    }

    /// Whether empty lines may be sent to the server in rapid succession. The protocol forbids it: it is done only on
    /// this machine, and in the local network with servers that are known to answer each line.
    pub(super) fn allows_rapid_lines(self, profile: Profile) -> bool {
        let here = self.peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
        here || self.is_on_local_network && profile.behaviour().answers_keep_alive
    }

    /// The times of a few TCP connections to the server.
    pub(super) async fn connection_times(self) -> Vec<Duration> {
        let mut samples = Vec::new();
        let Some(peer) = self.peer else { return samples };
        for _ in 0..if self.is_on_local_network { 20 } else { 5 } {
            let began = Instant::now();
            match timeout(CONNECT_LIMIT, TcpStream::connect(peer)).await {
                Ok(Ok(_)) => samples.push(began.elapsed()),
                Ok(Err(_)) | Err(_) => break,
            }
        }
        samples
    }
}

/// The finding for these times of the round trip. `of` names what was measured; `login` is the time of the login.
pub(super) fn round_trip(of: &str, samples: &[Duration], login: Duration) -> Finding {
    let mut sorted = samples.to_vec();
    sorted.sort();
    let (Some(median), Some(worst)) = (sorted.get(sorted.len() / 2), sorted.last()) else {
        let detail = format!("only the login was measured: {}", milliseconds(login));
        return Finding::warning("round trip", detail)
            .remedy("look at the measured times of the first game");
    };
    let percentile = (sorted.len() >= 100).then(|| sorted[sorted.len() * 99 / 100]);
    let percentile = percentile
        .map_or_else(String::new, |time| format!("99th percentile {}, ", milliseconds(time)));
    let detail = format!(
        "median {}, {percentile}worst {} of {} {of}; the login took {}",
        milliseconds(*median),
        milliseconds(*worst),
        sorted.len(),
        milliseconds(login)
    );
    if *worst >= SLOW {
        return Finding::warning("round trip", detail).remedy(
            "use a wired network; budget.network_delay sets a fixed reserve for each move",
        );
    }
    Finding::ok("round trip", detail)
}

/// A time as text, for example `7.00 ms`.
pub(super) fn milliseconds(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    if milliseconds < 10.0 {
        format!("{milliseconds:.2} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}

const CONNECT_LIMIT: Duration = Duration::from_secs(4);

/// With a round trip this long the clock is charged another second.
const SLOW: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::CheckStatus;

    #[test]
    fn only_near_servers_get_rapid_lines() {
        let allows = |profile, peer: &str, is_on_local_network| {
            let peer = Some(peer.parse().unwrap());
            ServerPlace { peer, is_on_local_network }.allows_rapid_lines(profile)
        };
        assert!(allows(Profile::Wcsc, "127.0.0.1:4081", true));
        assert!(allows(Profile::Kyomi, "192.168.0.5:4081", true));
        assert!(!allows(Profile::Wcsc, "192.168.0.5:4081", true));
        assert!(!allows(Profile::Floodgate, "133.11.0.1:4081", false));
    }

    #[test]
    fn a_percentile_needs_a_hundred_samples() {
        let of = |number: u64| (1..=number).map(Duration::from_millis).collect::<Vec<_>>();
        let login = Duration::from_millis(7);
        assert_eq!(
            round_trip("empty lines answered", &of(100), login).detail,
            "median 51 ms, 99th percentile 100 ms, worst 100 ms of 100 empty lines answered; the login took 7.00 ms"
        );
        assert_eq!(
            round_trip("TCP connections", &of(5), login).detail,
            "median 3.00 ms, worst 5.00 ms of 5 TCP connections; the login took 7.00 ms"
        );
        assert_eq!(round_trip("", &of(1000), login).status, CheckStatus::Warning);
        assert_eq!(round_trip("", &[], login).status, CheckStatus::Warning);
    }
}
