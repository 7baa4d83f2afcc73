#!/usr/bin/env bash
# Reports against values that were computed by hand.
. "$(dirname "$0")/fleet_common.sh"

# Bandwidths as nccl-tests computes them: four ranks, 1,000,000 bytes as NCCL states them, the last rank's kernel takes 1 us.
python3 - <<'PYTHON' || fail "bandwidths"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

WANTED = {  # algorithm and bus bandwidth, in GB/s
    "ncclAllReduce": (1000, 1500), "ncclBroadcast": (1000, 1000), "ncclReduce": (1000, 1000),
    "ncclAllGather": (4000, 3000), "ncclReduceScatter": (4000, 3000), "ncclAlltoAll": (4000, 3000),
    "ncclGather": (4000, 3000), "ncclScatter": (4000, 3000),
}
tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
for i, function in enumerate(WANTED):
    for rank in range(4):
        tables.execute(
            "INSERT INTO collectives (rank, step, communicator, sequence, function, bytes, called, start, duration_ns) "
            "VALUES (?, 0, 5, ?, ?, 1000000, 0, 0, ?)", [rank, i, function, 1000 + 500 * rank])
# One that hangs, and one that hangs on one rank: they count, but have no times, or those of the others.
for rank in range(4):
    tables.execute("INSERT INTO collectives (rank, communicator, sequence, function, bytes, called) VALUES (?, 6, 0, 'ncclAllReduce', 8, 0)", [rank])
    tables.execute("INSERT INTO collectives (rank, communicator, sequence, function, bytes, called, start, duration_ns) "
                   "VALUES (?, 7, 0, 'ncclAllReduce', 1000000, 0, 0, ?)", [rank, 1000 + rank if rank < 3 else None])
result = tables.execute(_engine.sql_text("collectives"))
names = [column[0] for column in result.description]
rows = [dict(zip(names, row)) for row in result.fetchall()]
hung = {row["communicator"]: row for row in rows if row["communicator"] != 5}
rows = [row for row in rows if row["communicator"] == 5]
assert [hung[c]["not_completed"] for c in (6, 7)] == [1, 1] and all(row["not_completed"] == 0 for row in rows), hung
assert [(hung[c]["collectives"], hung[c]["ranks"], hung[c]["skew_ns"], hung[c]["transfer_ns"], hung[c]["bus_gb_per_s"]) for c in (6, 7)] == [
    (1, 4, None, None, None), (1, 4, 2, 1000, 1500.0)], hung
found = {row["function"]: (row["algorithm_gb_per_s"], row["bus_gb_per_s"]) for row in rows}
assert found == WANTED, found
assert all(row["skew_ns"] == 1500 and row["transfer_ns"] == 1000 for row in rows), rows
PYTHON

# Sends and receives are no collectives: rank 0 sends twice, the others receive once, then all reduce, and rank 2 comes last.
python3 - <<'PYTHON' || fail "sends and receives"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

CALLS = {0: ("Send", "Send", "AllReduce"), 1: ("Recv", "AllReduce"), 2: ("Recv", "AllReduce")}
REDUCE_NS = {0: 5000, 1: 4000, 2: 1000}
tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
insert = (
    "INSERT INTO collectives (rank, communicator, sequence, function, bytes, called, start, duration_ns, stream) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 7)")
for rank, functions in CALLS.items():
    for i, function in enumerate(functions):
        is_reduce = function == "AllReduce"
        tables.execute(insert, [rank, 5, 0 if is_reduce else None, f"nccl{function}", 64, 10000 * i, 10000 * i + 200,
                                REDUCE_NS[rank] if is_reduce else 300 + rank])
tables.execute(insert, [3, None, None, "ncclDevKernel_SendRecv", None, None, 0, 300])


def report(name):
    result = tables.execute(_engine.sql_text(name))
    return [dict(zip([column[0] for column in result.description], values)) for values in result.fetchall()]


