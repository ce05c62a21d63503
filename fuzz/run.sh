#!/usr/bin/env bash
# Fuzzes every target for a while, one after the other, at low priority.
#
#   fuzz/run.sh [SECONDS [TARGET...]]      300 seconds and all targets by default
#
# One line a target goes to results.tsv in the work folder. What has a line without crashes there is passed over,
# so an interrupted run goes on where it stopped; delete the file, or the line, to run again. Findings lie in
# artifacts/TARGET of the work folder: `cargo fuzz tmin TARGET FILE`, mend the reader, and keep the file in
# regressions/TARGET, which the short pass (`cargo test --workspace --test fuzz_short`) reads.
#
# The work folder holds the corpus and is KYOMI_FUZZ_DIR, by default fuzz/work, which git ignores.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-300}
shift || true
work=${KYOMI_FUZZ_DIR:-fuzz/work}
results=$work/results.tsv
mkdir -p "$work/log"
[ -f "$results" ] || printf 'target\texecutions\tseconds\texec/s\tcrashes\tcorpus\tcommit\n' >"$results"

targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cd fuzz/fuzz_targets && ls -- *.rs | sed 's/\.rs$//')

# The C of SQLite is linked in twice, which the sanitizer takes for two definitions.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_odr_violation=0}
commit=$(git rev-parse --short HEAD)
host=$(rustc -vV | sed -n 's/^host: //p')
# Built once: what is edited meanwhile does not enter the run.
nice -n 15 cargo +nightly fuzz build
binaries=$work/bin
rm -rf "$binaries" && mkdir -p "$binaries"
for target in "${targets[@]}"; do
    cp "fuzz/target/$host/release/$target" "$binaries/"
done
for target in "${targets[@]}"; do
    if awk -F'\t' -v t="$target" '$1 == t && $5 == 0 { found = 1 } END { exit !found }' "$results"; then
        echo "$target: done already"
        continue
    fi
    corpus=$work/corpus/$target
    artifacts=$work/artifacts/$target
    log=$work/log/$target
    mkdir -p "$corpus" "$artifacts" "fuzz/regressions/$target"
    echo "$target: $seconds s"
    begun=$SECONDS
    nice -n 15 "$binaries/$target" "$corpus" "fuzz/seeds/$target" "fuzz/regressions/$target" \
        -dict="fuzz/dictionaries/$target.dict" -artifact_prefix="$artifacts/" -max_total_time="$seconds" \
        -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 >"$log" 2>&1 || true
    # A run that was interrupted, or did not build, has no statistics.
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    if [ -z "$executions" ]; then
        tail -5 "$log" >&2
        echo "$target: not run to its end; see $log" >&2
        exit 1
    fi
    lasted=$((SECONDS - begun))
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log" | tail -1)
    crashes=$(grep -c "^artifact_prefix=" "$log" || true)
    kept=$(find "$corpus" -type f | wc -l)
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
        "$target" "$executions" "$lasted" "$rate" "$crashes" "$kept" "$commit" | tee -a "$results"
done
