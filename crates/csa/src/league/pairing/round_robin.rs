//! The circle method: everybody meets everybody.

use super::Pairing;

/// The pairing of a round, counted from 0, of this number of players. A second turn, with reversed colours, follows the
/// first.
///
/// With an odd number of players, each has one bye. In one turn the numbers of games as black and as white of a player
/// differ by at most one.
pub(in crate::league) fn round_robin(players: usize, round: usize) -> Pairing {
    // One more place if the number is odd: whoever meets it has a bye.
    let places = players + players % 2;
    let circle = places - 1;
    let (turn, round) = (round / circle, round % circle);
    let mut pairing = Pairing::default();
    // All places but the last stand on a circle, which turns by one each round.
    let mut add = |black: usize, white: usize| {
        let game = if turn.is_multiple_of(2) { [black, white] } else { [white, black] };
        match game {
            [one, other] if one >= players => pairing.bye = Some(other),
            [one, other] if other >= players => pairing.bye = Some(one),
            game => pairing.games.push(game),
        }
    };
    if round.is_multiple_of(2) {
        add(round, circle);
    } else {
        add(circle, round);
    }
    for distance in 1..places / 2 {
        add((round + distance) % circle, (round + circle - distance) % circle);
    }
    pairing
}