for rank in CALLS:
    tables.execute("INSERT INTO ranks (rank, host) VALUES (?, 'node0')", [rank])
assert report("mismatches") == [], report("mismatches")
waits = {r["rank"]: (r["collectives"], r["times_last"], r["caused_ns"], r["waited_ns"]) for r in report("stragglers")}
assert waits == {0: (1, 0, 0, 4000), 1: (1, 0, 0, 3000), 2: (1, 1, 4000, 0)}, waits
rows = {r["function"]: (r["ranks"], r["collectives"], r["skew_ns"], r["transfer_ns"]) for r in report("collectives")}
assert rows.pop("ncclDevKernel_SendRecv") == (1, 1, None, 300), "a recording without NCCL's ranges"
assert rows == {"ncclSend": (1, 2, None, 300), "ncclRecv": (1, 2, None, 302), "ncclAllReduce": (3, 1, 4000, 1000)}, rows
PYTHON

# Rank 1's recording ends 2 ms before that of rank 0, which has called one more collective: it was not to end yet. It hangs where rank 0's
# recording goes on.
python3 - <<'PYTHON' || fail "a collective in flight"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

MS = 1000000


def mismatches(after_ms, step_ms):
    tables = duckdb.connect()
    for statement in create_tables():
        tables.execute(statement)
    for rank, count, end_ms in ((0, 15, 142 + after_ms), (1, 14, 140)):
        tables.execute("INSERT INTO ranks (rank, rank_known, start, duration_ns) VALUES (?, true, ?, ?)", [rank, MS, end_ms * MS])
        for i in range(count):
            tables.execute(
                "INSERT INTO collectives (rank, communicator, sequence, function, bytes, called, start, duration_ns) "
                "VALUES (?, 5, ?, 'ncclAllReduce', 8, ?, ?, ?)",
                [rank, i, (1 + 10 * i) * MS, (2 + 10 * i) * MS, MS if i < 14 else None])
            if step_ms:
                tables.execute("INSERT INTO steps (rank, step, duration_ns) VALUES (?, ?, ?)", [rank, i, step_ms * MS])
    result = tables.execute(_engine.sql_text("mismatches"))
    names = [column[0] for column in result.description]
    return [(row["rank"], row["sequence"], row["state"]) for row in (dict(zip(names, values)) for values in result.fetchall())]


HANGS = [(1, 14, "did not enter"), (0, 14, "waits")]
assert mismatches(0, 10) == mismatches(0, None) == [], "in flight"
assert mismatches(10, 10) == mismatches(100, None) == HANGS, "hangs"
PYTHON

# Who waits for whom: rank 0 sends to 1 and 1 to 2, and gradients come back; rank 1 is late. Ranks 5 to 7 send around a ring.
python3 - <<'PYTHON' || fail "waits"
import duckdb
from libprof.fleet import _engine, _pipeline
from engines import create_tables

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
SENDS = [  # communicator, sender, receiver, duration of both kernels
    (10, 0, 1, 900, 100), (10, 0, 1, 150, 110), (10, 1, 0, 100, 2100), (20, 1, 2, 100, 1100), (20, 1, 2, 100, 1200), (20, 2, 1, 100, 300),
    (30, 5, 6, 50, 50), (31, 6, 7, 50, 50), (32, 7, 5, 50, 50),
    (40, 8, 9, 50, 50), (41, 9, 10, 50, 50), (42, 10, 8, 50, 50), (40, 9, 8, 50, 50), (41, 10, 9, 50, 50), (42, 8, 10, 50, 50)]
for called, (communicator, sender, receiver, send_ns, receive_ns) in enumerate(SENDS):
    for rank, function, ns in ((sender, "ncclSend", send_ns), (receiver, "ncclRecv", receive_ns)):
        tables.execute("INSERT INTO collectives (rank, communicator, function, bytes, called, duration_ns) VALUES (?, ?, ?, 1000, ?, ?)",
                       [rank, communicator, function, called, ns])
