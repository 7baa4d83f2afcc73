#!/usr/bin/env bash
# The page of a job: what is wrong, a cell for each step of each rank, and nothing in it that a name could smuggle in.
. "$(dirname "$0")/fleet_common.sh"

make_job ranks=12 tp=4 gpus=4 steps=6 seed=5 fault=slow_gpu victim=7 job
fleet pack job/*.prof -o dataset >/dev/null
same "what is said" "job.html: written" "$(fleet fleet dataset -o job.html)"
found 'the others wait for rank 7 on node1' <job.html || fail "the finding is not there"
python3 - <<'PYTHON' || fail "the page"
import base64, json, re
from libprof.fleet import _page
text = open("job.html").read()
grid = json.loads(re.search(r"const grid=(\{.*?\});", text).group(1))
assert grid["ranks"] == list(range(12)) and grid["steps"] == list(range(6)), grid
assert all(len(base64.b64decode(grid[view])) == 4 * 12 * 6 for view in _page.CELLS)
assert "src=" not in text and "href=" not in text, "it reaches for something else"
assert "<b>" not in _page._table(["name"], [("<b>&",)]) and "&lt;b&gt;&amp;" in _page._table(["name"], [("<b>&",)])
PYTHON
# More ranks and steps than a browser can draw: some share a line, which shows the largest value.
python3 - <<'PYTHON' || fail "the lines of a large map"
import array, base64
from libprof.fleet import Dataset, _engine, _page
engine = _engine.DuckDB(Dataset.open("dataset"))
cells = lambda grid, view: array.array("f", base64.b64decode(grid[view])).tolist()
full = _page._grid(engine)
assert full["ranks"] == full["last"] and "share" not in _page._shared_lines(full, 12)
_page.MOST_LINES = 5
grid = _page._grid(engine)
assert (grid["ranks"], grid["last"], grid["steps"]) == ([0, 3, 6, 9], [2, 5, 8, 11], [0, 2, 4]), grid
for view in _page.CELLS:
    one, many = cells(full, view), cells(grid, view)
    largest = [max(one[(3 * r + i) * 6 + 2 * s + j] for i in range(3) for j in range(2)) for r in range(4) for s in range(3)]
    assert many == largest, (view, many, largest)
assert "up to 3 ranks" in _page._shared_lines(grid, 12)
PYTHON
touch rank-7.html # a page of a rank: linked where there is one
fleet fleet dataset -o job.html >/dev/null
found '<a href="rank-7.html">7</a>' <job.html || fail "no link to the page of rank 7"
same "links" rank-7.html "$(grep -o 'href="[^"]*"' job.html | cut -d '"' -f 2 | sort -u)"

# Pages of ranks: the suspects, a list, all; what cannot be written is named.
rm rank-7.html
same "the suspect" "rank-7.html: written
job.html: written" "$(fleet fleet dataset -o job.html --pages suspects)"
found '<title>' <rank-7.html || fail "the page of rank 7"
found '<a href="rank-7.html">7</a>' <job.html || fail "no link to the page of rank 7"
fleet fleet dataset -o job.html --pages 2-3,99 >/dev/null 2>err.txt
found 'there is no rank 99: no page' <err.txt || fail "$(cat err.txt)"
same "a list" "rank-2.html rank-3.html rank-7.html" "$(echo rank-*.html)"
fleet fleet dataset -o job.html --pages all >/dev/null
same "all" 12 "$(find . -name 'rank-*.html' | wc -l)"
mkdir -p full/rank-7.html
fleet fleet dataset -o full/job.html --pages 7 2>err.txt >/dev/null
found '^profdump: rank 7: ' <err.txt || fail "$(cat err.txt)"
if fleet fleet dataset --pages all 2>err.txt; then fail "--pages without -o"; fi
if fleet fleet dataset -o job.html --pages x 2>err.txt; then fail "a rank that is none"; fi
found "pages: 'x' is no rank" <err.txt || fail "$(cat err.txt)"
if fleet fleet dataset -o /nowhere/job.html 2>err.txt; then fail "a folder that is not there"; fi
found '/nowhere/job.html' <err.txt || fail "$(cat err.txt)"
