//! Interest search is compiled plainly, with only the rules of the preset `interest`, and for experiments, with every
//! switch; the search by plies is a third form (docs/search.md, section 6.1).

/// What a search is compiled for.
pub(crate) trait SearchKind: 'static {
    /// Whether the switches that are off in play have an effect.
    const EXPERIMENTAL: bool;
    /// Whether both sides share one depth in plies, instead of a budget each.
    const BY_PLIES: bool = false;
    /// Whether it counts where its nodes go (`node_counts.rs`).
    const COUNTS: bool = false;
}

/// Interest search without the switches of experiments. Its parameters [suit it](Parameters::suit_play_search).
pub(crate) struct Play;

/// The search for experiments and explanations.
pub(crate) struct Experimental;

/// The search by plies.
pub(crate) struct ByPlies;

/// The same, which counts its nodes.
#[cfg(feature = "fit")]
pub(crate) struct CountedByPlies;

impl SearchKind for ByPlies {
    const EXPERIMENTAL: bool = false;
    const BY_PLIES: bool = true;
}

#[cfg(feature = "fit")]
impl SearchKind for CountedByPlies {
    const EXPERIMENTAL: bool = false;
    const BY_PLIES: bool = true;
    const COUNTS: bool = true;
}

impl SearchKind for Play {
    const EXPERIMENTAL: bool = false;
}

impl SearchKind for Experimental {
    const EXPERIMENTAL: bool = true;
    const COUNTS: bool = true;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval::{
        Evaluation,
        network::{FloatNetwork, INPUTS, KingZones, LANES, Network},
    };
    use crate::search::job::{Job, ResultSlot};
    use crate::search::node_count::NodeCounter;
    use crate::search::parameters::{ParameterKind, Parameters, TABLE};
    use crate::search::root::NoObserver;
    use crate::search::worker::Worker;
    use crate::search::{GameRules, SearchLimits, StopFlag, table::TranspositionTable};
    use kyomi_shogi::{Game, Position};

    const MIDDLE: &str =
        "lr5nl/2kg2g2/2ns3p1/p1pppsp1p/1p5P1/P1PPPBP1P/1PSG1SN2/2G4R1/LNK5L b Pbp 51";

    /// The best line, its score and the nodes of a search with these parameters.
    fn searched<K: SearchKind>(parameters: &Parameters) -> (Vec<String>, i32, u64) {
        searched_with::<K>(parameters, &Evaluation::builtin())
    }

    /// The same with another evaluation.
    fn searched_with<K: SearchKind>(
        parameters: &Parameters,
        evaluation: &Evaluation,
    ) -> (Vec<String>, i32, u64) {
        let table = Arc::new(TranspositionTable::new(1 << 12, 1));
        let counter = Arc::new(NodeCounter::default());
        let mut worker = Worker::<K>::with_evaluation(0, table, counter, parameters, evaluation);
        let game = Game::new(Position::from_sfen(MIDDLE).unwrap());
        worker.set_root(&game, GameRules::default(), StopFlag::new());
        worker.control.limit_nodes(2000);
        let limits = SearchLimits { depth: Some(30), ..SearchLimits::default() };
        let found =
            worker.think(&Job::alone(game, limits), &ResultSlot::default(), &mut NoObserver);
        (found.line.iter().map(ToString::to_string).collect(), found.score, worker.control.nodes)
    }

    #[test]
    fn both_search_kinds_agree_with_default_parameters() {
        let mut suitable = 0;
        for parameter in TABLE {
            let now = (parameter.read)(&Parameters::interest());
            let other = match parameter.kind {
                ParameterKind::Check => 1 - now,
                ParameterKind::Combo(words) => (now + 1) % words.len() as i32,
                ParameterKind::Spin(least, most) if now == most => least,
                ParameterKind::Spin(_, most) => (2 * now + 1).min(most),
            };
            let mut parameters = Parameters::interest();
            (parameter.write)(&mut parameters, other);
            if parameters.suit_play_search() {
                let (play, study) =
                    (searched::<Play>(&parameters), searched::<Experimental>(&parameters));
                assert_eq!(play, study, "{} = {other}", parameter.name);
                suitable += 1;
            }
        }
        assert!(suitable > 50 && suitable < TABLE.len(), "{suitable}");
        assert!(Parameters::interest().suit_play_search());
    }

    #[test]
    fn both_search_kinds_use_a_network() {
        let parameters = Parameters::interest();
        let mut sum_alone = parameters;
        sum_alone.set("Eval_Terms", "sum").unwrap();
        let plain = searched::<Experimental>(&sum_alone);
        // A network that adds nothing changes nothing.
        let empty = Evaluation::Own(Network::empty().into());
        assert_eq!(searched_with::<Play>(&parameters, &empty), plain);
        let builtin = searched::<Play>(&parameters);
        assert_eq!(builtin, searched::<Experimental>(&parameters));
        assert_ne!(builtin, plain);
        let mut random = fastrand::Rng::with_seed(9);
        let mut list =
            |length: usize| -> Vec<f32> { (0..length).map(|_| random.f32() * 0.4 - 0.2).collect() };
        let (first, biases, second) = (list(INPUTS * LANES), list(LANES), list(2 * LANES));
        let network = Evaluation::Own(Arc::new(Network::nearest(&FloatNetwork {
            width: LANES,
            zones: KingZones::One,
            first: &first,
            biases: &biases,
            second: &second,
            bias: 0.5,
        })));
        let play = searched_with::<Play>(&parameters, &network);
        assert_eq!(play, searched_with::<Experimental>(&parameters, &network));
        assert_ne!(play, plain);
    }
}