tables.execute("INSERT INTO collectives (rank, communicator, function, bytes, called) VALUES (0, 10, 'ncclSend', 1000, 99)")  # nobody receives it
for rank in range(11):
    tables.execute("INSERT INTO ranks (rank, host) VALUES (?, ?)", [rank, f"node{rank}"])
result = tables.execute(_engine.sql_text("waits"))
rows = [dict(zip([column[0] for column in result.description], row)) for row in result.fetchall()]
found = {(r["sender"], r["receiver"]): (r["sends"], r["transfer_ns"], r["receiver_waited_ns"], r["sender_waited_ns"], r["gbps"]) for r in rows}
assert found[0, 1] == (2, 105, 0, 840, 9.52) and found[1, 0] == (1, 100, 2000, 0, 10.0), found
assert found[1, 2] == (2, 100, 2100, 0, 10.0) and found[2, 1] == (1, 100, 200, 0, 10.0), found


class Engine:
    @staticmethod
    def run(sql):
        done = tables.execute(sql)
        return [column[0] for column in done.description], done.fetchall()


pipelines = _pipeline.find_pipelines(Engine)
assert pipelines.pipelines == ((0, 1, 2), (8, 9, 10)), pipelines.pipelines  # the ring in one direction is none
assert pipelines.stages() == [(0, 8), (1, 9), (2, 10)] and pipelines.stage_of()[9] == 1
assert _pipeline.waited_for(pipelines.links, [1]) == {0: 2840, 2: 2100}, _pipeline.waited_for(pipelines.links, [1])
assert "stage 0 waits 710 ns a step" in _pipeline.waits_text(pipelines, [1], 4), _pipeline.waits_text(pipelines, [1], 4)
PYTHON

# One communicator for all: ranks 4 to 6 say in it that they are 2, 0 and 1; ranks 7 to 9 do not, so they follow their order. The
# rings of sends differ only in whom they send to. In a group, two sends to a peer share a kernel.
python3 - <<'PYTHON' || fail "peers"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
INSERT = ("INSERT INTO collectives (rank, communicator, communicator_rank, function, bytes, called, start, duration_ns, peer, "
          "group_place, group_bytes) VALUES (?, ?, ?, ?, 1000, ?, ?, ?, ?, ?, ?)")


def transfer(communicator, numbers, sender, receiver, called, send_ns, receive_ns, place=None):
    stated = communicator == 10
    for rank, peer, function, ns in ((sender, receiver, "ncclSend", send_ns), (receiver, sender, "ncclRecv", receive_ns)):
        tables.execute(INSERT, [rank, communicator, numbers[rank] if stated else None, function, called, called // 10 * 1000, ns,
                                numbers[peer], place, None if place is None else 2000])


STATED, ORDERED = {4: 2, 5: 0, 6: 1}, {7: 0, 8: 1, 9: 2}
transfer(10, STATED, 4, 5, 10, 100, 900)
transfer(10, STATED, 4, 6, 20, 300, 200)
transfer(10, STATED, 5, 6, 30, 100, 100)
transfer(20, ORDERED, 7, 9, 10, 100, 400)
for i in range(2):
    transfer(20, ORDERED, 8, 9, 20 + i, 600, 200, i)
result = tables.execute(_engine.sql_text("waits"))
rows = [dict(zip([column[0] for column in result.description], row)) for row in result.fetchall()]
found = {(r["sender"], r["receiver"]): (r["sends"], r["transfer_ns"], r["receiver_waited_ns"], r["sender_waited_ns"], r["gbps"]) for r in rows}
assert found == {(4, 5): (1, 100, 800, 0, 10.0), (4, 6): (1, 200, 0, 100, 5.0), (5, 6): (1, 100, 0, 0, 10.0),
                 (7, 9): (1, 100, 300, 0, 10.0), (8, 9): (2, 100, 0, 400, 10.0)}, found
PYTHON

