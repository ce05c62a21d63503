//! The table of all parameters. A row has the field, the USI name, the valid values, and the value in each preset.
//! `experimental` marks parameters of the experimental search (`search/kind.rs`). In the search for play they are 0.

use super::kind::{ParameterError, ParameterKind, Preset};

/// One parameter: a row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its USI name.
    pub name: &'static str,
    /// Its values.
    pub kind: ParameterKind,
    /// Its description, with unit and section of docs/search.md.
    pub doc: &'static str,
    pub(in crate::search) read: fn(&Parameters) -> i32,
    pub(in crate::search) write: fn(&mut Parameters, i32),
}

impl Parameter {
    /// Its value as USI text.
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

/// A condition on a parameter that only the experimental search has.
macro_rules! only_for {
    (experimental, $condition:expr) => {
        $condition
    };
}

macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $field:ident: $name:literal, $kind:expr,
        [$tournament:expr, $interest:expr, $paper:expr, $full:expr, $lmr:expr] $(, $experimental:ident)?;)*) => {
        /// The parameters of the search; see [`TABLE`] for names and ranges.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Parameters {
            $($(#[doc = $doc])+ pub $field: i32,)*
        }

        impl Parameters {
            /// The parameters of a preset.
            pub const fn preset(preset: Preset) -> Self {
                match preset {
                    Preset::Tournament => Self { $($field: $tournament,)* },
                    Preset::Interest => Self { $($field: $interest,)* },
                    Preset::Paper => Self { $($field: $paper,)* },
                    Preset::Full => Self { $($field: $full,)* },
                    Preset::Lmr => Self { $($field: $lmr,)* },
                }
            }
        }

        impl Parameters {
            /// Whether all parameters that only the experimental search has are 0, so that the search for play can be
            /// used.
            pub(in crate::search) const fn suit_play_search(&self) -> bool {
                true $($(&& only_for!($experimental, self.$field == 0))?)*
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
    /// What a node is searched with: a budget of each side, spent by the costs of moves, or one depth in plies (6.1).
    tree: "Search_Tree", ParameterKind::Combo(&["budgets", "plies"]), [1, 0, 0, 0, 1];
    /// How the cost of a move is computed: from its share of the node's interest (1.1), exactly as in the paper, or
    /// 100 for every move.
    cost: "Interest_Cost", ParameterKind::Combo(&["interest", "paper", "plain"]), [2, 0, 1, 2, 2], experimental;
    /// The cost of a move with a thousandth of the node's interest, in units: K of 1.1.
    cost_k: "Interest_CostK", spin(1000, 30_000), [9000, 3969, 9000, 9000, 9000];
    /// The least cost of a move, in units (1.1).
    cost_min: "Interest_CostMin", spin(10, 200), [50, 63, 50, 50, 50];
    /// The largest cost of a move before the depth scale, in units (1.1).
    cost_max: "Interest_CostMax", spin(100, 2000), [350, 235, 350, 350, 350];
    /// The part of a move's charge that the other side also pays, in percent: kappa of 1.1.
    cross_charge: "Interest_CrossCharge", spin(0, 100), [100, 79, 0, 100, 100];
    /// The part of the cost of the moves already searched that is added when the next one is tested against the budget,
    /// in thousandths: psi of 1.1.
    ply_weight: "Interest_PlyWeight", spin(0, 1000), [0, 34, 1000, 0, 0];
    /// The part of that addition that the move is charged, in percent: phi of 1.1.
    ply_inherit: "Interest_PlyInherit", spin(0, 100), [0, 0, 100, 0, 0];
    /// A node ends at the first move that is not affordable (1.2).
    cut: "Interest_Cut", CHECK, [0, 1, 1, 0, 0];
    /// Number of moves that are searched regardless of their cost, in check and on the principal variation (1.2).
    protected: "Interest_Protected", spin(0, 600), [0, 8, 0, 0, 0];
    /// A move that raised the value is searched again at a charge of at most this, in units; 0: never (1.8).
    research: "Interest_Research", spin(0, 400), [100, 139, 0, 100, 100];
    /// A node in check becomes a leaf when the budget of its side to move is below this, in units (1.6).
    check_floor: "Interest_CheckFloor", spin(-2000, 1000), [50, -600, 1, 50, 50];
    /// The only evasion costs half of the least cost (1.6).
    single_evasion: "Interest_SingleEvasion", CHECK, [0, 1, 0, 0, 0];
    /// All moves of the root are searched, at a charge of at most half the limit. Otherwise the root is searched like
    /// any other node (1.6).
    root_full: "Interest_RootFull", CHECK, [1, 1, 0, 1, 1];
    /// Limit of the first iteration, in units (1.7).
    first_limit: "Interest_FirstLimit", spin(50, 2000), [100, 200, 200, 100, 100];
    /// The step of the limit from one iteration to the next, in units; 0: by the growth of the nodes (1.7).
    limit_step: "Interest_LimitStep", spin(0, 1000), [100, 0, 100, 100, 100];
    /// The part of a cost above a nominal ply grows with the budget that is left (1.12).
    depth_scale: "Interest_DepthScale", CHECK, [0, 1, 0, 0, 0];
    /// Term 15, the additional cost of moves beyond the nominal depth, in percent (1.3).
    beyond: "Interest_Beyond", PERCENT, [0, 10, 100, 0, 0];
    /// Moves similar to those already searched lose interest (1.4).
    similar: "Interest_Similar", CHECK, [0, 1, 1, 0, 0];
    /// After a fall of the score by 80 centipawns, within two plies of the root: the largest cost is a fifth less, and
    /// the addition for the moves already searched is halved (1.13).
    panic_width: "Interest_PanicWidth", CHECK, [0, 1, 0, 0, 0];
    /// Needless non-promotions, unpromoted where promotion is always better, are put into the reserve (1.10).
    needless_reserve: "Interest_NeedlessReserve", CHECK, [1, 1, 0, 1, 1];
    /// If only moves with this number of points of interest beyond the even share are affordable, moves that do not
    /// stand out are left out of the list and count with their mean interest; 0: never (1.5 g). A node that is
    /// explained lists all of its moves.
    staged: "Interest_Staged", spin(0, 1000), [0, 60, 0, 0, 0];

    /// The weights that the percentages below multiply: those of a fit to games, or those of the paper (1.3).
    figures: "Interest_Figures", ParameterKind::Combo(&["fitted", "paper"]), [0, 0, 1, 0, 0];
    /// The terms that are not in the paper: king zone, guards, development, drops, history (1.3).
    extra_terms: "Interest_ExtraTerms", CHECK, [1, 1, 0, 1, 1];
    /// Term 1, shared by all legal moves, in percent of its weight.
    even: "Interest_Even", PERCENT, [100, 100, 100, 100, 100];
    /// Term 2, evasions, in percent of its weight.
    in_check: "Interest_InCheck", PERCENT, [100, 100, 100, 100, 100];
    /// Term 3, the move of the transposition table, in percent of its weight.
    hash: "Interest_Hash", PERCENT, [75, 75, 100, 100, 100];
    /// Term 4, the best move of the last iteration at the root, in percent of its weight.
    root_best: "Interest_RootBest", PERCENT, [100, 100, 100, 100, 100];
    /// Term 5, killers, in percent of their weights.
    killer: "Interest_Killer", PERCENT, [90, 90, 100, 100, 100];
    /// Term 6, the counter move of the last move, in percent of its weight.
    reply: "Interest_Reply", PERCENT, [97, 97, 100, 100, 100];
    /// The counter move of term 6 is the one that has cut most often after the last move, not the one that cut last
    /// (1.11).
    reply_votes: "Interest_ReplyVotes", CHECK, [0, 0, 1, 0, 0];
    /// Term 7, the continuation of the own move before, in percent of its weight.
    follow_on: "Interest_FollowOn", PERCENT, [89, 89, 100, 100, 100];
    /// Term 8, a pawn attacks a piece, in percent of its weights.
    pawn_attacks: "Interest_PawnAttacks", PERCENT, [100, 100, 100, 100, 100];
    /// Term 9, captures, in percent of their weights.
    capture: "Interest_Capture", PERCENT, [116, 116, 100, 100, 100];
    /// Term 9, captures of the piece that just moved, in percent of its weight.
    recapture: "Interest_Recapture", PERCENT, [159, 159, 100, 100, 100];
    /// Term 10, checks, in percent of their weights.
    check: "Interest_Check", PERCENT, [80, 80, 100, 100, 100];
    /// Term 10, checks after a check, in percent of their weight.
    further_check: "Interest_FurtherCheck", PERCENT, [100, 100, 100, 100, 100];
    /// Term 11, a piece attacks others, in percent of its weights.
    attacks: "Interest_Attacks", PERCENT, [120, 120, 100, 100, 100];
    /// Term 11, forks, in percent of their weight.
    fork: "Interest_Fork", PERCENT, [100, 100, 100, 100, 100];
    /// Term 12, the moved piece is under attack, in percent of its weights.
    hangs: "Interest_Hangs", PERCENT, [57, 57, 100, 100, 100];
    /// Term 13, taking the piece that gives check, in percent of its weight.
    capture_checker: "Interest_CaptureChecker", PERCENT, [100, 100, 100, 100, 100];
    /// Term 14, promotions, in percent of their weights.
    promotion: "Interest_Promotion", PERCENT, [72, 72, 100, 100, 100];
    /// Term 16, moves of a piece behind a pin or of an attacked piece with a single defender, in percent of its
    /// weights.
    target: "Interest_Target", PERCENT, [0, 0, 100, 0, 0];
    /// Term 17, the best quiet move, in percent of its weight.
    best_quiet: "Interest_BestQuiet", PERCENT, [76, 76, 100, 100, 100];
    /// Moves that attack a square next to the other king, in percent of the weights (1.3).
    king_zone: "Interest_KingZone", PERCENT, [96, 96, 100, 100, 100];
    /// Moves that guard a hanging piece, in percent of the weights (1.3).
    guards: "Interest_Guards", PERCENT, [100, 100, 100, 100, 100];
    /// Moves to a square that is better by the evaluation, in percent of the weights (1.3).
    development: "Interest_Development", PERCENT, [79, 79, 100, 100, 100];
    /// Drops, in percent of their weights (1.3).
    drops: "Interest_Drops", PERCENT, [77, 77, 100, 100, 100];
    /// The effect of a move's history on its interest, in percent (1.3).
    history: "Interest_History", PERCENT, [51, 51, 100, 100, 100];
    /// The effect of learned move probabilities on the even share of a move, in percent of their logarithms; 0: none
    /// (1.16).
    learned: "Interest_Learned", PERCENT, [97, 97, 0, 0, 0];
    /// The part of their interest that quiet moves keep which lose by exchange, in percent (1.3).
    bad_quiet: "Interest_BadQuiet", spin(0, 100), [40, 40, 100, 40, 40];

    /// Quiet moves searched before a move that cuts lose history (1.11).
    history_malus: "Search_HistoryMalus", CHECK, [1, 1, 0, 1, 1];
    /// The reduction of a move by depth and place in the order, in hundredths of a ply for a factor of two in both
    /// (6.1).
    plies_reduction: "Plies_Reduction", spin(0, 100), [22, 22, 22, 22, 22];
    /// The reduction that all moves share, in hundredths of a ply (6.1).
    plies_reduction_base: "Plies_ReductionBase", spin(-300, 500), [110, 110, 110, 110, 110];
    /// The reduction of moves that are not left out by it, in hundredths of a ply (6.1).
    plies_reduction_rest: "Plies_ReductionRest", spin(-300, 500), [60, 60, 60, 60, 60];
    /// The reduction of moves of a node that is expected to reach beta, in hundredths of a ply (6.1).
    plies_cut_reduction: "Plies_CutReduction", spin(0, 600), [260, 260, 260, 260, 260];
    /// The history that takes a hundredth of a ply from the reduction (6.1).
    plies_history_reduction: "Plies_HistoryReduction", spin(10, 10_000), [105, 105, 105, 105, 105];
    /// The share of the usual number of moves after which quiet moves are left out, in percent (6.1).
    plies_late: "Plies_Late", PERCENT, [100, 100, 100, 100, 100];
    /// What a ply adds to the evaluation that a quiet move may reach, in centipawns (6.1).
    plies_futility: "Plies_Futility", spin(0, 1000), [110, 110, 110, 110, 110];
    /// What a quiet move may lose by exchange for each square of its plies, in capture values (6.1).
    plies_quiet_exchange: "Plies_QuietExchange", spin(0, 1000), [50, 50, 50, 50, 50];
    /// What a capture or check may lose by exchange for each ply, in capture values (6.1).
    plies_capture_exchange: "Plies_CaptureExchange", spin(0, 2000), [330, 330, 330, 330, 330];
    /// The bad history for each ply with which a quiet move is left out (6.1).
    plies_history_pruning: "Plies_HistoryPruning", spin(0, 30_000), [4200, 4200, 4200, 4200, 4200];
    /// A node whose evaluation is this far below alpha, and more with its depth, is left to quiescence, in centipawns
    /// (6.1).
    plies_razoring: "Plies_Razoring", spin(0, 5000), [300, 300, 300, 300, 300];
    /// The margin of the static null move for each ply, in centipawns (6.1).
    plies_static_margin: "Plies_StaticMargin", spin(20, 1000), [90, 90, 90, 90, 90];
    /// What a null move takes from the depth besides a third, in plies (6.1).
    plies_null_base: "Plies_NullBase", spin(1, 20), [4, 4, 4, 4, 4];
    /// How far above beta a capture ends a node, in centipawns (6.1).
    plies_prob_cut: "Plies_ProbCut", spin(60, 5000), [220, 220, 220, 220, 220];
    /// The history below which a quiet evasion is left out of quiescence (6.1).
    plies_evasions: "Plies_Evasions", spin(-60_000, 60_000), [0, 0, 0, 0, 0];
    /// A singular move is extended by at most this, in plies (6.1).
    plies_extension: "Plies_Extension", spin(1, 3), [3, 3, 3, 3, 3];
    /// The least depth at which the move of the table is tested for being singular, in plies (6.1).
    plies_singular_depth: "Plies_SingularDepth", spin(3, 100), [5, 5, 5, 5, 5];
    /// The weight of the interest of a quiet move in the order of moves: what twice the mean interest counts, in the unit
    /// of histories (6.1).
    plies_prior: "Plies_Prior", spin(0, 30_000), [2000, 0, 0, 0, 0];
    /// What twice the mean interest takes from the reduction of a quiet move, in hundredths of a ply (6.1).
    plies_prior_reduction: "Plies_PriorReduction", spin(0, 1000), [100, 0, 0, 0, 0];
    /// The least depth of a node whose moves get interest, in plies (6.1).
    plies_prior_depth: "Plies_PriorDepth", spin(1, 100), [4, 4, 4, 4, 4];
    /// The value of a draw for the side that searches, in centipawns (1.15).
    draw_value: "Search_DrawValue", spin(-10_000, 10_000), [0, 0, 0, 0, 0];
    /// A mate in one is looked for before the moves are listed (1.10).
    mate_in_one: "Search_MateInOne", CHECK, [1, 1, 0, 1, 1];
    /// The largest number of positions of the mate search at the root, for both sides together; until then it gets a
    /// twentieth of the first thread's nodes, at most 50,000 at a time; 0: no mate search (1.10).
    mate_nodes: "Mate_Nodes", spin(0, 1_000_000_000), [1_000_000, 1_000_000, 0, 1_000_000, 1_000_000];
    /// The most that the budget of one side may lack for a score of the table to end a node, in units, if the other
    /// side has as much more than needed (1.9).
    table_tolerance: "Search_TableTolerance", spin(0, 4080), [64, 64, 64, 64, 64];
    /// Static null move: at small depth, a node whose evaluation is far above beta returns the evaluation (1.12).
    static_null: "Search_StaticNull", CHECK, [1, 1, 0, 0, 1];
    /// The margin of the static null move for each nominal ply, in centipawns (1.12).
    static_null_margin: "Search_StaticNullMargin", spin(10, 1000), [55, 55, 55, 55, 55];
    /// The largest depth at which the static null move applies, in nominal plies (1.12).
    static_null_depth: "Search_StaticNullDepth", spin(0, 20), [9, 9, 9, 9, 9];
    /// Null move: a node whose side to move reaches beta even by passing is pruned (1.12).
    null_move: "Search_NullMove", CHECK, [1, 1, 0, 0, 1];
    /// What a null move takes from both budgets, in units (1.12).
    null_move_base: "Search_NullMoveBase", spin(0, 1000), [200, 200, 200, 200, 200];
    /// What a null move takes in addition, in percent of the mean of both budgets (1.12).
    null_move_share: "Search_NullMoveShare", spin(0, 100), [25, 25, 25, 25, 25];
    /// A null move is not tried if the other side can then win at least this capture value, in centipawns (1.12).
    null_move_threat: "Search_NullMoveThreat", spin(1, 70_000), [300, 300, 300, 300, 300];
    /// A table move that is better than all others by far costs half of the least cost (1.12).
    singular: "Search_Singular", CHECK, [0, 0, 0, 0, 0], experimental;
    /// The cost of a check where every move costs 100, in units (6.1).
    check_cost: "Search_CheckCost", spin(10, 100), [50, 50, 50, 50, 50];
    /// The cost of a capture where every move costs 100, in units (6.2).
    capture_cost: "Search_CaptureCost", spin(10, 100), [100, 100, 100, 100, 100];
    /// Quiescence leaves out captures if evaluation, gain and this margin do not exceed alpha, in centipawns (1.10).
    quiescence_delta: "Search_QuiescenceDelta", spin(0, 70_000), [150, 150, 150, 150, 150];

    /// Negative plausibility in the history: what the mean of the points takes from the history of a quiet move; 0:
    /// none (2).
    penalty_malus: "Penalty_Malus", spin(0, 16_384), [347, 347, 0, 500, 500];
    /// The malus of history by depth stays beside the points of `Penalty_Malus`. Otherwise the points take its place
    /// (2).
    penalty_keep_malus: "Penalty_KeepMalus", CHECK, [1, 1, 0, 1, 1];
    /// Negative plausibility in the interest: moves searched without a cut before one that cuts lose interest, in
    /// relation to the mean of the points or exactly as in the paper (2).
    penalties: "Penalty_Mode", ParameterKind::Combo(&["off", "on", "paper"]), [0, 0, 0, 0, 0], experimental;
    /// The effect of the mean of the points, in percent: lambda of 2.
    penalty_lambda: "Penalty_Lambda", spin(0, 200), [10, 10, 10, 10, 10];
    /// The largest number of points of a move at one cut (2).
    penalty_cap: "Penalty_Cap", spin(1, 600), [31, 31, 31, 31, 31];
    /// Points are kept for each move, or for each kind of piece and target square (2).
    penalty_index: "Penalty_Index", ParameterKind::Combo(&["move", "piece_to"]), [0, 0, 0, 0, 0];
    /// Points are halved at each iteration, or when the thread's nodes have doubled (2).
    penalty_aging: "Penalty_Aging", ParameterKind::Combo(&["iteration", "doubling"]), [0, 0, 0, 0, 0];
    /// The points of a cut are the same at every depth, or multiplied by the depth of its node (2).
    penalty_weight: "Penalty_Weight", ParameterKind::Combo(&["one", "depth"]), [0, 0, 0, 0, 0];
    /// Every fourth iteration ignores the penalties (1.13).
    penalty_pause: "Penalty_Pause", CHECK, [1, 1, 1, 1, 1];

    /// Which moves of a node are listed: all of them (`off`), those that a generator of plausible moves makes (`all`),
    /// or of these the ones whose merit is not negative (`mma`). The others are put into the reserve (3.4).
    plausible: "Plausible_Mode", ParameterKind::Combo(&["off", "all", "mma"]), [0, 0, 0, 0, 0], experimental;
    /// Some moves always stay in the list: the hash move, killers, counter move and continuation, all moves of the root
    /// and on the principal variation from depth 4 on, and at least four moves. In check all moves stay in any case
    /// (3.4).
    plausible_never_drop: "Plausible_NeverDrop", CHECK, [1, 1, 1, 1, 1];
    /// A threat to win this much, a capture value in centipawns, switches positional generators off; 0: never (3.1,
    /// dominance).
    plausible_threat: "Plausible_StrongThreat", spin(0, 5000), [800, 800, 800, 800, 800];
    /// A capture or promotion has more merit than every move that only positional generators make (3.3).
    plausible_hierarchy: "Plausible_MeritHierarchy", CHECK, [0, 0, 0, 0, 0];
    /// The terms of the evaluation: all of them; the plain values of the pieces alone; or the fitted sum without the
    /// network. The last two are for comparisons.
    eval_terms: "Eval_Terms", ParameterKind::Combo(&["all", "material", "sum"]), [0, 0, 0, 0, 0], experimental;

    /// A negative score is raised by this number of centipawns, at most to 0, at each node of the losing side, so that
    /// it resists and the winner hurries: delta of 4.
    delayed_loss: "Score_DelayedLoss", spin(0, 100), [0, 0, 0, 0, 0], experimental;
    /// A node with a bad evaluation loses up to this number of centipawns, 1 for every 32 of the evaluation: nu of 4;
    /// 0: none.
    bad_neighbourhood: "Score_BadNeighbourhood", spin(0, 200), [0, 0, 0, 0, 0], experimental;
    /// An evaluation down to this number of centipawns below zero costs nothing: theta of 4.
    bad_neighbourhood_from: "Score_BadNeighbourhoodFrom", spin(-2000, 2000), [100, 100, 100, 100, 100];
    /// The evaluation that counts is the static one, or that of quiescence (4).
    bad_neighbourhood_source: "Score_BadNeighbourhoodSource", ParameterKind::Combo(&["eval", "quiescence"]), [0, 0, 0, 0, 0];
    /// The bonus of a node for each move nearly as good as the best one, in centipawns: w of 4; 0: none.
    alternatives: "Score_Alternatives", spin(0, 50), [0, 0, 0, 0, 0], experimental;
    /// How much worse such a move may be, in centipawns: m of 4.
    alternatives_margin: "Score_AlternativesMargin", spin(0, 500), [20, 20, 20, 20, 20];
    /// The largest number of such moves that count: k of 4.
    alternatives_most: "Score_AlternativesMost", spin(1, 8), [3, 3, 3, 3, 3];
    /// The penalty of a node with a single good move, in centipawns: pi of 4; 0: none.
    single_good: "Score_SingleGood", spin(0, 200), [0, 0, 0, 0, 0], experimental;
    /// How much worse a second good move may be, in centipawns; at least the penalty minus 1: the margin of 4.
    single_good_margin: "Score_SingleGoodMargin", spin(0, 500), [20, 20, 20, 20, 20];
    /// Each move of each position has its own bonus below this, in centipawns: R of 4; 0: none.
    random_bonus: "Score_RandomBonus", spin(0, 1000), [0, 0, 0, 0, 0], experimental;
    /// Of moves with equal scores on the principal variation the first one is played, or the one with the larger hash
    /// (4).
    tie_break: "Score_TieBreak", ParameterKind::Combo(&["order", "hash"]), [0, 0, 0, 0, 0], experimental;
    /// A number below this, fixed for each position, is added to the evaluation, in centipawns: E of 4; 0: none.
    eval_noise: "Score_EvalNoise", spin(0, 1000), [0, 0, 0, 0, 0], experimental;
}
