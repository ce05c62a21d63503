#!/usr/bin/env bash
# Plays many games over real TCP and counts what became of them. Not a part of `cargo test`: it takes an hour or more.
#
#   tests/soak.sh fast DIR [GAMES]     2 s and 0.1 s a move, four games at once, two threads each (1000 games)
#   tests/soak.sh slow DIR [GAMES]     2 s and 1 s a move, each packet delayed, up to 300 ms in both directions (200)
#   tests/soak.sh rough DIR [SECONDS]  one night: connections are cut, engines killed, the server killed and started again
#                                      up to 20 s later, in which its games go on (7200 s)
#   tests/soak.sh kills DIR [KILLS]    matches of fixed nodes by two workers, while worker, coordinator and broker are killed
#                                      at random (50); needs nats-server and a program with the feature `cluster`
#   tests/soak.sh helped DIR [GAMES]   2 s and 0.1 s a move, one side helped by three workers, while workers and broker are
#                                      stopped for seconds, slowed or killed at random, the broker's port is closed to
#                                      one side, and workers that lie come and go (200); needs the same
#   tests/soak.sh reference DIR [GAMES]  on SHOGI_SERVER, the script of shogi-server or of its fork for Denryu-sen: half of
#                                      the games by game names, half by floodgate's schedule; connections are cut, clients
#                                      killed or stopped; all records are compared with the server's (200)
#
# KYOMI names the program, by default target/release/kyomi, and TABLES the tables of `rough`, by default "1 2 3 4".
# NODES is the number of nodes for each move of `kills`, by default 1000. `reference` uses PORT, by default 4991, and the
# next one, and cuts a connection within CUT_WITHIN seconds, by default 200.
# SLOW_LINE names the proxy, by default built from examples/slow_line.rs, and LYING_WORKER the worker that lies, by default
# built from examples/lying_worker.rs. Records, logs and the memory of the clients go to
# DIR. The same command goes on where an interrupted run stopped. The last lines are the numbers of games by their end, and of what must
# not be: games lost on time, illegal moves, games without an end, journals left behind.
set -euo pipefail

kind=${1:?fast, slow, rough, kills, helped or reference}
mkdir -p "${2:?a folder}"
dir=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
kyomi=$(realpath "${KYOMI:-$target/release/kyomi}")
case $kind in fast) default=1000 ;; slow | helped | reference) default=200 ;; rough) default=7200 ;; kills) default=50 ;; *) echo "$kind is unknown" >&2; exit 2 ;; esac
amount=${3:-$default}
started=()
finish() { kill "${started[@]}" 2>/dev/null || true; wait 2>/dev/null || true; }
trap finish EXIT

# The number of finished games in a folder.
finished() {
    mkdir -p "$1"
    find "$1" -name '*.csa' | wc -l
}

# Notes the resident memory of a client once a minute, in KiB, with the number of its games.
watch_memory() { # PID FOLDER
    while kill -0 "$1" 2>/dev/null; do
        memory=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null || true)
        [ -n "$memory" ] && printf '%s\t%s\n' "$(finished "$2")" "$memory" >>"$2/memory.tsv"
        sleep 60
    done
}

client() { # FOLDER GAMES ARGUMENTS...
    local folder=$1 games=$2
    shift 2
    mkdir -p "$folder"
    (cd "$folder" && exec "$kyomi" play --view quiet --games "$games" --set engine.hash=16MiB "$@" >>out.txt 2>&1) &
    started+=($!)
    watch_memory $! "$folder" &
}

serve() {
    (cd "$dir" && exec "$kyomi" serve --set listen.address=127.0.0.1:4981 --set listen.records=server >>serve.txt 2>&1) &
    server=$!
    started+=("$server")
}

build_slow_line() {
    if [ -z "${SLOW_LINE:-}" ]; then
        cargo build -q --profile fast --manifest-path "$here/Cargo.toml" --example slow_line
        SLOW_LINE=$target/fast/examples/slow_line
    fi
}

slow_line() { # LONGEST_MS [CUT_WITHIN_S]
    build_slow_line
    "$SLOW_LINE" 127.0.0.1:4982 127.0.0.1:4981 "$@" &
    started+=($!)
}

through_proxy=(--set server.host=127.0.0.1 --set server.port=4982 --set server.profile=kyomi --set server.password=soak)

