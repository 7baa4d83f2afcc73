#!/usr/bin/env bash
# promtool finds nothing wrong with the metrics of a running process and of its recording. A real node_exporter and a real Prometheus
# scrape the directory: PromQL has the values. Skips without Debian's prometheus (in PATH, or unpacked in build/prometheus).
. "$(dirname "$0")/cuda_common.sh"

unpacked=$e2e_directory/../../build/prometheus/usr/bin
PATH=$PATH:$unpacked
command -v promtool >/dev/null || skip "promtool is missing (Debian: prometheus; './dev test' unpacks it)"

compile_cuda summed
compile steps
mkdir metrics
export PROF_PROMETHEUS=$here/metrics

# Two ranks, a step range, and one that was recorded before: all in one directory.
for rank in 0 1; do
    RANK=$rank simulate "rank$rank.prof" ./summed 20 1000
done
record steps.prof ./steps run 9
for file in metrics/*.prom; do
    promtool check metrics <"$file" >promtool.txt 2>&1 && [[ ! -s promtool.txt ]] || fail "$file: $(cat promtool.txt)"
done
"$PROF_BIN/profdump" -o dump.prom rank0.prof rank1.prof steps.prof
promtool check metrics <dump.prom >promtool.txt 2>&1 && [[ ! -s promtool.txt ]] || fail "profdump: $(cat promtool.txt)"

binaries=$(dirname "$(command -v promtool)")
[[ -x $binaries/prometheus && -x $binaries/prometheus-node-exporter ]] ||
    skip "promtool is content; prometheus or prometheus-node-exporter is missing"

# The same recordings beside the live files: another run's labels keep them apart.
"$PROF_BIN/profdump" -o metrics/again.prom --label run=again rank0.prof
launches=$(sed -n 's/^libprof_launches_total{.*rank="0".*} //p' metrics/*.live.prom)
copied=$(sed -n 's/^libprof_copied_bytes_total{.*rank="1".*host_to_device.*} //p' metrics/*.live.prom)
[[ $launches -gt 0 && $copied -gt 0 ]] || fail "nothing to ask for: $launches launches, $copied bytes"
mkdir scratch
python3 "$e2e_directory/prometheus_scrape.py" "$binaries" "$here/metrics" "$here/scratch" \
    'count(libprof_info)=4' \
    'sum(libprof_running)=0' \
    "libprof_launches_total{rank=\"0\",run!=\"again\"}=$launches" \
    "libprof_launches_total{run=\"again\"}=$launches" \
    "libprof_copied_bytes_total{rank=\"1\",direction=\"host_to_device\"}=$copied" \
    'sum(libprof_steps_total{rank=""}) by (pid) > bool 5=1' \
    'count(libprof_step_seconds_bucket{le="+Inf"})=4' \
    'node_textfile_scrape_error=0' || fail "Prometheus does not have the values"
