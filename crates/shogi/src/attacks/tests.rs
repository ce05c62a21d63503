use super::*;

/// Walks from square to square.
fn walked(kind: PieceKind, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    const ORTHOGONAL: [(i8, i8); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (1, 1), (-1, 1), (1, -1)];
    const GOLD: [(i8, i8); 6] = [(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
    const SILVER: [(i8, i8); 5] = [(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
    type Ways = &'static [(i8, i8)];
    let (steps, slides): (Ways, Ways) = match kind {
        PieceKind::Pawn => (&[(0, -1)], &[]),
        PieceKind::Lance => (&[], &[(0, -1)]),
        PieceKind::Knight => (&[(-1, -2), (1, -2)], &[]),
        PieceKind::Silver => (&SILVER, &[]),
        PieceKind::Bishop => (&[], &DIAGONAL),
        PieceKind::Rook => (&[], &ORTHOGONAL),
        PieceKind::King => (&DIRECTIONS, &[]),
        PieceKind::Horse => (&ORTHOGONAL, &DIAGONAL),
        PieceKind::Dragon => (&DIAGONAL, &ORTHOGONAL),
        _ => (&GOLD, &[]),
    };
    let turn = if color == Color::Black { 1 } else { -1 };
    let mut found = Bitboard::EMPTY;
    for &(files, ranks) in steps {
        found |= from.offset(files, ranks * turn).into_iter().collect();
    }
    for &(files, ranks) in slides {
        let mut at = from;
        while let Some(next) = at.offset(files, ranks * turn) {
            found = found.with(next);
            at = next;
            if occupied.contains(next) {
                break;
            }
        }
    }
    found
}

/// Boards with few and with many pieces.
fn boards() -> impl Iterator<Item = Bitboard> {
    let mut random = fastrand::Rng::with_seed(7);
    let board = move |i: usize| {
        let share = [0, 5, 15, 30, 50, 81][i % 6];
        Square::all().filter(|_| random.usize(..81) < share).collect()
    };
    (0..60).map(board)
}

#[test]
fn table_attacks_equal_attacks_found_square_by_square() {
    for occupied in boards() {
        for from in Square::all() {
            for color in Color::ALL {
                for kind in PieceKind::ALL {
                    let expected = walked(kind, color, from, occupied);
                    let found = attacks(kind, color, from, occupied);
                    assert_eq!(found, expected, "{color} {kind:?} on {from} among\n{occupied:?}");
                }
            }
        }
    }
}

#[test]
fn the_lines_through_a_square_are_those_that_it_shares_with_other_squares() {
    for square in Square::all() {
        let expected: Bitboard = Square::all().filter(|other| line(square, *other).any()).collect();
        assert_eq!(lines_through(square), expected, "{square}");
    }
}

#[test]
fn attacks_of_all_equal_the_union_of_single_attacks() {
    let boards: Vec<Bitboard> = boards().collect();
    for pair in boards.windows(2) {
        let [pieces, others] = [pair[0], pair[1]];
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                // The squares on which such a piece may be.
                let pieces = pieces & !Bitboard::far_ranks(color, kind.dead_ranks());
                let each = pieces.iter().map(|from| walked(kind, color, from, others));
                let expected = each.fold(Bitboard::EMPTY, |all, one| all | one);
                assert_eq!(attacks_of_all(kind, color, pieces, others), expected);
            }
        }
    }
}

#[test]
fn stepping_to_is_the_inverse_of_steps() {
    let slides = [PieceKind::Lance, PieceKind::Bishop, PieceKind::Rook];
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            for to in Square::all() {
                let steps = |from: &Square| {
                    let full = Bitboard::ALL;
                    let next = (king(*from) | knight(color, *from)).contains(to);
                    let plain = kind.unpromoted();
                    let part = match kind {
                        PieceKind::Horse | PieceKind::Dragon => king(*from),
                        _ if slides.contains(&plain) && kind == plain => Bitboard::EMPTY,
                        _ => walked(kind, color, *from, full),
                    };
                    next && part.contains(to)
                };
                let expected: Bitboard = Square::all().filter(steps).collect();
                assert_eq!(stepping_to(Piece::new(color, kind), to), expected, "{kind:?} {to}");
            }
        }
    }
}