# Several machines: a broker and workers, whose processes are in `pids`.
export NATS_COORDINATOR_PASSWORD=coordinators-word NATS_WORKER_PASSWORD=workers-word
declare -A pids
broker() {
    mkdir -p "$dir/broker"
    (cd "$dir/broker" && exec nats-server -c "$here/config/nats-server.conf" -a 127.0.0.1 -p 4983 >>out.txt 2>&1) &
    pids[broker]=$!
}
worker() { # NAME ARGUMENTS...
    local name=$1
    shift
    mkdir -p "$dir/$name"
    (cd "$dir/$name" && KYOMI_CLUSTER_PASSWORD=$NATS_WORKER_PASSWORD exec "$kyomi" worker --name "$name" "$@" \
        --set cluster.user=worker nats://127.0.0.1:${worker_port:-4983} >out.txt 2>&1) &
    pids[$name]=$!
}
# The way to the broker of one side: of the coordinator by port 4984, of the workers by port 4985. Its end closes the port.
way() { # coordinator|workers
    local port=4984
    [ "$1" = coordinator ] || port=4985
    "$SLOW_LINE" 127.0.0.1:$port 127.0.0.1:4983 0 >>"$dir/ways.txt" 2>&1 &
    pids[$1]=$!
}
# Each start has a name of its own, since a worker is warned of once.
liars=0
liar() { # moves|scores|lines|version
    liars=$((liars + 1))
    KYOMI_CLUSTER_PASSWORD=$NATS_WORKER_PASSWORD "$LYING_WORKER" "$1" "liar-$1-$liars" nats://127.0.0.1:4985 \
        >>"$dir/liars.txt" 2>&1 &
    pids[liar-$1]=$!
}
end() { # NAME
    kill -9 "${pids[$1]}" && { wait "${pids[$1]}" 2>/dev/null || true; }
}
# Runs for a twentieth of a second, then stands still for as long, and so on.
slow_down() { # NAME SECONDS
    for _ in $(seq $(($2 * 10))); do
        kill -STOP "${pids[$1]}"
        sleep 0.05
        kill -CONT "${pids[$1]}"
        sleep 0.05
    done
}

case $kind in
reference)
    . "$here/tests/soak_reference.sh"
    ;;
fast)
    clients=()
    for table in 1 2 3 4; do
        left=$((amount / 4 - $(finished "$dir/$table")))
        [ $left -gt 0 ] || continue
        client "$dir/$table" $left --time 2+0.1 --set engine.threads=2 --set opponent.name=other --set opponent.threads=2 \
            --set opponent.hash=16MiB
        clients+=("${started[-1]}")
    done
    wait "${clients[@]}"
    ;;
slow)
    serve
    slow_line 300
    sleep 1
    clients=()
    for table in 1 2 3 4; do
        for side in a b; do
            left=$((amount / 4 - $(finished "$dir/$table$side")))
            [ $left -gt 0 ] || continue
            client "$dir/$table$side" $left "${through_proxy[@]}" --set server.name="$side$table" \
                --set server.game="soak$table-2-1F" --set engine.threads=2
            clients+=("${started[-1]}")
        done
    done
    wait "${clients[@]}"
    ;;
rough)
    serve
    slow_line 60 90
    sleep 1
    end=$((SECONDS + amount))
    for table in ${TABLES:-1 2 3 4}; do
        for side in a b; do
            client "$dir/$table$side" 0 "${through_proxy[@]}" --set server.name="$side$table" \
                --set server.game="rough$table-10-1F" --set engine.kind=usi --set engine.path="$kyomi" \
                --set 'engine.args=["usi"]' --set engine.options.Threads=1 --set engine.options.USI_Hash=16
        done
    done
    while [ $SECONDS -lt $end ]; do
        sleep $((RANDOM % 20 + 5))
        # An engine is a child of a client.
        engine=$(pgrep -f "^$kyomi usi" | shuf -n 1 || true)
        [ -z "$engine" ] || { kill -9 "$engine" && date +'%T an engine was killed' >>"$dir/events.txt"; }
        if [ $((RANDOM % 12)) = 0 ]; then
            kill -9 "$server" && date +'%T the server was killed' >>"$dir/events.txt"
            sleep $((RANDOM % 20))
            serve
        fi
    done
    pkill -INT -f "^$kyomi play --view quiet" || true
    sleep 60
    pkill -INT -f "^$kyomi play --view quiet" || true
    sleep 20
    ;;
