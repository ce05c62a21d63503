use super::*;

#[test]
fn a_position_is_a_few_cache_lines() {
    assert!(size_of::<Position>() <= 7 * 64, "{}", size_of::<Position>());
    assert_eq!(size_of::<Move>(), 2);
    assert_eq!(size_of::<Option<Move>>(), 2);
    assert_eq!(size_of::<Option<Piece>>(), 1);
}
