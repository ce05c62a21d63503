# Many games on a real shogi-server, half of them by game names and half by the schedule of floodgate, while connections
# are cut and clients killed or stopped. Read by soak.sh; soak_compare.awk compares the records of both sides.

port=${PORT:-4991}
top=$dir/server
plain=(1a 1b 2a 2b 3a 3b 4a 4b)
rated=(f1 f2 f3 f4 f5 f6 f7 f8 f9 f10)
rated_game=floodgate-10-1F
half=$((amount / 2))

# A copy, so that schedule and records are in DIR, that other machines cannot reach.
unpack_server() {
    [ ! -e "$top" ] || return 0
    cp -r "$(dirname "${SHOGI_SERVER:?the script of shogi-server}")" "$top"
    sed -i -E 's/(config\[:BindAddress\] *=).*/\1 "127.0.0.1"/' "$top/shogi-server"
}

# A round each minute for the next hours, the shortest time between two that a schedule can have.
write_schedule() {
    echo "set max_moves 160"
    for minute in $(seq 300); do LC_ALL=C printf '%(%a %H:%M)T\n' $((EPOCHSECONDS + minute * 60)); done
}

# An engine that costs nothing: few nodes, whatever the clock says, after a pause of half a second at most, rarely of
# one to three.
write_engine() {
    cat <<'ENGINE'
#!/usr/bin/env bash
while IFS= read -r line; do
    case $line in
    go*)
        pause=0.$((RANDOM % 5))
        [ $((RANDOM % 20)) != 0 ] || pause=$((RANDOM % 2 + 1)).$((RANDOM % 10))
        sleep $pause
        echo "go nodes $((RANDOM % 2000 + 100))"
        ;;
    *) echo "$line" ;;
    esac
    [ "$line" != quit ] || break
done | "$1" usi
ENGINE
}

# Each table has another kind of clock. The built-in engine uses its clock, as little of it as it can be told to.
arguments() { # NAME
    local by_nodes=(--set engine.kind=usi --set engine.path="$dir/engine.sh" --set engine.args="[\"$kyomi\"]"
        --set engine.options.Threads=1 --set engine.options.USI_Hash=1)
    local by_clock=(--set engine.threads=1 --set engine.hash=1MiB --set engine.options.SlowMover=1)
    args=(--set server.host=127.0.0.1 --set server.port=$((port + 1)) --set server.name="$1"
        --set server.profile="$profile")
    case $1 in
    1*) args+=(--set server.game=plain1-10-1F "${by_clock[@]}") ;;
    2*) args+=(--set server.game=plain2-20-0 "${by_clock[@]}") ;;
    3*) args+=(--set server.game=plain3-5-3 "${by_nodes[@]}") ;;
    4*) args+=(--set server.game=plain4-0-5 --set server.mode=extended "${by_nodes[@]}") ;;
    f1 | f2) args+=(--set server.game=$rated_game --set server.mode=extended "${by_nodes[@]}") ;;
    *) args+=(--set server.game=$rated_game "${by_nodes[@]}") ;;
    esac
    args+=(--set server.password="word-of-$1")
    case $1:$profile in f*:reference) args+=(--set server.profile=floodgate) ;; esac
}

start() { # NAME
    mkdir -p "$dir/$1"
    arguments "$1"
    (cd "$dir/$1" && exec "$kyomi" play --view quiet --games 0 "${args[@]}" >>out.txt 2>&1) &
    pids[$1]=$!
}

note() { echo "$(date +%T) $*" >>"$dir/events.txt"; }

# The number of games that the server has ended.
ended() { # plain|floodgate
    touch "$top/00LIST"
    grep -c "/soak+$1" "$top/00LIST" || true
}

# Those who are in a game.
players() {
    for name in "${!pids[@]}"; do
        ! compgen -G "$dir/$name/logs/games/*.part" >/dev/null || echo "$name"
    done
}

# Kills a client and starts it again in the same folder, or lets a player stand still for longer than most clocks run.
disturb_one() {
    local names=("${!pids[@]}") name
    if [ $((RANDOM % 2)) = 0 ]; then
        name=$(players | shuf -n 1)
        [ -n "$name" ] && kill -STOP "${pids[$name]}" || return 0
        note "$name stopped"
        sleep 25
        kill -CONT "${pids[$name]}"
    else
        name=${names[RANDOM % ${#names[@]}]}
        kill -9 "${pids[$name]}" || return 0
        wait "${pids[$name]}" 2>/dev/null || true
        note "$name killed"
        sleep $((RANDOM % 6))
        start "$name"
    fi
}

# Clients that ended although nobody asked them to.
restart_ended() {
    for name in "${!pids[@]}"; do
        kill -0 "${pids[$name]}" 2>/dev/null && continue
        note "$name ended by itself"
        start "$name"
    done
}

# Lets them finish their games, but not for ever.
leave() { # NAMES...
    local left
    for asked in 1 2; do
        for name in "$@"; do kill -INT "${pids[$name]}" 2>/dev/null || true; done
        for _ in $(seq 90); do
            left=0
            for name in "$@"; do kill -0 "${pids[$name]}" 2>/dev/null && left=1; done
            [ $left = 1 ] || break 2
            sleep 1
        done
    done
    for name in "$@"; do unset "pids[$name]"; done
}

finish() {
    kill -CONT "${pids[@]}" 2>/dev/null || true
    kill "${pids[@]}" 2>/dev/null || true
    # With players the server does not end when it is asked to.
    kill -9 "${started[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
}

play_all() {
    local leaving=""
    for name in "${plain[@]}" "${rated[@]}"; do start "$name"; done
    while [ "$(ended plain)" -lt $half ] || [ "$(ended floodgate)" -lt $half ]; do
        for _ in $(seq $((RANDOM % 30 + 10))); do
            sleep 1
            [ -n "$leaving" ] || [ "$(ended plain)" -lt $half ] || { leaving=1 && leave "${plain[@]}"; }
        done
        restart_ended
        disturb_one
    done
    leave "${!pids[@]}"
}

build_slow_line
unpack_server
touch "$dir/events.txt"
profile=reference
[ ! -e "$top/bin/usiToCsa_denryu" ] || profile=denryu
write_schedule >"$top/$rated_game.conf"
write_engine >"$dir/engine.sh" && chmod +x "$dir/engine.sh"
(cd "$top" && exec ruby shogi-server --max-moves 160 --floodgate-games $rated_game soak "$port") \
    >>"$dir/serve.txt" 2>&1 &
started+=($!)
"$SLOW_LINE" 127.0.0.1:$((port + 1)) 127.0.0.1:"$port" 60 "${CUT_WITHIN:-200}" >>"$dir/line.txt" 2>&1 &
started+=($!)
sleep 3
play_all
finish

count() { grep -hcE "$1" "${@:2}" || true; }
echo "kills: $(count ' killed' "$dir/events.txt"), stops: $(count ' stopped' "$dir/events.txt"), clients that ended by \
themselves: $(count ' by itself' "$dir/events.txt"), games cut: $(cat "$dir"/*/out.txt | count 'lost in the game \(')"
mapfile -t files < <(find "$top"/20* -name '*.csa' | sort && find "$dir" -path '*/logs/games/*.csa' | sort)
awk -f "$here/tests/soak_compare.awk" "${files[@]}" || wrong=1
for record in "${files[@]}"; do
    if grep -q "^'server:.*#TIME_UP #LOSE" "$record"; then
        echo "lost on time: $record" && "$kyomi" show "$record" --times | tail -n 3
    fi
done