helped)
    finish() { kill -CONT "${pids[@]}" 2>/dev/null || true; kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; }
    mkdir -p "$dir/match"
    build_slow_line
    if [ -z "${LYING_WORKER:-}" ]; then
        cargo build -q --profile fast --manifest-path "$here/Cargo.toml" --features cluster --example lying_worker
        LYING_WORKER=$target/fast/examples/lying_worker
    fi
    names=(one two three)
    lies=(moves scores lines version)
    worker_port=4985
    broker
    way coordinator
    way workers
    for name in "${names[@]}"; do worker "$name" --set engine.threads=1 --set engine.hash=16MiB; done
    for lie in "${lies[@]}"; do liar "$lie"; done
    # The match does not begin without the broker.
    for name in "${names[@]}"; do until grep -q '^connected' "$dir/$name/out.txt"; do sleep 0.2; done; done
    (cd "$dir" && KYOMI_CLUSTER_PASSWORD=$NATS_COORDINATOR_PASSWORD exec "$kyomi" match --tc 2+0.1 --games "$amount" --out match \
        --a 'builtin name=helped hash=16 room=kyomi' --b 'builtin name=alone hash=16' \
        --set cluster.servers=nats://127.0.0.1:4984 --set cluster.user=coordinator >>match.txt 2>&1) &
    pids[match]=$!
    results="$dir/match/results.jsonl"
    while kill -0 "${pids[match]}" 2>/dev/null; do
        for name in match "${names[@]}"; do
            memory=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/${pids[$name]}/status" 2>/dev/null || true)
            [ -z "$memory" ] || printf '%s\t%s\n' "$(cat "$results" 2>/dev/null | wc -l)" "$memory" >>"$dir/memory-$name.tsv"
        done
        sleep "$((RANDOM % 9 + 1))"
        name=${names[RANDOM % 3]}
        # A stopped process is silent, but keeps its connection: a machine that is too busy, or a network that loses all.
        case $((RANDOM % 10)) in
        0) fault="broker killed" && end broker && sleep "$((RANDOM % 4))" && broker ;;
        1) fault="broker stopped" && kill -STOP "${pids[broker]}" && sleep "$((RANDOM % 9 + 1))" && kill -CONT "${pids[broker]}" ;;
        2 | 3) fault="$name stopped" && kill -STOP "${pids[$name]}" && sleep "$((RANDOM % 9 + 1))" && kill -CONT "${pids[$name]}" ;;
        4 | 5) fault="$name killed" && end "$name" && sleep "$((RANDOM % 4))" && worker "$name" --set engine.threads=1 --set engine.hash=16MiB ;;
        6 | 7) fault="$name slowed" && slow_down "$name" "$((RANDOM % 9 + 1))" ;;
        8) side=$([ $((RANDOM % 2)) = 0 ] && echo coordinator || echo workers)
            fault="port closed to $side" && end "$side" && sleep "$((RANDOM % 9 + 1))" && way "$side" ;;
        *) lie=${lies[RANDOM % 4]} && fault="liar-$lie killed" && end "liar-$lie" && liar "$lie" ;;
        esac
        date +"%T $fault" >>"$dir/events.txt"
    done
    echo "faults:"
    sed -E 's/^[^ ]* //; s/^(one|two|three) /worker /; s/^liar-[a-z]* killed/liar started again/' "$dir/events.txt" | sort | uniq -c
    for lie in "${lies[@]}"; do
        # One warning for each liar; one that came late may have had no order yet.
        echo "liars with false $lie: left out $(grep -oE "the worker liar-$lie-[0-9]+ (is left out|takes no part)" "$dir/match.txt" | sort -u | wc -l), \
warnings $(grep -cE "WARN .*the worker liar-$lie-[0-9]+ " "$dir/match.txt" || true)"
    done
    echo "liars started: $liars"
    echo "ends:"
    grep -o '"end":"[a-z_]*"' "$results" | sort | uniq -c
    lost='"black":"helped".*"result":"white"|"white":"helped".*"result":"black"'
    echo "of the games lost on time, by the side that was helped: $(grep '"end":"time_loss"' "$results" | grep -cE "$lost" || true)"
    echo "late moves: $(grep -o '"over_us":[1-9][0-9]*' "$results" | wc -l)"
    for name in match "${names[@]}"; do
        echo "memory of $name in KiB, at the second and the last look: $(cut -f 2 "$dir/memory-$name.tsv" | sed -n '2p;$p' | tr '\n' ' ')"
    done
    grep -E '^  (Elo|workers|[0-9.]+ ms from|[0-9]+ moves of workers)' "$dir/match.txt" || true
    exit 0
    ;;