# Calls of a group: two all-reduces of 3,000 and 1,000 bytes share a kernel, which takes 400 ns on the last of two ranks. The
# other rank waited for 600 ns once, not twice.
python3 - <<'PYTHON' || fail "calls of a group"
import duckdb
from libprof.fleet import _diff, _engine, _groups, _pipeline
from engines import create_tables

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
for rank, ns in ((0, 1000), (1, 400)):
    tables.execute("INSERT INTO ranks (rank, host) VALUES (?, 'node0')", [rank])
    for place, size in enumerate((3000, 1000)):
        tables.execute(
            "INSERT INTO collectives (rank, communicator, sequence, function, bytes, called, start, duration_ns, stream, group_place, "
            "group_bytes) VALUES (?, 5, ?, 'ncclAllReduce', ?, ?, 100, ?, 7, ?, 4000)", [rank, place, size, place, ns, place])


class Engine:
    @staticmethod
    def run(sql):
        done = tables.execute(sql)
        return [column[0] for column in done.description], done.fetchall()


def report(name):
    columns, rows = Engine.run(_engine.sql_text(name))
    return [dict(zip(columns, row)) for row in rows]


(row,) = report("collectives")
assert (row["collectives"], row["skew_ns"], row["transfer_ns"], row["algorithm_gb_per_s"]) == (2, 300, 200, 10.0), row
waits = {r["rank"]: (r["collectives"], r["times_last"], r["caused_ns"], r["waited_ns"]) for r in report("stragglers")}
assert waits == {0: (1, 0, 0, 600), 1: (1, 1, 600, 0)}, waits
assert report("mismatches") == []
assert _diff._communication(Engine) == (600, 800), _diff._communication(Engine)
(group,) = _groups.find_groups(Engine, _pipeline.find_pipelines(Engine))
assert (group.collectives, group.time_ns) == (2, 1400), group
PYTHON

# Who is late, why, and by which evidence: rank 2 is last in 3 of 3 collectives of four ranks. All ranks wait 30 ms outside of ranges, but
# its loader takes 4 ms longer.
python3 - <<'PYTHON' || fail "stragglers"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
tables.execute("INSERT INTO names VALUES (1, 'input'), (2, 'save')")
for rank in range(4):
    tables.execute("INSERT INTO ranks (rank, host) VALUES (?, 'node0')", [rank])
    for step in range(3):
        late_ms = 4 if rank == 2 else 0
        tables.execute(
            "INSERT INTO steps (rank, step, start, duration_ns, compute_ns, overlapped_ns, communication_ns, copy_ns, idle_host_ns, idle_device_ns) "
            "VALUES (?, ?, 0, 50000000, 10000000, 0, ?, 0, ?, 0)", [rank, step, int((5 - late_ms) * 1e6), int((35 + late_ms) * 1e6)])
        for name, ms in ((None, 30), (1, 5 + late_ms), *(((2, 0.5),) if rank == 1 else ())):
            tables.execute("INSERT INTO idle (rank, step, range, host_ns) VALUES (?, ?, ?, ?)", [rank, step, name, int(ms * 1e6)])
        tables.execute("INSERT INTO collectives (rank, step, communicator, sequence, function, duration_ns) VALUES (?, ?, 5, ?, 'ncclAllReduce', ?)",
                       [rank, step, step, int((5 - late_ms) * 1e6)])
result = tables.execute(_engine.sql_text("stragglers"))
rows = {row[0]: dict(zip([column[0] for column in result.description], row)) for row in result.fetchall()}
late = rows[2]
assert (late["times_last"], late["by_chance"], late["longer"], late["longer_by_ns"], late["in_range"]) == (3, 0.8, "host", 4000000, "input"), late
PYTHON

# Mismatches: recordings that begin and end at different collectives, a lost kernel, and an all-to-all with parts of different sizes
# are no faults. On communicator 8, rank 1 did not enter collective 14, in which rank 0 waits.
python3 - <<'PYTHON' || fail "mismatches"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)


