//! A slow, independent implementation of the rules, to compare `kyomi_shogi` with: a simple board of squares; each
//! move is made on a copy and rejected if it leaves the player's king attacked.

#![allow(clippy::unwrap_used, reason = "this code is for tests only, with valid positions")]

/// A piece: its letter as in SFEN (upper case), whether it is promoted, and whether it is black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Man {
    letter: char,
    promoted: bool,
    black: bool,
}

/// A move: the origin (file, rank) or the letter of the dropped piece, the destination, and promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RefMove {
    pub(crate) from: Option<(i8, i8)>,
    pub(crate) drop: Option<char>,
    pub(crate) to: (i8, i8),
    pub(crate) promote: bool,
}

/// A position; `board[rank][file]` with a margin of one on all sides.
#[derive(Clone, Debug)]
pub(crate) struct RefPosition {
    board: [[Option<Man>; 11]; 11],
    /// The pieces in hand of `[black, white]`, by index in [`HAND`].
    hands: [[u8; 7]; 2],
    black_to_move: bool,
}

const HAND: [char; 7] = ['P', 'L', 'N', 'S', 'G', 'B', 'R'];

impl RefPosition {
    /// Reads a valid SFEN.
    pub(crate) fn new(sfen: &str) -> Self {
        let fields: Vec<&str> = sfen.split(' ').collect();
        let mut board = [[None; 11]; 11];
        for (rank, row) in fields[0].split('/').enumerate() {
            let mut file = 9;
            let mut promoted = false;
            for c in row.chars() {
                if let Some(empty) = c.to_digit(10) {
                    file -= empty as usize;
                } else if c == '+' {
                    promoted = true;
                } else {
                    let man =
                        Man { letter: c.to_ascii_uppercase(), promoted, black: c.is_uppercase() };
                    board[rank + 1][file] = Some(man);
                    promoted = false;
                    file = file.saturating_sub(1);
                }
            }
        }
        let mut hands = [[0; 7]; 2];
        let mut count = 0;
        for c in fields[2].chars().filter(|&c| c != '-') {
            if let Some(digit) = c.to_digit(10) {
                count = count * 10 + digit as u8;
            } else {
                let kind = HAND.iter().position(|&l| l == c.to_ascii_uppercase()).unwrap();
                hands[usize::from(c.is_lowercase())][kind] += count.max(1);
                count = 0;
            }
        }
        Self { board, hands, black_to_move: fields[1] == "b" }
    }

    fn at(&self, (file, rank): (i8, i8)) -> Option<Man> {
        self.board[rank as usize][file as usize]
    }

    /// Calls `visit` for every square the piece on a square attacks.
    fn reach(&self, from: (i8, i8), man: Man, mut visit: impl FnMut((i8, i8))) {
        let ahead = if man.black { -1 } else { 1 };
        let (steps, slides) = ways(man);
        for &(files, ranks) in steps {
            let to = (from.0 + files, from.1 + ranks * ahead);
            if on_board(to) {
                visit(to);
            }
        }
        for &(files, ranks) in slides {
            let mut to = (from.0 + files, from.1 + ranks * ahead);
            while on_board(to) {
                visit(to);
                if self.at(to).is_some() {
                    break;
                }
                to = (to.0 + files, to.1 + ranks * ahead);
            }
        }
    }

    /// Whether the king of a side is attacked; false if it has no king.
    pub(crate) fn king_attacked(&self, black: bool) -> bool {
        let king = Man { letter: 'K', promoted: false, black };
        let Some(square) = squares().find(|&square| self.at(square) == Some(king)) else {
            return false;
        };
        let mut attacked = false;
        for from in squares() {
            if let Some(man) = self.at(from).filter(|man| man.black != black) {
                self.reach(from, man, |to| attacked |= to == square);
            }
        }
        attacked
    }

    /// The squares of the pieces of a side that attack a square, by file and rank.
    pub(crate) fn attackers(&self, black: bool, square: (i8, i8)) -> Vec<(i8, i8)> {
        let attacks = |from: &(i8, i8)| {
            let mut attacks = false;
            if let Some(man) = self.at(*from).filter(|man| man.black == black) {
                self.reach(*from, man, |to| attacks |= to == square);
            }
            attacks
        };
        squares().filter(attacks).collect()
    }

    pub(crate) fn in_check(&self) -> bool {
        self.king_attacked(self.black_to_move)
    }

