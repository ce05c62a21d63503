//! The table of all parameters. A row has the field, the USI name, the values it takes, and its value in each preset.
//! `study` marks what only the search for study has (`search/kind.rs`): in the search for play it is 0.

use super::kind::{ParameterError, ParameterKind};
use super::preset::Preset;

/// One parameter: a row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its USI name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// What it does, with its unit and source.
    pub doc: &'static str,
    pub(in crate::search) read: fn(&Parameters) -> i32,
    pub(in crate::search) write: fn(&mut Parameters, i32),
}

impl Parameter {
    /// Its value as USI writes it.
    pub fn value(&self, parameters: &Parameters) -> String {
        self.kind.text((self.read)(parameters))
    }

    /// The `option` line with the value as default.
    pub fn usi_line(&self, parameters: &Parameters) -> String {
        format!("option name {} {}", self.name, self.kind.usi_type(&self.value(parameters)))
    }

    pub(super) fn parse(&self, value: &str) -> Result<i32, ParameterError> {
        self.kind.parse(value).ok_or_else(|| ParameterError::Value {
            name: self.name,
            found: value.chars().filter(|c| !c.is_control()).take(40).collect(),
            expected: self.kind.expected(),
        })
    }
}

/// A condition on a parameter that only the search for study has.
macro_rules! only_for {
    (study, $condition:expr) => {
        $condition
    };
}

macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $field:ident: $name:literal, $kind:expr,
        [$tournament:expr, $paper:expr, $full:expr, $lmr:expr] $(, $study:ident)?;)*) => {
        /// The switches and numbers of the search; see [`TABLE`] for names and ranges.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Parameters {
            $($(#[doc = $doc])+ pub $field: i32,)*
        }

        impl Parameters {
            /// The parameters of a preset.
            pub const fn preset(preset: Preset) -> Self {
                match preset {
                    Preset::Tournament => Self { $($field: $tournament,)* },
                    Preset::Paper => Self { $($field: $paper,)* },
                    Preset::Full => Self { $($field: $full,)* },
                    Preset::Lmr => Self { $($field: $lmr,)* },
                }
            }
        }

        impl Parameters {
            /// Whether all parameters that only the search for study has are 0: then the search for play does all that
            /// the others say.
            pub(in crate::search) const fn are_usual(&self) -> bool {
                true $($(&& only_for!($study, self.$field == 0))?)*
            }
        }

        /// All parameters, in the order in which they are shown.
        pub static TABLE: &[Parameter] = &[
            $(Parameter {
                name: $name,
                kind: $kind,
                doc: concat!($($doc),+),
                read: |parameters| parameters.$field,
                write: |parameters, value| parameters.$field = value,
            },)*
        ];
    };
}

const CHECK: ParameterKind = ParameterKind::Check;
pub(super) const PERCENT: ParameterKind = ParameterKind::Spin(0, 1000);

const fn spin(least: i32, most: i32) -> ParameterKind {
    ParameterKind::Spin(least, most)
}