def call(communicator, rank, sequence, ns=1000, function="ncclAllReduce", size=64):
    tables.execute("INSERT INTO collectives (rank, step, communicator, sequence, function, bytes, called, duration_ns) VALUES (?, 3, ?, ?, ?, ?, 0, ?)",
                   [rank, communicator, sequence, function, size, ns])


for sequence in range(10, 15):
    call(5, 0, sequence)
    call(5, 1, sequence + 2)
    call(6, 0, sequence, None if sequence == 12 else 1000)
    call(6, 1, sequence)
    for rank in range(2):
        call(7, rank, sequence, function="ncclAlltoAll", size=64 << rank)
found = tables.execute(_engine.sql_text("mismatches")).fetchall()
assert found == [], found
for sequence in range(10, 15):
    call(8, 0, sequence, None if sequence == 14 else 1000)
    if sequence < 14:
        call(8, 1, sequence)
found = tables.execute(_engine.sql_text("mismatches")).fetchall()
assert [(row[0], row[1], row[5], row[6]) for row in found] == [(8, 14, 1, "did not enter"), (8, 14, 0, "waits")], found
PYTHON

# Thresholds in a file: nothing is found below them, and what is wrong in the file is said.
make_job ranks=8 steps=10 fault=slow_gpu victim=5 size=10 slower
fleet pack slower -o slower.dataset --workers 1 >/dev/null
found '^- the others wait for rank 5 on node0, .* compute takes ' < <(fleet fleet slower.dataset) || fail "$(fleet fleet slower.dataset)"
found '^Detection limit with 8 ranks and 10 steps: a rank that always takes ' < <(fleet fleet slower.dataset) || fail "no detection limit"
printf 'least_share = 0.5 # of a step\n\n' >limits.ini
found '^Nothing stands out' < <(fleet fleet slower.dataset --limits limits.ini) || fail "$(fleet fleet slower.dataset --limits limits.ini)"
for line in 'share = 1' 'least_share = much' 'least_share = -1' 'false_alarm = 1' 'least_share'; do
    echo "$line" >limits.ini
    if fleet fleet slower.dataset --limits limits.ini 2>err.txt; then fail "limits that are wrong: $line"; fi
    found '^profdump: limits.ini' <err.txt && same "lines about $line" 1 "$(wc -l <err.txt)" || fail "$(cat err.txt)"
done

# Groups: tensor-parallel ones inside a host, data-parallel ones across. A job without communicators has none.
make_job ranks=8 tp=2 gpus=4 steps=3 job
fleet pack job -o job.dataset --workers 1 >/dev/null
same "groups" "group of 4: 0-6 step 2	4	2	across hosts
group of 4: 1-7 step 2	4	2	across hosts
group of 2: 0,1	2	1	inside a host
group of 2: 2,3	2	1	inside a host
group of 2: 4,5	2	1	inside a host
group of 2: 6,7	2	1	inside a host" "$(fleet fleet groups job.dataset --format tsv | tail -n +2 | cut -f 1-4)"
same "host, GPU and groups of rank 5" "node1	1	group of 4: 1-7 step 2; group of 2: 4,5" \
    "$(fleet fleet breakdown job.dataset --format tsv | awk -F'\t' -v OFS='\t' '$1 == 5 { print $(NF - 2), $(NF - 1), $NF }')"
same "the group of each communicator" 6 "$(fleet fleet collectives job.dataset --format tsv | grep -c 'group of')"
for format in text tsv; do
    same "two reports as $format" "groups:
$(fleet fleet groups job.dataset --format $format)

breakdown:
$(fleet fleet breakdown job.dataset --format $format)" "$(fleet fleet groups breakdown job.dataset --format $format)"
done
same "two reports as JSON" "$(fleet fleet groups job.dataset --json && fleet fleet breakdown job.dataset --json)" \
    "$(fleet fleet groups breakdown job.dataset --json)"
for words in "groups nonsense" "nonsense groups" "groups breakdown --sql x"; do
    # shellcheck disable=SC2086
    same "$words" 2 "$(status_of fleet fleet $words job.dataset)"
