#!/usr/bin/env bash
# What the timeline of a report holds: with --html-full every event, else as much as there is room for, and nothing is lost in sum.
set -euo pipefail
: "${BIN_DIR:?}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

profdump=$BIN_DIR/profdump
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here
mkdir job
"$BIN_DIR/../test/make_job" ranks=8 steps=20 layers=16 kernels=8 job
"$profdump" -o short.html job
"$profdump" -o full.html --html-full job
"$profdump" --format json job >job.json
python3 "$here/make_kineto.py" usual.json usual
"$profdump" -o usual.html usual.json

python3 - <<'PY'
import json
import os
from timeline_boxes import boxes_of

short, short_tracks = boxes_of('short.html')
full, full_tracks = boxes_of('full.html')
assert full['least_ns'] == 0 and full['boxes'] == full['events'] > 80000, full
assert short['events'] == full['events'] and 20000 < short['boxes'] <= 60000 and short['least_ns'] > 0, short
assert os.path.getsize('short.html') < 2e6 and os.path.getsize('full.html') < 10 * full['events'], 'they are large'


def sums(tracks):
    """Events and their time of each track and level: those of copies, kernels ... within."""
    return {(process, kind, name, depth): (sum(box['count'] for box in level), sum(box['busy'] for box in level))
            for process, kind, name, _, levels in tracks for depth, level in enumerate(levels)}


assert sums(short_tracks) == sums(full_tracks), 'run together, events got lost'

# the same device time and the same operations as the table
job = json.load(open('job.json'))
operations = [box for _, kind, _, _, levels in full_tracks if kind == 2 for level in levels for box in level]
kernels = [box for box in operations if box['kind'] in (2, 6)]
rows = {row['name']: row for row in job['kernels']}
for name in {box['name'] for box in kernels}:
    of = [box['busy'] for box in kernels if box['name'] == name]
    assert len(of) == rows[name]['count'] and sum(of) == rows[name]['self_cuda_total_ns'], (name, len(of), sum(of), rows[name])
assert any(box['kind'] == 6 for box in kernels), 'no kernel communicates'

# each operation leads to the call that launched it
launched = [box for box in operations if box['thread'] >= 0]
assert len(launched) == len(operations), 'operations without a launch'
for box in launched[::97]:
    level = full_tracks[box['thread']][4][box['depth']]
    call = next(call for call in level if call['start'] == box['launch'])
    assert call['kind'] == 1 and 'Launch' in call['name'], call

_, tracks = boxes_of('usual.html')
boxes = [box for *_, levels in tracks for level in levels for box in level]
assert any('[[1024, 1024], [1024, 1024]]' in box['detail'] for box in boxes if box['name'] == 'aten::mm'), 'no shapes'
assert any('Grid\t64 x 1 x 1' in box['detail'] for box in boxes if 'sgemm' in box['name']), 'no grid'
assert any(box['detail'] == 'Bytes\t1048576' for box in boxes if box['kind'] == 3), 'no bytes'
PY

# only the report has one
if "$profdump" --html-full job >out 2>&1; then
    echo "--html-full was accepted without a report"
    exit 1
fi
grep -q 'html-full' out