    pub(crate) fn make(&mut self, mv: RefMove) {
        let side = usize::from(!self.black_to_move);
        let slot = |letter| HAND.iter().position(|&l| l == letter);
        let man = match (mv.from, mv.drop) {
            (Some(from), _) => {
                let mut man = self.board[from.1 as usize][from.0 as usize].take().unwrap();
                man.promoted |= mv.promote;
                if let Some(captured) = self.at(mv.to) {
                    self.hands[side][slot(captured.letter).unwrap()] += 1;
                }
                man
            }
            (None, letter) => {
                let letter = letter.unwrap();
                self.hands[side][slot(letter).unwrap()] -= 1;
                Man { letter, promoted: false, black: self.black_to_move }
            }
        };
        self.board[mv.to.1 as usize][mv.to.0 as usize] = Some(man);
        self.black_to_move = !self.black_to_move;
    }

    /// The position after a move.
    pub(crate) fn after(&self, mv: RefMove) -> Self {
        let mut after = self.clone();
        after.make(mv);
        after
    }

    /// All legal moves in order, each with whether it gives check.
    pub(crate) fn legal_moves(&self) -> Vec<(RefMove, bool)> {
        let mut legal = Vec::new();
        for mv in self.candidates() {
            let after = self.after(mv);
            if after.king_attacked(self.black_to_move) {
                continue;
            }
            let check = after.in_check();
            if mv.drop == Some('P') && self.before_king(mv.to) && !after.can_move() {
                continue;
            }
            legal.push((mv, check));
        }
        legal.sort_unstable();
        legal
    }

    /// Whether a pawn of the side to move on this square would give check.
    fn before_king(&self, (file, rank): (i8, i8)) -> bool {
        let ahead = if self.black_to_move { -1 } else { 1 };
        let king = Man { letter: 'K', promoted: false, black: !self.black_to_move };
        self.at((file, rank + ahead)) == Some(king)
    }

    /// Whether the side to move has a legal move. Pawn drops that mate need not be excluded here, since they are never
    /// the only answer to a pawn's check.
    fn can_move(&self) -> bool {
        self.candidates().into_iter().any(|mv| !self.after(mv).king_attacked(self.black_to_move))
    }

    /// The moves that are legal except for the safety of the player's king and pawn drop mate.
    fn candidates(&self) -> Vec<RefMove> {
        let black = self.black_to_move;
        let depth = |(_, rank): (i8, i8)| if black { rank } else { 10 - rank };
        let mut moves = Vec::new();
        for from in squares() {
            let Some(man) = self.at(from).filter(|man| man.black == black) else { continue };
            self.reach(from, man, |to| {
                if self.at(to).is_some_and(|other| other.black == black || other.letter == 'K') {
                    return;
                }
                let mv = |promote| RefMove { from: Some(from), drop: None, to, promote };
                let promotes = !man.promoted && !matches!(man.letter, 'G' | 'K');
                if promotes && (depth(from) <= 3 || depth(to) <= 3) {
                    moves.push(mv(true));
                }
                if man.promoted || depth(to) > dead(man.letter) {
                    moves.push(mv(false));
                }
            });
        }
        for (kind, letter) in HAND.into_iter().enumerate() {
            if self.hands[usize::from(!black)][kind] == 0 {
                continue;
            }
            for to in squares() {
                let pawn = Man { letter: 'P', promoted: false, black };
                let two_pawns =
                    letter == 'P' && (1..=9).any(|rank| self.at((to.0, rank)) == Some(pawn));
                if self.at(to).is_none() && depth(to) > dead(letter) && !two_pawns {
                    moves.push(RefMove { from: None, drop: Some(letter), to, promote: false });
                }
            }
        }
        moves
    }
}

fn dead(letter: char) -> i8 {
    match letter {
        'P' | 'L' => 1,
        'N' => 2,
        _ => 0,
    }
}

fn on_board((file, rank): (i8, i8)) -> bool {
    (1..=9).contains(&file) && (1..=9).contains(&rank)
}

fn squares() -> impl Iterator<Item = (i8, i8)> {
    (1..=9).flat_map(|file| (1..=9).map(move |rank| (file, rank)))
}

type Way = &'static [(i8, i8)];

/// The steps and slides of a piece; forward is the direction of increasing ranks.
fn ways(man: Man) -> (Way, Way) {
    const GOLD: Way = &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
    const SILVER: Way = &[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];
    const STRAIGHT: Way = &[(0, 1), (0, -1), (1, 0), (-1, 0)];
    const OBLIQUE: Way = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
    const ALL: Way = &[(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    match (man.letter, man.promoted) {
        ('P', false) => (&[(0, 1)], &[]),
        ('L', false) => (&[], &[(0, 1)]),
        ('N', false) => (&[(-1, 2), (1, 2)], &[]),
        ('S', false) => (SILVER, &[]),
        ('B', false) => (&[], OBLIQUE),
        ('R', false) => (&[], STRAIGHT),
        ('B', true) => (STRAIGHT, OBLIQUE),
        ('R', true) => (OBLIQUE, STRAIGHT),
        ('K', _) => (ALL, &[]),
        _ => (GOLD, &[]),
    }
}
