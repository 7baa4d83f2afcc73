"""Databases of nsys, made here: nsys_expect.py PROFDUMP, in an empty folder."""
import os
import random
import sqlite3
import subprocess
import sys

PID, TID = 700, 701
GPID = 1 << 48 | PID << 24
GTID = GPID | TID
CALLS = ("start INTEGER NOT NULL, end INTEGER, eventClass INTEGER NOT NULL DEFAULT 0, globalTid INTEGER, correlationId INTEGER, "
         "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL DEFAULT 0, callchainId INTEGER")
KERNELS = ("start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL DEFAULT 0, contextId INTEGER NOT NULL DEFAULT 1, "
           "streamId INTEGER NOT NULL DEFAULT 7, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL DEFAULT 2, "
           "shortName INTEGER NOT NULL DEFAULT 2, registersPerThread INTEGER DEFAULT 32, gridX INTEGER DEFAULT 8, gridY INTEGER DEFAULT 1, "
           "gridZ INTEGER DEFAULT 1, blockX INTEGER DEFAULT 1024, blockY INTEGER DEFAULT 1, blockZ INTEGER DEFAULT 1, "
           "staticSharedMemory INTEGER DEFAULT 0, dynamicSharedMemory INTEGER DEFAULT 0")
EVENTS = "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER, nameId INTEGER"


def profdump(*arguments, status=0):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def has(text, *parts):
    for part in parts:
        assert part in text, f"no {part!r} in: {text}"


def database(name, script="", launches=57, kernels="CUPTI_ACTIVITY_KIND_KERNEL", calls="CUPTI_ACTIVITY_KIND_RUNTIME", shuffled=False):
    if os.path.exists(name):
        os.remove(name)
    db = sqlite3.connect(name)
    db.executescript(f"""
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
        CREATE TABLE {calls}({CALLS});
        CREATE TABLE {kernels}({KERNELS});
        INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000'),(2,'gemm(float *)'),(3,'cublasSgemm_v2'),(4,'cuLaunchKernel');
        INSERT INTO PROCESSES VALUES({GPID},{PID},'train');""")
    rows = [(1000 * i, 1000 * i + 100, GTID, i + 1) for i in range(launches)]
    ops = [(1000 * i + 200, 1000 * i + 900, i + 1, GPID) for i in range(launches)]
    if shuffled:
        random.Random(1).shuffle(rows)
        random.Random(2).shuffle(ops)
    db.executemany(f"INSERT INTO {calls}(start,end,globalTid,correlationId,nameId) VALUES(?,?,?,?,1)", rows)
    db.executemany(f"INSERT INTO {kernels}(start,end,correlationId,globalPid) VALUES(?,?,?,?)", ops)
    db.executescript(script)
    db.commit()
    db.close()
    return name


def counts(file):
    return profdump("query", "--format", "csv", "SELECT name, count(*), sum(duration) FROM slices GROUP BY name UNION ALL "
                    "SELECT name, count(*), sum(duration) FROM gpu_ops GROUP BY name", file)


# ---- any order of rows, any version of a table ----

wanted = profdump("--format", "csv", database("ordered.sqlite"))
assert profdump("--format", "csv", database("shuffled.sqlite", shuffled=True)) == wanted
versions = database("versions.sqlite", kernels="CUPTI_ACTIVITY_KIND_KERNEL_V3", calls="CUPTI_ACTIVITY_KIND_RUNTIME_V2")
assert profdump("--format", "csv", versions) == wanted
# a table in two versions is both
both = database("both.sqlite", f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2({KERNELS}); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2"
                f"(start,end,correlationId,globalPid) VALUES(90000,90001,57,{GPID});")
has(profdump("--verbose", both), "launched 58 = recorded 58")

# ---- what is not read is named ----

more = "".join(f"CREATE TABLE {table}({EVENTS}); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
               f"INSERT INTO {table} SELECT i, i + 1, 1, {GTID}, 3 FROM n;" for table, rows in (("CUBLAS_EVENTS", 12000), ("CUDNN_EVENTS", 400), ("OSRT_API", 80)))
library = database("library.sqlite", more + "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER); INSERT INTO DIAGNOSTIC_EVENT VALUES(1);"
                   f"CREATE TABLE MPI_RANKS({EVENTS});")