done
make_job pp=4 tp=2 dp=2 gpus=4 steps=3 line
fleet pack line -o line.dataset --workers 1 >/dev/null
same "pipelines" "pipeline of 4: 0-12 step 4	4	4	across hosts
pipeline of 4: 1-13 step 4	4	4	across hosts
pipeline of 4: 2-14 step 4	4	4	across hosts
pipeline of 4: 3-15 step 4	4	4	across hosts" "$(fleet fleet groups line.dataset --format tsv | grep ^pipeline | cut -f 1-4)"
same "the stage of rank 9" 2 "$(fleet fleet breakdown line.dataset --format json | python3 -c 'import json, sys
print(next(row["stage"] for row in json.load(sys.stdin)["rows"] if row["rank"] == 9))')"
make_job ranks=1 steps=1 alone
fleet pack alone -o alone.dataset --workers 1 >/dev/null
fleet fleet groups alone.dataset >/dev/null || fail "groups of one rank"

# Memory: the largest peak of each rank, the worst rank first, against the median.
python3 - <<'PYTHON' || fail "memory"
import duckdb
from libprof.fleet import _engine
from engines import create_tables

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
tables.execute("INSERT INTO names VALUES (9, 'backward')")
tables.execute("INSERT INTO ranks (rank, host) VALUES (0, 'a'), (1, 'a'), (2, 'b')")
tables.execute(
    "INSERT INTO memory (rank, step, device, kind, peak_bytes, time, range) VALUES (0, 1, 0, 'device', 100, 5, NULL), "
    "(1, 1, 1, 'device', 110, 5, NULL), (2, 3, 0, 'device', 330, 7, 9), (2, 1, 0, 'device', 120, 4, NULL), (2, NULL, NULL, 'pinned', 8, 1, NULL)")
found = tables.execute(_engine.sql_text("memory")).fetchall()
assert found == [
    (2, "b", 0, "device", 330, 110, 3.0, 3, 7, "backward"), (1, "a", 1, "device", 110, 110, 1.0, 1, 5, None),
    (0, "a", 0, "device", 100, 110, 0.909, 1, 5, None), (2, "b", None, "pinned", 8, 8, 1.0, None, 1, None),
], found
PYTHON

# Slow kernels: of the same kernel with the same shape, the rank that is slower than most; more blocks may take longer.
python3 - <<'PYTHON' || fail "outliers"
import duckdb
from engines import create_tables
from libprof.fleet import _engine

tables = duckdb.connect()
for statement in create_tables():
    tables.execute(statement)
tables.execute("INSERT INTO names VALUES (1, 'gemm')")
insert = "INSERT INTO kernels (rank, name, class, duration_ns, grid_x, grid_y, grid_z, block_x, block_y, block_z) VALUES (?, 1, 'compute', ?, ?, 1, 1, 256, 1, 1)"
for rank in range(5):
    tables.execute("INSERT INTO ranks (rank, host) VALUES (?, 'node')", [rank])
    for call in range(2):
        tables.execute(insert, [rank, 130 if rank == 2 else 100, 64])
    tables.execute(insert, [rank, 400, 256])
    if rank == 0:
        tables.execute(insert, [rank, 900, 999])  # a shape that one rank alone has
    tables.execute(insert, [4, 400, 256])  # more calls of the large shape
    tables.execute("INSERT INTO summary (rank, kind, name, count, sum_ns) VALUES (?, 'compute', 1, 4, ?)", [rank, 4000 if rank == 4 else 700])
wanted = [(2, "node", "gemm", "64x1x1 of 256x1x1", 2, 130, 100, 1.3, 60)]
found = tables.execute(_engine.sql_text("outliers")).fetchall()
assert found == wanted, found
tables.execute("DELETE FROM kernels")
found = tables.execute(_engine.sql_text("outliers")).fetchall()
assert found == [(4, "node", "gemm", None, 4, 1000, 175, 5.714, 3300)], found
PYTHON