kills)
    games=60
    match() { # FOLDER ARGUMENTS...
        local folder=$1
        shift
        KYOMI_CLUSTER_PASSWORD=$NATS_COORDINATOR_PASSWORD exec "$kyomi" match --a 'builtin hash=4' \
            --b 'builtin hash=4 Plies_Prior=0' --tc nodes=${NODES:-1000} --games $games --max-moves 60 --out "$folder" "$@"
    }
    coordinator() {
        (cd "$dir" && match "room$round" --room kyomi --set cluster.servers=nats://127.0.0.1:4983 \
            --set cluster.user=coordinator >coordinator.txt 2>&1) &
        pids[coordinator]=$!
    }
    # Whether it is at work, so that there is something to kill.
    is_up() { # NAME
        case $1 in
        broker) true ;;
        coordinator) grep -q '[0-9]/[0-9]' "$dir/coordinator.txt" ;;
        *) grep -q '^connected' "$dir/$1/out.txt" ;;
        esac
    }
    # The moves of all games in order, with the names of the records.
    moves() { # FOLDER
        (cd "$dir/$1/games" && grep -HE '^[+-][0-9]{4}[A-Z]{2}' -- *.csa)
    }
    finish() { kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; }
    [ -e "$dir/alone/report.json" ] || (cd "$dir" && match alone >alone.txt 2>&1)
    broker
    worker one --jobs 1
    worker two --jobs 1
    killed=0 round=0
    declare -A count=([one]=0 [two]=0 [broker]=0 [coordinator]=0)
    while [ $killed -lt "$amount" ]; do
        round=$((round + 1))
        coordinator
        while :; do
            # Its end is noticed within the second; a coordinator that ends without the match is started again.
            pause=$((RANDOM % 6 + 1))
            while [ $pause -gt 0 ] && kill -0 "${pids[coordinator]}" 2>/dev/null; do
                sleep "0.$((RANDOM % 9 + 1))"
                pause=$((pause - 1))
            done
            if ! kill -0 "${pids[coordinator]}" 2>/dev/null; then
                wait "${pids[coordinator]}" && break
                coordinator
                continue
            fi
            [ $killed -lt "$amount" ] || continue
            names=(one two broker coordinator)
            name=${names[RANDOM % 4]}
            # One that is not up yet is waited for, unless the match ends.
            until is_up $name || ! kill -0 "${pids[coordinator]}" 2>/dev/null; do sleep 0.2; done
            is_up $name || continue
            kill -9 "${pids[$name]}" && wait "${pids[$name]}" 2>/dev/null || true
            killed=$((killed + 1))
            count[$name]=$((count[$name] + 1))
            sleep "$((RANDOM % 3)).$((RANDOM % 9))"
            case $name in broker) broker ;; coordinator) coordinator ;; *) worker "$name" --jobs 1 ;; esac
        done
    done
    echo "kills: $killed (worker $((count[one] + count[two])), broker ${count[broker]}, coordinator ${count[coordinator]})"
    wrong=0
    for number in $(seq $round); do
        lines=$(wc -l <"$dir/room$number/results.jsonl")
        distinct=$(grep -o '^{"game":[0-9]*' "$dir/room$number/results.jsonl" | sort -u | wc -l)
        records=$(find "$dir/room$number/games" -name '*.csa' | wc -l)
        same=yes
        cmp -s <(moves alone) <(moves "room$number") || same=no
        echo "match $number: $lines results of $games, $distinct of them different, $records records, the games of one machine: $same"
        [ "$lines$distinct$records$same" = "$games$games${games}yes" ] || wrong=1
    done
    exit $wrong
    ;;
esac

[ "$kind" = rough ] && echo "went on after a restart of the server: $(grep -c '^continued ' "$dir/serve.txt" || true)"
echo "ends:"
find "$dir" -path '*/logs/games/*.csa' -exec grep -h '^%' {} + | sort | uniq -c
echo "lost on time: $(find "$dir" -path '*/logs/games/*.csa' -exec grep -l '^%TIME_UP' {} + | wc -l)"
echo "illegal: $(find "$dir" -path '*/logs/games/*.csa' -exec grep -lE '^%(ILLEGAL|[+-]ILLEGAL)' {} + | wc -l)"
echo "without an end: $(find "$dir" -path '*/logs/games/*.csa' -exec grep -L '^%' {} + | wc -l)"
echo "journals left: $(find "$dir" -path '*/logs/games/*' ! -name '*.csa' -type f | wc -l)"
echo "panics: $(cat "$dir"/*/out.txt "$dir"/serve.txt 2>/dev/null | grep -c panicked)"
exit "${wrong:-0}"