sentence = "not read: 3 tables, 12,480 rows (CUBLAS_EVENTS, CUDNN_EVENTS, OSRT_API)"
has(profdump(library), sentence)
has(profdump("check", library), sentence)
assert "not read" not in profdump("ordered.sqlite")

renamed = database("renamed.sqlite", kernels="KERNELS_NEW", calls="CALLS_NEW")
has(profdump(renamed, status=1), "no event tables that profdump can read; not read: 2 tables, 114 rows (CALLS_NEW, KERNELS_NEW)")

# ---- honest files that limits refused; other databases ----

db = sqlite3.connect(database("long.sqlite"))
db.execute("INSERT INTO StringIds VALUES(9, ?)", ("x" * 270997,))
db.commit()
db.close()
has(profdump("--verbose", "long.sqlite"), "launched 57 = recorded 57")

other = sqlite3.connect("other.sqlite")
terms = " UNION ALL ".join(f"SELECT {i} AS a, {' + '.join(['1'] * 60)} AS b" for i in range(50))
other.executescript(f"CREATE TABLE songs(title TEXT, start INTEGER); INSERT INTO songs VALUES('a', 1); CREATE VIEW v AS {terms};")
other.close()
has(profdump("other.sqlite", status=1), "an SQLite database, but neither from nsys (no table StringIds) nor nvprof")

# ---- managed memory: 11 and 12 are migrations, which no call launches ----

moved = database("moved.sqlite", f"""
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER,
        streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 227)
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 100 * i, 100 * i + 50, 0, 1, 7, NULL, {GPID}, 4096, 11 + i % 2 FROM n;""")
has(profdump("--verbose", "--fail-on-loss", moved), "launched 57 = recorded 57; each launch has its record")
assert "orphan" not in profdump("check", moved)
KINDS = "SELECT kind, count(*), sum(value) FROM migrations GROUP BY kind ORDER BY kind"
has(profdump("query", "--format", "csv", KINDS, moved), f"Memory migration DtoH,114,{114 * 4096}", f"Memory migration HtoD,113,{113 * 4096}")
has(profdump("memory", moved), "Managed memory", "memory cannot be judged: the file has no memory records".capitalize())
assert "Never freed" not in profdump("memory", moved)

# ---- call chains: a second row of a call ----

chains = database("chains.sqlite", f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,end,eventClass,globalTid,correlationId,nameId) "
                  f"SELECT start, end, 67, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId <= 38;"
                  f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,end,eventClass,globalTid,correlationId,nameId) VALUES(99000,99001,67,{GTID},900,4);")
calls = profdump("query", "--format", "csv", "SELECT name, count(*) FROM slices GROUP BY name ORDER BY name", chains)
has(calls, "cudaLaunchKernel,57", "cuLaunchKernel,1")

# ---- the older schema: devices and their limits; overheads ----

older = database("older.sqlite", f"""
    CREATE TABLE TARGET_INFO_CUDA_GPU(deviceId INTEGER, name TEXT, globalMemorySize INTEGER, globalMemoryBandwidth INTEGER,
        computeCapabilityMajor INTEGER, computeCapabilityMinor INTEGER, numMultiprocessors INTEGER, coreClockRate INTEGER, l2CacheSize INTEGER,
        numThreadsPerWarp INTEGER, maxThreadsPerBlock INTEGER, maxBlocksPerMultiprocessor INTEGER, maxWarpsPerMultiprocessor INTEGER,
        maxRegistersPerBlock INTEGER, maxRegistersPerMultiprocessor INTEGER, maxSharedMemoryPerBlock INTEGER, maxSharedMemoryPerMultiprocessor INTEGER);
    INSERT INTO TARGET_INFO_CUDA_GPU VALUES(0,'Tesla V100',16945512448,898048000,7,0,80,1530000,6291456,32,1024,32,64,65536,65536,49152,98304);
    CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD({EVENTS}, correlationId INTEGER, overheadType INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD(start,end,globalTid,nameId) VALUES(5,50,{GTID},3);""")
device = profdump("query", "--format", "csv", "SELECT name, multiprocessors FROM devices", older)
has(device, "Tesla V100,80")
assert "limits of the device" not in profdump("explain", older)
assert "not read" not in profdump(older)
