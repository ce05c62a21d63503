//! Swiss pairing: players with equal scores meet, nobody meets the same player twice, colours alternate.
//!
//! The players stand in the order of their scores, then of the event's file. From the top, each is paired with the best
//! opponent that leaves all the others pairable:
//!
//! 1. the nearest score,
//! 2. in the same score group, the better fit of colours,
//! 3. within a group of 2n players the first meets the (n+1)st, the second the (n+2)nd, and so on.
//!
//! Pairs that have met, and pairs after which a player would have three more games with one colour than with the other,
//! are not made if all players can be paired without them. If that is not possible, the rule about colours is dropped
//! first.

use super::Pairing;
use super::matching::can_pair_all;

/// The data of a player that a pairing depends on. Players are given in the order of the event's file.
#[derive(Debug, Clone, Default)]
pub(in crate::league) struct Entrant {
    /// Half points so far.
    pub(in crate::league) score: u32,
    /// Games as black minus games as white.
    pub(in crate::league) color_balance: i32,
    /// The colour of the last game: 1 black, -1 white, 0 none.
    pub(in crate::league) last_color: i32,
    /// The players it has been paired with.
    pub(in crate::league) met: Vec<usize>,
    /// The number of byes.
    pub(in crate::league) byes: u32,
}

/// The pairing of the next round. `black_first` decides the colours of two players without any games.
pub(in crate::league) fn swiss(entrants: &[Entrant], black_first: bool) -> Pairing {
    let mut order: Vec<usize> = (0..entrants.len()).collect();
    order.sort_by_key(|&player| std::cmp::Reverse(entrants[player].score));
    for rules in [Rules::All, Rules::NoRepeats, Rules::None] {
        if let Some(pairing) = pair(entrants, &order, rules, black_first) {
            return pairing;
        }
    }
    Pairing::default()
}

/// Which pairs may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// Neither repeated pairs nor colours out of balance.
    All,
    /// No repeated pairs.
    NoRepeats,
    /// Any.
    None,
}

fn pair(entrants: &[Entrant], order: &[usize], rules: Rules, black_first: bool) -> Option<Pairing> {
    let may_meet = |a: usize, b: usize| {
        let (one, other) = (&entrants[a], &entrants[b]);
        let repeats = one.met.contains(&b);
        let (low, high) = (
            one.color_balance.min(other.color_balance),
            one.color_balance.max(other.color_balance),
        );
        // The one with fewer games as black gets black.
        let unbalanced = low >= MOST_BALANCE || high <= -MOST_BALANCE;
        match rules {
            Rules::All => !repeats && !unbalanced,
            Rules::NoRepeats => !repeats,
            Rules::None => true,
        }
    };
    let mut rest = order.to_vec();
    let mut pairing = Pairing::default();
    if !rest.len().is_multiple_of(2) {
        // The last one who has had the fewest byes and whose bye leaves the others pairable.
        let least = entrants.iter().map(|it| it.byes).min().unwrap_or_default();
        let without = |player: usize| -> Vec<usize> {
            rest.iter().copied().filter(|it| *it != player).collect()
        };
        let candidates = rest.iter().rev().copied().filter(|it| entrants[*it].byes == least);
        let bye = { candidates }.find(|it| can_pair_all(&without(*it), may_meet))?;
        rest = without(bye);
        pairing.bye = Some(bye);
    } else if !can_pair_all(&rest, may_meet) {
        return None;
    }
    let mut boards = 0;
    while let Some(&top) = rest.first() {
        let score = entrants[top].score;
        let group = rest.iter().filter(|&&it| entrants[it].score == score).count();
        let middle = group / 2;
        let mut candidates: Vec<(usize, usize)> =
            rest.iter().copied().enumerate().skip(1).collect();
        candidates.sort_by_key(|&(place, player)| {
            let difference = score - entrants[player].score;
            let clash = color_clash(&entrants[top], &entrants[player]);
            // In a lower group the highest one; in the own one the first of its lower half.
            let distance = if difference > 0 { place } else { place.abs_diff(middle.max(1)) };
            (difference, clash, distance, place)
        });
        let partner = candidates.into_iter().map(|(_, player)| player).find(|&player| {
            let others: Vec<usize> =
                rest.iter().copied().filter(|&it| it != top && it != player).collect();
            may_meet(top, player) && can_pair_all(&others, may_meet)
        })?;
        rest.retain(|&it| it != top && it != partner);
        let first = black_first == (boards % 2 == 0);
        pairing.games.push(colors(entrants, top, partner, first));
        boards += 1;
    }
    Some(pairing)
}

/// How badly the colours of two players fit: 0 if both can have the one that they are due.
fn color_clash(one: &Entrant, other: &Entrant) -> u32 {
    let due = |it: &Entrant| match it.color_balance.signum() {
        0 => it.last_color,
        sign => sign,
    };
    match (due(one), due(other)) {
        (a, b) if a != 0 && a == b => {
            let strength = one.color_balance.abs().min(other.color_balance.abs());
            1 + strength.unsigned_abs()
        }
        _ => 0,
    }
}

/// Who is black: the one with fewer games as black; else the one whose last game was with white; else the higher one
/// gets the other colour than in its last game, or what `first` says.
fn colors(entrants: &[Entrant], top: usize, partner: usize, first: bool) -> [usize; 2] {
    let (one, other) = (&entrants[top], &entrants[partner]);
    let top_is_black = match one.color_balance.cmp(&other.color_balance) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => match (one.last_color, other.last_color) {
            (0, 0) => first,
            (0, last) => last > 0,
            (last, _) => last < 0,
        },
    };
    if top_is_black { [top, partner] } else { [partner, top] }
}

/// The largest difference allowed between a player's numbers of games as black and as white.
const MOST_BALANCE: i32 = 2;
