//! The reports of several clients as one stream.

use std::{
    future::poll_fn,
    pin::pin,
    task::{Context, Poll},
};

use super::{Report, Reports};

/// The reports of several clients, each with the number of the client.
#[derive(Debug)]
pub struct MergedReports(Vec<Option<Reports>>);

impl MergedReports {
    /// The reports of these clients, which are numbered from 0.
    pub fn new(reports: impl IntoIterator<Item = Reports>) -> Self {
        Self(reports.into_iter().map(Some).collect())
    }

    /// Waits for the next report of any client; `None` when all have ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<(usize, Report)> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<(usize, Report)>> {
        let mut all_ended = true;
        for (number, slot) in self.0.iter_mut().enumerate() {
            let Some(reports) = slot else { continue };
            // The future keeps nothing between two polls.
            let next = pin!(reports.next()).poll(context);
            match next {
                Poll::Ready(Some(report)) => return Poll::Ready(Some((number, report))),
                Poll::Ready(None) => *slot = None,
                Poll::Pending => all_ended = false,
            }
        }
        if all_ended { Poll::Ready(None) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Watchers;

    #[tokio::test]
    async fn reports_come_with_the_number_of_their_client() {
        let watchers = [Watchers::new(), Watchers::new()];
        let mut merged = MergedReports::new(watchers.iter().map(Watchers::subscribe));
        for number in 0..2 {
            let next = merged.next().await;
            assert!(matches!(next, Some((at, Report::Snapshot { .. })) if at == number));
        }
        let [first, second] = watchers;
        let reporting = tokio::spawn(async move {
            second.report(Report::Warning("x".to_owned()));
            drop(second);
            tokio::task::yield_now().await;
            first.report(Report::Warning("y".to_owned()));
        });
        assert!(matches!(merged.next().await, Some((1, Report::Warning(_)))));
        assert!(matches!(merged.next().await, Some((0, Report::Warning(_)))));
        assert!(merged.next().await.is_none());
        reporting.await.unwrap();
    }
}
