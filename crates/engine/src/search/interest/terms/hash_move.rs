//! Term 3: the move of the transposition table leads the list.

use crate::search::weights::Weights;

/// The interest of the hash move. `best` is the largest interest of the other moves, `own` its interest by the other
/// terms if it is in the list. With the weights of the paper it is `own` and a bonus.
pub(in crate::search::interest) fn hash_move(
    weights: &Weights,
    best: i32,
    own: Option<i32>,
) -> i32 {
    let before = match own {
        Some(own) if !weights.hash_leads => own,
        _ => weights.hash_least.max(best),
    };
    (before + weights.hash).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use crate::search::weights::POINT;

    #[test]
    fn it_is_ahead_of_all_others_and_of_a_least() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
        let weights = scene.weights();
        assert_eq!(hash_move(&weights, 400 * POINT, Some(9 * POINT)), 425 * POINT);
        assert_eq!(hash_move(&weights, 4 * POINT, Some(9 * POINT)), 175 * POINT);
        scene.parameters.figures = 1;
        let paper = scene.weights();
        assert_eq!(hash_move(&paper, 400 * POINT, Some(9 * POINT)), 34 * POINT);
        assert_eq!(hash_move(&paper, 400 * POINT, None), 425 * POINT);
    }
}
