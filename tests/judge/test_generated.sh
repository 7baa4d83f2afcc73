#!/usr/bin/env bash
# Random Chrome traces and databases: the judge finds the numbers that profdump finds, and notices when one is off.
set -euo pipefail
: "${PROF_BIN:?}" "${SOURCE_DIR:?}"
judge=$SOURCE_DIR/tests/judge
count=200
[[ -z ${SANITIZE:-} ]] || count=24

rm -rf traces && mkdir traces
python3 "$judge/generate.py" traces $count
status=0
python3 "$judge/judge.py" --profdump "$PROF_BIN/profdump" traces/* >judged.txt || status=$?
grep -v '^skipped' judged.txt | tail -n 40
((status == 0)) || exit $status

python3 "$judge/doctored.py" "$PROF_BIN/profdump" traces/*.json

# The same through the command line: a profdump that is a nanosecond off in one row.
cat >off.sh <<SH
#!/bin/sh
"$PROF_BIN/profdump" "\$@" | sed '0,/"self_cuda_total_ns":\([1-9][0-9]*\)\([,}]\)/s//"self_cuda_total_ns":1\1\2/'
SH
chmod +x off.sh
if python3 "$judge/judge.py" --profdump ./off.sh traces/0.json >off.txt; then
    echo "FAILED: the judge did not notice"
    exit 1
fi
grep "^traces/0.json: device self of .*: profdump [0-9]*, judge [0-9]*$" off.txt
