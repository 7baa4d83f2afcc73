#!/usr/bin/env bash
# The clocks of hosts, compared by collectives: right within the error stated, and refused where nothing can be said.
. "$(dirname "$0")/fleet_common.sh"

python3 "$fleet_directory/clocks.py" "$PROF_BIN/../test/make_job" 2 || fail "clocks are not within their error"

make_job ranks=4 gpus=4 steps=4 one
fleet pack one/*.prof -o one.dataset >/dev/null
same "a host alone" 1 "$(fleet fleet clocks one.dataset --format tsv | tail -n +2 | wc -l)"

make_job ranks=8 tp=8 gpus=4 steps=1 layers=1 short
fleet pack short/*.prof -o short.dataset >/dev/null
found 'only [0-9]* collectives connect it' < <(fleet fleet clocks short.dataset) || fail "$(fleet fleet clocks short.dataset)"

# No communicator is known: nothing to compare, and no error.
cat >kineto.json <<'JSON'
{"traceEvents":[{"ph":"X","cat":"kernel","name":"ncclKernel","pid":0,"tid":7,"ts":5,"dur":3,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":9,"ts":1,"dur":1}]}
JSON
fleet pack kineto.json -o kineto >/dev/null
fleet fleet clocks kineto >/dev/null
