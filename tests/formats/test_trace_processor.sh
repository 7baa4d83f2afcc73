#!/usr/bin/env bash
# Perfetto's own reader takes the traces without an error and finds all device operations in its GPU tables: of the traces
# of the golden tests and, where ../shared is, of one of PyTorch's. TRACE_PROCESSOR names the program trace_processor_shell
# of Perfetto 58 or later, which no package of Debian or PyPI holds.
set -u
export PATH=$BIN_DIR:$PATH
[ -n "${TRACE_PROCESSOR:-}" ] || { echo "skipped: TRACE_PROCESSOR names no trace_processor_shell"; exit 77; }
failed=0
work="('kernel', 'memcpy', 'memset', 'graph')"

fail() {
    echo "FAILED: $*"
    failed=1
}

# value SQL TRACE: one number
value() {
    printf '%s;\n' "$1" >query.sql
    "$TRACE_PROCESSOR" -q query.sql "$2" 2>stderr.txt | tail -n 1 | tr -d '"'
}

# is WHAT WANTED SQL TRACE
is() {
    local got
    got=$(value "$3" "$4")
    [ "$got" = "$2" ] || fail "$4: $1: wanted $2, got $got: $(tail -n 1 stderr.txt)"
}

# SQL of profdump against that of Perfetto
same() {
    is "$1" "$(profdump query --partial --format tsv "$2" "$4" | tail -n 1)" "$3" out.pftrace
}

check() { # TRACE
    profdump --partial -o out.pftrace "$1" 2>err.txt || fail "$1: $(cat err.txt)"
    is "$1: errors" 0 "SELECT coalesce(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss')" out.pftrace
    profdump query "SELECT 1" "$1" >/dev/null 2>&1 || return
    same "$1: operations" "SELECT count(*) FROM operations WHERE kind IN $work" "SELECT count(*) FROM gpu_slice" "$1"
    same "$1: kernels" "SELECT count(*) FROM kernels" \
        "SELECT count(*) FROM gpu_slice WHERE render_stage_category = 2" "$1"
    same "$1: time of kernels" "SELECT coalesce(sum(duration), 0) FROM kernels" \
        "SELECT coalesce(sum(dur), 0) FROM gpu_slice WHERE render_stage_category = 2" "$1"
    same "$1: registers" "SELECT coalesce(sum(registers), 0) FROM kernels" \
        "SELECT coalesce(sum(extract_arg(arg_set_id, 'registers_per_thread')), 0) FROM gpu_slice" "$1"
    profdump --partial --window 0us.. --chrome out.json "$1" 2>err.txt # written anew, no copy
    for category in cpu_op user_annotation gpu_user_annotation; do # of begin/end ranges the begin
        is "$1: $category" "$(grep -c "\"ph\":\"[Xb]\",\"cat\":\"$category\"" out.json)" \
            "SELECT count(*) FROM slice WHERE category = '$category'" out.pftrace
    done
    is "$1: a row without a place" 0 "SELECT count(*) FROM thread_track JOIN thread USING (utid) LEFT JOIN args ON
        args.arg_set_id = thread.arg_set_id AND key = 'thread_sort_index_hint' WHERE key IS NULL" out.pftrace
    same "$1: arrows" "SELECT count(*) FROM operations JOIN slices ON slice = slices.id WHERE operations.kind IN $work" \
        "SELECT count(*) FROM flow JOIN gpu_slice ON slice_in = gpu_slice.id" "$1"
}

rm -rf traces && mkdir traces && "$BUILD_DIR/test/make_traces" traces || exit 1
for trace in traces/*.prof; do
    check "$trace"
done
resnet=$(echo "$SOURCE_DIR"/../shared/data/kineto/resnet50*.json.gz)
[ ! -e "$resnet" ] || check "$resnet"
exit $failed
