use proptest::prelude::*;

use super::*;
use crate::search::value::{MATE, mated_in, mates_in};

fn store(score: i32, us: i32, them: i32) -> NewEntry {
    NewEntry {
        mv: Move::from_bits(0x1dba),
        score,
        eval: Some(-17),
        bound: EntryBound::Lower,
        budgets: StoredBudgets::new(Budgets { us, them }, false),
        cost: 90,
        pv: false,
        path_dependent: false,
    }
}

proptest! {
    #[test]
    fn entries_are_read_as_they_were_stored(key: u64, score in -31_000..31_000i32, us in -100..5000i32, them in -100..5000i32, ply in 0..100usize) {
        let table = TranspositionTable::new(1 << 16, 3);
        let put = store(score, us, them);
        table.store(key, ply, put);
        let found = table.probe(key, ply).unwrap();
        prop_assert_eq!(found.score, score);
        prop_assert_eq!(found.mv, put.mv);
        prop_assert_eq!(found.eval, put.eval);
        prop_assert_eq!(found.bound, put.bound);
        prop_assert_eq!(found.budgets, put.budgets);
        prop_assert_eq!(found.cost, put.cost);
        prop_assert!(!found.path_dependent);
    }

    #[test]
    fn every_key_has_its_bucket(key: u64, bytes in 1..100_000u64, threads in 1..=8usize) {
        let table = TranspositionTable::new(bytes, threads);
        table.prefetch(key);
        prop_assert!(table.probe(key, 0).is_none());
    }

    #[test]
    fn budgets_dominate_component_wise(us in 0..4000i32, them in 0..4000i32, more in 0..500i32, less in 32..500i32) {
        let wanted = StoredBudgets::new(Budgets { us, them }, false);
        let richer = StoredBudgets::new(Budgets { us: us + more, them: them + more }, false);
        prop_assert!(richer.covers(wanted, 0));
        let lopsided = StoredBudgets::new(Budgets { us: us + 3000, them: them - less }, false);
        prop_assert!(them < less || !lopsided.covers(wanted, 0));
    }

    #[test]
    fn mates_keep_their_distance_from_the_node(key: u64, distance in 1..60usize, ply in 0..60usize, other in 0..60usize) {
        let table = TranspositionTable::new(1 << 12, 1);
        table.store(key, ply, store(mates_in(ply + distance), 0, 0));
        prop_assert_eq!(table.probe(key, other).unwrap().score, mates_in(other + distance));
        table.store(key, ply, NewEntry { bound: EntryBound::Exact, ..store(mated_in(ply + distance), 0, 0) });
        prop_assert_eq!(table.probe(key, other).unwrap().score, mated_in(other + distance));
    }
}

#[test]
fn a_deep_entry_of_this_search_outlives_a_shallow_one() {
    let table = TranspositionTable::new(1 << 12, 1);
    table.store(7, 0, store(100, 2000, 2000));
    table.store(7, 0, store(50, 100, 100));
    assert_eq!(table.probe(7, 0).unwrap().score, 100);
    table.next_generation();
    table.store(7, 0, store(50, 100, 100));
    assert_eq!(table.probe(7, 0).unwrap().score, 50);
}

#[test]
fn an_entry_without_a_move_keeps_the_old_move() {
    let table = TranspositionTable::new(1 << 12, 1);
    table.store(7, 0, store(100, 100, 100));
    table.store(7, 0, NewEntry { mv: None, cost: 0, ..store(5, 300, 300) });
    let found = table.probe(7, 0).unwrap();
    assert_eq!((found.mv, found.score, found.cost), (store(0, 0, 0).mv, 5, 90));
}

#[test]
fn a_surplus_of_one_side_makes_up_for_a_lack_of_the_other_within_the_tolerance() {
    let budgets = |us, them| StoredBudgets::new(Budgets { us, them }, false);
    let wanted = budgets(320, 480);
    let covers = |us, them, tolerance| budgets(us, them).covers(wanted, tolerance);
    // One step is nothing, whatever the other side has.
    assert!(covers(304, 464, 0));
    assert!(!covers(256, 544, 0) && !covers(256, 544, 63) && covers(256, 544, 64));
    assert!(!covers(384, 416, 48) && covers(384, 416, 64));
    // The sum may lack one step.
    assert!(covers(256, 528, 64) && !covers(256, 512, 64));
}

#[test]
fn proven_mates_cut_without_budgets_and_path_dependent_scores_never() {
    let table = TranspositionTable::new(1 << 12, 1);
    let rich = StoredBudgets::new(Budgets { us: 3000, them: 3000 }, false);
    table.store(1, 0, store(mates_in(5), 0, 0));
    assert!(table.probe(1, 0).unwrap().cuts(rich, 0, 1, 0));
    table.store(2, 0, store(500, 0, 0));
    assert!(!table.probe(2, 0).unwrap().cuts(rich, 0, 1, 0));
    // An upper bound in the range of wins proves nothing.
    table.store(3, 0, NewEntry { bound: EntryBound::Upper, ..store(mates_in(5), 0, 0) });
    assert!(!table.probe(3, 0).unwrap().cuts(rich, MATE, MATE + 1, 0));
    table.store(4, 0, NewEntry { path_dependent: true, ..store(500, 3000, 3000) });
    assert!(!table.probe(4, 0).unwrap().cuts(rich, 0, 1, 0));
    table.store(5, 0, store(500, 3000, 3000));
    assert!(table.probe(5, 0).unwrap().cuts(rich, 0, 1, 0));
}

#[test]
fn threads_on_a_tiny_table_see_whole_entries_only() {
    let table = TranspositionTable::new(4 * 64, 1);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let table = &table;
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(thread);
                for _ in 0..50_000 {
                    let key = random.u64(..64) << 34 | random.u64(..64) << 58;
                    // Score, evaluation and cost are functions of the key.
                    let number = ((key >> 34) & 63) as i32;
                    let wanted = NewEntry {
                        eval: Some(-number),
                        cost: 2 * number,
                        ..store(3 * number, number * 16, number * 16)
                    };
                    if random.bool() {
                        table.store(key, 0, wanted);
                    } else if let Some(found) = table.probe(key, 0) {
                        assert_eq!(found.score % 3, 0);
                        let number = found.score / 3;
                        assert_eq!((found.eval, found.cost), (Some(-number), 2 * number));
                        assert_eq!(found.budgets, store(0, number * 16, number * 16).budgets);
                    }
                }
            });
        }
    });
    assert!(table.hashfull() <= 1000);
}

#[test]
fn clearing_and_new_generations_reset_hashfull() {
    let table = TranspositionTable::new(64 * 250, 2);
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..5000 {
        table.store(random.u64(..), 0, store(1, 100, 100));
    }
    assert!(table.hashfull() > 900);
    table.next_generation();
    assert_eq!(table.hashfull(), 0);
    table.clear();
    assert_eq!((table.hashfull(), table.skipped_stores()), (0, 0));
    assert_eq!(table.bytes(), 64 * 250);
}

#[test]
fn a_table_leaves_some_memory_to_the_others() {
    assert_eq!(affordable(64 << 20, None), 64 << 20);
    assert_eq!(affordable(64 << 20, Some(80 << 20)), 64 << 20);
    assert_eq!(affordable(1 << 40, Some(100 << 20)), 80 << 20);
    assert_eq!(affordable(1 << 30, Some(0)), 1 << 20);
    assert_eq!(affordable(64, Some(0)), 64);
}
