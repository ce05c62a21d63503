#!/usr/bin/env bash
# Plays many games over real TCP and counts what became of them. Not a part of `cargo test`: it takes an hour or more.
#
#   tests/soak.sh fast DIR [GAMES]     2 s and 0.1 s a move, four games at once, two threads each (1000 games)
#   tests/soak.sh slow DIR [GAMES]     2 s and 1 s a move, each packet delayed, up to 300 ms in both directions (200)
#   tests/soak.sh rough DIR [SECONDS]  one night: connections are cut, engines killed, the server killed and started again
#                                      up to 20 s later, in which its games go on (7200 s)
#
# KYOMI names the program, by default target/release/kyomi, and TABLES the tables of `rough`, by default "1 2 3 4".
# SLOW_LINE names the proxy, by default built from examples/slow_line.rs. Records, logs and the memory of the clients go to
# DIR. The same command goes on where an interrupted run stopped. The last lines are the numbers of games by their end, and of what must
# not be: games lost on time, illegal moves, games without an end, journals left behind.
set -euo pipefail

kind=${1:?fast, slow or rough}
mkdir -p "${2:?a folder}"
dir=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
kyomi=$(realpath "${KYOMI:-$here/target/release/kyomi}")
case $kind in fast) default=1000 ;; slow) default=200 ;; rough) default=7200 ;; *) echo "$kind is unknown" >&2; exit 2 ;; esac
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

slow_line() { # LONGEST_MS [CUT_WITHIN_S]
    if [ -z "${SLOW_LINE:-}" ]; then
        cargo build -q --profile fast --manifest-path "$here/Cargo.toml" --example slow_line
    fi
    "${SLOW_LINE:-$here/target/fast/examples/slow_line}" 127.0.0.1:4982 127.0.0.1:4981 "$@" &
    started+=($!)
}

through_proxy=(--set server.host=127.0.0.1 --set server.port=4982 --set server.profile=kyomi --set server.password=soak)

case $kind in
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
esac

[ "$kind" = rough ] && echo "went on after a restart of the server: $(grep -c '^continued ' "$dir/serve.txt" || true)"
echo "ends:"
find "$dir" -path '*/logs/games/*.csa' -exec grep -h '^%' {} + | sort | uniq -c
echo "lost on time: $(find "$dir" -path '*/logs/games/*.csa' -exec grep -l '^%TIME_UP' {} + | wc -l)"
echo "illegal: $(find "$dir" -path '*/logs/games/*.csa' -exec grep -lE '^%(ILLEGAL|[+-]ILLEGAL)' {} + | wc -l)"
echo "without an end: $(find "$dir" -path '*/logs/games/*.csa' -exec grep -L '^%' {} + | wc -l)"
echo "journals left: $(find "$dir" -path '*/logs/games/*' ! -name '*.csa' -type f | wc -l)"
echo "panics: $(cat "$dir"/*/out.txt "$dir"/serve.txt 2>/dev/null | grep -c panicked)"