#[test]
fn may_check_contains_all_pieces_that_can_step_to_a_check() {
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            for king in Square::all() {
                let may = may_check(kind, color, king);
                for from in Square::all() {
                    let checks = |kind| {
                        move |to: &Square| walked(kind, color, *to, Bitboard::EMPTY).contains(king)
                    };
                    let to = walked(kind, color, from, Bitboard::EMPTY);
                    let plain = to.iter().any(|to| checks(kind)(&to));
                    let promoted =
                        kind.promoted().is_some_and(|kind| to.iter().any(|to| checks(kind)(&to)));
                    assert!(may.contains(from) || !(plain || promoted), "{kind:?} {from} {king}");
                }
            }
        }
    }
}

#[test]
fn closing_checks_are_those_that_attack_all_free_squares() {
    for king in Square::all() {
        let around = attacks(PieceKind::King, Color::Black, king, Bitboard::EMPTY);
        let two_steps = rook_rays(king).iter().filter(|from| from.distance(king) == 2);
        let near = two_steps.fold(around, Bitboard::with);
        // For each side and kind, the squares near the king and what it attacks from there, if that is the king.
        let checks = Color::ALL.map(|us| {
            PieceKind::ALL.map(|kind| {
                let reached =
                    near.iter().map(|from| (from, walked(kind, us, from, Bitboard::EMPTY)));
                reached.filter(|(_, reached)| reached.contains(king)).collect::<Vec<_>>()
            })
        });
        // All subsets of the squares next to the king.
        let mut free = around;
        loop {
            for us in Color::ALL {
                let closing = Closing::new(us, king, free);
                let found_by = |kind: PieceKind| -> Bitboard {
                    let checks = checks[us.index()][kind.index()].iter();
                    let closing =
                        checks.filter(|(from, reached)| (free & !reached.with(*from)).is_empty());
                    closing.map(|(from, _)| *from).collect()
                };
                let mut unions = [Bitboard::EMPTY; 2];
                for kind in PieceKind::ALL.into_iter().filter(|kind| *kind != PieceKind::King) {
                    let beside = found_by(kind) & around;
                    assert_eq!(closing.beside(kind), beside, "{us} {kind:?} on {king}\n{free:?}");
                    unions[1] |= beside;
                    if !kind.slides() || kind == PieceKind::Lance {
                        unions[0] |= beside;
                    }
                }
                assert_eq!([false, true].map(|great| closing.beside_by_any(great)), unions);
                let in_front = found_by(PieceKind::Dragon) & !around;
                assert_eq!(closing.by_dragon_in_front(), in_front, "{king}\n{free:?}");
            }
            if free.is_empty() {
                break;
            }
            free = Bitboard((free.0 - 1) & around.0);
        }
    }
}

#[test]
fn aiming_near_are_sliders_that_reach_the_king_or_a_square_next_to_it() {
    for king in Square::all() {
        let near = attacks(PieceKind::King, Color::Black, king, Bitboard::EMPTY).with(king);
        for (kind, us) in
            PieceKind::ALL.into_iter().flat_map(|kind| Color::ALL.map(|us| (kind, us)))
        {
            let slid = match kind {
                PieceKind::Horse => PieceKind::Bishop,
                PieceKind::Dragon => PieceKind::Rook,
                kind => kind,
            };
            let aims = |from: &Square| {
                slid.slides() && (walked(slid, us, *from, Bitboard::EMPTY) & near).any()
            };
            let expected = Square::all().filter(aims).collect();
            assert_eq!(aiming_near(kind, us, king), expected, "{us} {kind:?} to {king}");
        }
    }
}