parameters! {
    /// How a move's cost comes about: from its share of the node's interest (1.1), as the letter of the paper has
    /// it, or 100 for every move.
    cost: "Interest_Cost", ParameterKind::Combo(&["interest", "letter", "plain"]), [0, 1, 2, 2], study;
    /// Reciprocal to the share of interest, or falling with its logarithm (1.1).
    cost_shape: "Interest_CostShape", ParameterKind::Combo(&["reciprocal", "log"]), [0, 0, 0, 0];
    /// The cost of a move with a thousandth of the node's interest, in units: K of 1.1.
    cost_k: "Interest_CostK", spin(1000, 30_000), [6800, 9000, 9000, 9000];
    /// The least a move costs, in units (1.1).
    cost_min: "Interest_CostMin", spin(10, 200), [67, 50, 50, 50];
    /// The most a move costs before the depth scale, in units (1.1).
    cost_max: "Interest_CostMax", spin(100, 2000), [333, 350, 350, 350];
    /// What of a move's cost the other side is charged too, in percent: kappa of 1.1.
    cross_charge: "Interest_CrossCharge", spin(0, 100), [77, 0, 100, 100];
    /// What of the cost of the moves already searched makes the next one dearer to afford, in thousandths: psi of 1.1.
    ply_weight: "Interest_PlyWeight", spin(0, 1000), [29, 1000, 0, 0];
    /// What of that the move itself is charged, in percent: phi of 1.1.
    ply_inherit: "Interest_PlyInherit", spin(0, 100), [0, 100, 0, 0];
    /// A node ends at the first move that its budget does not afford (1.2).
    cut: "Interest_Cut", CHECK, [1, 1, 0, 0];
    /// Number of first moves that are searched whatever they cost, in check and on the principal variation (1.2).
    protected: "Interest_Protected", spin(0, 600), [8, 0, 0, 0];
    /// A move that raised the value is searched again at no more than this cost, in units; 0: never (1.8).
    research: "Interest_Research", spin(0, 400), [132, 0, 100, 100];
    /// The side in check is searched until its budget is below this, in units (1.6).
    check_floor: "Interest_CheckFloor", spin(-2000, 1000), [-600, 1, 50, 50];
    /// A side without budget stands still, or answers a capture or a threat by up to three moves (1.6).
    first_over_limit: "Interest_FirstOverLimit", ParameterKind::Combo(&["leaf", "reply"]), [0, 0, 0, 0], study;
    /// The only evasion costs half of the least (1.6).
    single_evasion: "Interest_SingleEvasion", CHECK, [1, 0, 0, 0];
    /// All moves of the root are searched, at no more than half the limit (1.6).
    root_full: "Interest_RootFull", CHECK, [1, 0, 1, 1];
    /// Limit of the first iteration, in units (1.7).
    first_limit: "Interest_FirstLimit", spin(50, 2000), [200, 200, 100, 100];
    /// What each iteration adds to the limit, in units; 0: by the nodes of the last ones (1.7).
    limit_step: "Interest_LimitStep", spin(0, 1000), [0, 100, 100, 100];
    /// Moves dearer than a nominal ply cost more the more budget is left (1.12).
    depth_scale: "Interest_DepthScale", CHECK, [1, 0, 0, 0];
    /// How much dearer moves beyond the nominal length are, in percent: term 15 (1.3).
    beyond: "Interest_Beyond", PERCENT, [23, 100, 0, 0];
    /// How much dearer a check that loses by exchange is after two of them on the way, in percent (1.14).
    bad_checks: "Interest_BadChecks", spin(0, 400), [0, 0, 0, 0], study;
    /// Moves like those already searched lose interest (1.4).
    similar: "Interest_Similar", CHECK, [1, 1, 0, 0];
    /// After a fall of the score by 80 centipawns dull moves within two plies of the root cost a fifth less at most,
    /// and the moves before them make them only half as dear to afford (1.13).
    panic_width: "Interest_PanicWidth", CHECK, [1, 0, 0, 0];
    /// Unpromoted moves that promoting always beats wait in the reserve (1.10).
    needless_reserve: "Interest_NeedlessReserve", CHECK, [1, 0, 1, 1];
    /// Where the budget affords only moves with this number of points of interest beyond the even share, moves that do not stand
    /// out are left out of the list and count with what such moves have usually; 0: never (1.5 g). A node that is explained lists all of its moves.
    staged: "Interest_Staged", spin(0, 1000), [60, 0, 0, 0];

    /// The figures that the percentages below are of: those of a fit to games, or those of the paper (1.3).
    figures: "Interest_Figures", ParameterKind::Combo(&["fitted", "paper"]), [0, 1, 0, 0];
    /// The rows that are not in the paper: king zone, guards, development, drops, history
    /// (1.3).
    extra_terms: "Interest_ExtraTerms", CHECK, [1, 0, 1, 1];
    /// Term 1, shared by all legal moves, in percent of its figure.
    even: "Interest_Even", PERCENT, [114, 100, 100, 100];
    /// Term 2, evasions, in percent of its figure.
    in_check: "Interest_InCheck", PERCENT, [100, 100, 100, 100];
    /// Term 3, the move of the transposition table, in percent of its figure.
    hash: "Interest_Hash", PERCENT, [107, 100, 100, 100];
    /// Term 4, the best move of the last iteration at the root, in percent of its figure.
    root_best: "Interest_RootBest", PERCENT, [100, 100, 100, 100];
    /// Term 5, killers, in percent of their figures.
    killer: "Interest_Killer", PERCENT, [100, 100, 100, 100];
    /// Term 6, the counter move of the last move, in percent of its figure.
    reply: "Interest_Reply", PERCENT, [100, 100, 100, 100];
    /// Term 7, the continuation of the own move before, in percent of its figure.
    follow_on: "Interest_FollowOn", PERCENT, [100, 100, 100, 100];
    /// Term 8, a pawn attacks a piece, in percent of its figures.
    pawn_attacks: "Interest_PawnAttacks", PERCENT, [100, 100, 100, 100];
    /// Term 9, captures, in percent of their figures.
    capture: "Interest_Capture", PERCENT, [108, 100, 100, 100];
    /// Term 9, captures of the piece that just moved, in percent of its figure.
    recapture: "Interest_Recapture", PERCENT, [100, 100, 100, 100];
    /// Term 10, checks, in percent of their figures.
    check: "Interest_Check", PERCENT, [100, 100, 100, 100];
    /// Term 10, checks after a check, in percent of their figure.
    further_check: "Interest_FurtherCheck", PERCENT, [100, 100, 100, 100];
    /// Term 11, a piece attacks others, in percent of its figures.
    attacks: "Interest_Attacks", PERCENT, [100, 100, 100, 100];
    /// Term 11, forks, in percent of their figure.
    fork: "Interest_Fork", PERCENT, [100, 100, 100, 100];
    /// Term 12, the mover is under attack, in percent of its figures.
    hangs: "Interest_Hangs", PERCENT, [100, 100, 100, 100];
    /// Term 13, taking the piece that gives check, in percent of its figure.
    capture_checker: "Interest_CaptureChecker", PERCENT, [100, 100, 100, 100];
    /// Term 14, promotions, in percent of their figures.
    promotion: "Interest_Promotion", PERCENT, [100, 100, 100, 100];
    /// Term 16, the piece behind a pin or the one that a tied defender guards moves, in percent of its figures.
    target: "Interest_Target", PERCENT, [0, 100, 0, 0];
    /// Term 17, the best move that takes nothing, in percent of its figure.
    best_quiet: "Interest_BestQuiet", PERCENT, [100, 100, 100, 100];
    /// Attacks a square next to the other king, in percent of its figures (1.3).
    king_zone: "Interest_KingZone", PERCENT, [93, 100, 100, 100];
    /// Guards a piece that hangs, in percent of its figures (1.3).
    guards: "Interest_Guards", PERCENT, [100, 100, 100, 100];
    /// Comes to a better square, in percent of its figures (1.3).
    development: "Interest_Development", PERCENT, [100, 100, 100, 100];
    /// Drops, in percent of their figures (1.3).
    drops: "Interest_Drops", PERCENT, [100, 100, 100, 100];
    /// What a move's history adds or takes away, in percent (1.3).
    history: "Interest_History", PERCENT, [41, 100, 100, 100];
    /// What is left of the interest of quiet moves that lose by exchange, in percent (1.3).
    bad_quiet: "Interest_BadQuiet", spin(0, 100), [51, 100, 40, 40];

    /// Quiet moves tried before one that cuts lose history (1.11).
    history_malus: "Search_HistoryMalus", CHECK, [1, 0, 1, 1];
    /// What a game without a winner is worth to the side that searches, in centipawns (1.15).
    draw_value: "Search_DrawValue", spin(-10_000, 10_000), [0, 0, 0, 0];
    /// Mate in one is looked for before the moves are listed (1.10).
    mate_in_one: "Search_MateInOne", CHECK, [1, 0, 1, 1];
    /// The most positions that the mate search at the root looks at, for both sides together; it gets a twentieth of the
    /// first thread's nodes until then, 50,000 at a time at most; 0: none (1.10).
    mate_nodes: "Mate_Nodes", spin(0, 1_000_000_000), [1_000_000, 0, 1_000_000, 1_000_000];
    /// Static null move: far above the window with little left to search the evaluation is returned (1.12).
    static_null: "Search_StaticNull", CHECK, [1, 0, 0, 1];
    /// The margin for it per nominal ply, in centipawns.
    static_null_margin: "Search_StaticNullMargin", spin(10, 1000), [120, 120, 120, 120];
    /// Null move: a node whose side to move may even pass is pruned (1.12).
    null_move: "Search_NullMove", CHECK, [0, 0, 0, 1], study;
    /// Where two own pieces hang, half of what the second one loses is taken off the evaluation (1.10).
    static_threats: "Search_StaticThreats", CHECK, [0, 0, 0, 0], study;
    /// A table move that is better than all others by far costs half of the least (1.12).
    singular: "Search_Singular", CHECK, [0, 0, 0, 0], study;
    /// What of the errors that the search found in the evaluation of like positions is added to it, in percent: correction
    /// history (1.12).
    correction: "Search_Correction", spin(0, 400), [0, 0, 0, 0], study;
    /// Late moves are searched less deeply first (6.1, `lmr`).
    late_reduction: "Search_LateReduction", CHECK, [0, 0, 0, 1], study;
    /// Late quiet moves wait in the reserve (6.1, `lmr`).
    late_pruning: "Search_LatePruning", CHECK, [0, 0, 0, 1], study;
    /// Quiet moves that cannot reach the window wait in the reserve (6.1, `lmr`).
    futility: "Search_Futility", CHECK, [0, 0, 0, 1], study;
    /// What a checking move costs where every move costs 100, in units (6.1).
    check_cost: "Search_CheckCost", spin(10, 100), [50, 50, 50, 50];
    /// What a capture costs where every move costs 100, in units (6.2).
    capture_cost: "Search_CaptureCost", spin(10, 100), [100, 100, 100, 100];
    /// Quiescence leaves out captures that, with this on top of what they take, do not reach the window, in
    /// centipawns (1.10).
    quiescence_delta: "Search_QuiescenceDelta", spin(0, 70_000), [150, 150, 150, 150];

    /// Moves searched in vain before one that cuts lose interest: negative plausibility, in relation to the mean
    /// penalty, or as the letter of the paper has it (2).
    penalties: "Penalty_Mode", ParameterKind::Combo(&["off", "on", "letter"]), [0, 0, 0, 0], study;
    /// How much a mean penalty takes away, in percent: lambda of 2.
    penalty_lambda: "Penalty_Lambda", spin(0, 200), [10, 10, 10, 10];
    /// The most points a move gets at one cut (2).
    penalty_cap: "Penalty_Cap", spin(1, 600), [31, 31, 31, 31];
    /// What has points: every move, or every kind of piece on every square it goes to (2).
    penalty_index: "Penalty_Index", ParameterKind::Combo(&["move", "piece_to"]), [0, 0, 0, 0];
    /// Points halve at each iteration, or whenever the thread's nodes have doubled (2).
    penalty_aging: "Penalty_Aging", ParameterKind::Combo(&["iteration", "doubling"]), [0, 0, 0, 0];
    /// A cut counts the same at every depth, or by the depth of its node (2).
    penalty_weight: "Penalty_Weight", ParameterKind::Combo(&["one", "depth"]), [0, 0, 0, 0];
    /// Every fourth iteration leaves the penalties out (1.13).
    penalty_pause: "Penalty_Pause", CHECK, [1, 1, 1, 1];

    /// Which moves of a node are listed: all, those that a generator of plausible moves makes, of these the ones
    /// whose merit is not negative, or this number of the highest merit; the others wait in the reserve (3.4).
    plausible: "Plausible_Mode", ParameterKind::Combo(&["off", "all", "mma", "best_n"]), [0, 0, 0, 0], study;
    /// How many moves `best_n` keeps (3.4).
    plausible_best: "Plausible_BestN", spin(1, 600), [20, 20, 20, 20];
    /// Plausible moves are chosen only up to this depth in nominal plies (3.4).
    plausible_most_depth: "Plausible_MostDepth", spin(0, 200), [200, 200, 200, 200];
    /// Plausible moves are chosen only up to this budget of the side to move, in units (3.4).
    plausible_most_budget: "Plausible_MostBudget", spin(0, 30_000), [30_000, 30_000, 30_000, 30_000];
    /// Moves that must not be dropped stay: the hash move, killers, counter move and continuation, all on the principal variation
    /// from depth 4 on, the four best. At the root and in check all stay in any case (3.4).
    plausible_never_drop: "Plausible_NeverDrop", CHECK, [1, 1, 1, 1];
    /// A threat to win this, a swing in centipawns, switches positional generators off; 0: never (3.1, dominance).
    plausible_threat: "Plausible_StrongThreat", spin(0, 5000), [800, 800, 800, 800];
    /// A capture or promotion has more merit than any merely positional move (3.3).
    plausible_hierarchy: "Plausible_MeritHierarchy", CHECK, [0, 0, 0, 0];
    /// Interest is halved below merit 0, quartered below -100 (3.4).
    plausible_factor: "Plausible_MeritFactor", CHECK, [0, 0, 0, 0], study;
    /// Interest comes from the terms, or is one point doubled for every 70 points of merit (3.5).
    plausible_source: "Plausible_Source", ParameterKind::Combo(&["terms", "merit"]), [0, 0, 0, 0], study;
    /// What of the interest by merit is added to that by the terms, in percent (3.5).
    plausible_weight: "Plausible_Weight", spin(0, 10_000), [0, 0, 0, 0], study;
    /// After the budget has ended the list of a node on the principal variation, its captures, promotions and threats of
    /// no negative merit are still searched (1.2).
    plausible_protect: "Plausible_Protect", CHECK, [0, 0, 0, 0], study;
    /// A quiet move whose point takes a further own move to show waits in the reserve if the budget leaves none (3.4).
    plausible_gate: "Plausible_DepthGate", CHECK, [0, 0, 0, 0], study;
    /// What the evaluation counts: all of its terms, or the plain values of the pieces alone, to compare.
    eval_terms: "Eval_Terms", ParameterKind::Combo(&["all", "material"]), [0, 0, 0, 0], study;

    /// A loss is brought nearer to zero by this number of centipawns at each node of the side that suffers it: it resists,
    /// and the winner hurries (4).
    delayed_loss: "Score_DelayedLoss", spin(0, 100), [0, 0, 0, 0], study;
    /// A badly standing node loses up to this number of centipawns, 1 for every 32 of its evaluation: nu of 4; 0: none.
    bad_neighbourhood: "Score_BadNeighbourhood", spin(0, 200), [0, 0, 0, 0], study;
    /// An evaluation this number of centipawns below zero costs nothing yet: theta of 4.
    bad_neighbourhood_from: "Score_BadNeighbourhoodFrom", spin(-2000, 2000), [100, 100, 100, 100];
    /// Which evaluation that is: the static one, or what quiescence makes of it (4).
    bad_neighbourhood_source: "Score_BadNeighbourhoodSource", ParameterKind::Combo(&["eval", "quiescence"]), [0, 0, 0, 0];
    /// What each move nearly as good as the best one adds to a node, in centipawns: w of 4; 0: nothing.
    alternatives: "Score_Alternatives", spin(0, 50), [0, 0, 0, 0], study;
    /// How much worse such a move may be, in centipawns: m of 4.
    alternatives_margin: "Score_AlternativesMargin", spin(0, 500), [20, 20, 20, 20];
    /// So many such moves count: the largest k of 4.
    alternatives_most: "Score_AlternativesMost", spin(1, 8), [3, 3, 3, 3];
    /// What a node with a single good move loses, in centipawns: pi of 4; 0: nothing.
    single_good: "Score_SingleGood", spin(0, 200), [0, 0, 0, 0], study;
    /// How much worse a second good move may be, in centipawns; at least the penalty less one: the margin of 4.
    single_good_margin: "Score_SingleGoodMargin", spin(0, 500), [20, 20, 20, 20];
    /// Each move in each position has a bonus of its own below this, in centipawns: R of 4; 0: none.
    random_bonus: "Score_RandomBonus", spin(0, 1000), [0, 0, 0, 0], study;
    /// Of moves with equal scores on the principal variation the first is played, or the one of larger hash (4).
    tie_break: "Score_TieBreak", ParameterKind::Combo(&["order", "hash"]), [0, 0, 0, 0], study;
    /// Each position has a number below this added to its evaluation, in centipawns: E of 4; 0: none.
    eval_noise: "Score_EvalNoise", spin(0, 1000), [0, 0, 0, 0], study;
}
