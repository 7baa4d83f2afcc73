"""fuzz.py BUILD_DIRECTORY SECONDS [READER...]: fuzzes the readers, so many seconds each, and keeps what is worth it.

BUILD_DIRECTORY is one of clang's (`./dev lint` makes build-clang). The fuzzer begins with the seeds of the generators,
what corpus/READER.tar.xz keeps, and what earlier runs left in the build directory. Inputs that reach more code go into
corpus/READER.tar.xz, smallest first, while it stays small. Every run is a line in log.tsv: CPU time, executions, edges
and features covered, files kept, crashes. Crashing inputs stay in the build directory.

    fuzz.py --totals    adds log.tsv up; the goal is 24 CPU hours of each reader
"""
import glob
import io
import lzma
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOG = os.path.join(HERE, "log.tsv")
COLUMNS = ("date", "reader", "cpu_s", "executions", "edges", "features", "kept", "crashes")
GOAL_S = 24 * 3600
ARCHIVE_BYTES_MAX = 50000  # so all of them stay below 300 KB
# The generator of each reader's seeds with its arguments, and the longest input.
READERS = {
    "reader": (["fuzz_seeds", "DIRECTORY"], 300000),
    "kineto": (["fuzz_kineto_seeds", "DIRECTORY"], 100000),
    "etprof": (["fuzz_seeds", "DIRECTORY", "etprof"], 16384),
    "etdump": (["fuzz_seeds", "DIRECTORY", "etdump"], 16384),
    "sqlite": (["make_databases", "DIRECTORY"], 100000),
}


class Reader:
    def __init__(self, build, name):
        self.name = name
        self.fuzzer = os.path.join(build, "test", f"fuzz_{name}")
        self.directory = os.path.join(build, "fuzz", name)
        self.archive = os.path.join(HERE, "corpus", f"{name}.tar.xz")
        self.generator, self.longest = READERS[name]
        self.generator = [os.path.join(build, "test", self.generator[0])] + self.generator[1:]

    def folder(self, name, empty=False):
        path = os.path.join(self.directory, name)
        if empty:
            shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path, exist_ok=True)
        return path

    def seeds(self):
        """A new folder with what every run begins with."""
        folder = self.folder("seeds", empty=True)
        subprocess.run([folder if word == "DIRECTORY" else word for word in self.generator], check=True,
                       stdout=subprocess.DEVNULL)
        if os.path.exists(self.archive):
            with tarfile.open(self.archive) as archive:
                archive.extractall(folder)
        return folder

    def call(self, *arguments):
        """What the fuzzer prints, and its CPU time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run([self.fuzzer, f"-max_len={self.longest}", "-rss_limit_mb=2048", "-timeout=25",
                              f"-artifact_prefix={self.folder('crashes')}/", *arguments], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ran.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def fuzz(self, seconds):
        """A line of the log. A crash ends a run of the fuzzer, so there may be several."""
        seeds, found = self.seeds(), self.folder("found")
        crashes_before = set(os.listdir(self.folder("crashes")))
        row = dict.fromkeys(COLUMNS, 0)
        row.update(date=time.strftime("%Y-%m-%d", time.gmtime()), reader=self.name)
        deadline = time.monotonic() + seconds
        while deadline - time.monotonic() > 1:
            text, cpu_s = self.call(f"-max_total_time={int(deadline - time.monotonic())}", "-print_final_stats=1", found,
                                    seeds)
            row["cpu_s"] += cpu_s
            row["executions"] += int((re.findall(r"number_of_executed_units: (\d+)", text) or [0])[-1])
            for column, word in (("edges", "cov"), ("features", "ft")):
                row[column] = max([row[column]] + [int(n) for n in re.findall(rf" {word}: (\d+)", text)])
        row["cpu_s"] = round(row["cpu_s"])
        row["crashes"] = len(set(os.listdir(self.folder("crashes"))) - crashes_before)
        row["kept"] = self.keep(seeds, found)
        return row

    def keep(self, seeds, found):
        """Adds to the archive what reaches code that the seeds do not; returns how many files it holds."""
        before = set(os.listdir(seeds))
        kept = {}
        if os.path.exists(self.archive):
            with tarfile.open(self.archive) as archive:
                kept = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
        self.call("-merge=1", seeds, found)
        added = [os.path.join(seeds, name) for name in set(os.listdir(seeds)) - before]
        for path in sorted(added, key=lambda path: (os.path.getsize(path), path)):
            with open(path, "rb") as file:
                more = {**kept, os.path.basename(path): file.read()}
            if len(packed(more)) > ARCHIVE_BYTES_MAX:
                break
            kept = more
        if kept:
            with open(self.archive, "wb") as file:
                file.write(packed(kept))
        return len(kept)


def packed(files):
    """The bytes of an archive, the same whenever it holds the same."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return lzma.compress(tar.getvalue(), preset=6)


def append_row(row):
    new = not os.path.exists(LOG)
    with open(LOG, "a", encoding="utf-8") as file:
        if new:
            file.write("\t".join(COLUMNS) + "\n")
        file.write("\t".join(str(row[column]) for column in COLUMNS) + "\n")


def print_totals():
    with open(LOG, encoding="utf-8") as file:
        rows = [dict(zip(COLUMNS, line.rstrip("\n").split("\t"))) for line in list(file)[1:]]
    print(f"{'reader':8} {'runs':>5} {'CPU hours':>10} {'of goal':>8} {'executions':>12} {'edges':>7} {'crashes':>8}")
    for name in READERS:
        own = [row for row in rows if row["reader"] == name]
        cpu_s = sum(int(row["cpu_s"]) for row in own)
        print(f"{name:8} {len(own):5} {cpu_s / 3600:10.2f} {100 * cpu_s / GOAL_S:7.1f}% "
              f"{sum(int(row['executions']) for row in own):12} {max([int(row['edges']) for row in own], default=0):7} "
              f"{sum(int(row['crashes']) for row in own):8}")


def main(build, seconds, *names):
    crashes = 0
    for name in names or READERS:
        reader = Reader(os.path.abspath(build), name)
        if not os.path.exists(reader.fuzzer):
            print(f"{name}: {reader.fuzzer} is not built")
            continue
        row = reader.fuzz(int(seconds))
        append_row(row)
        crashes += row["crashes"]
        print(" ".join(f"{column}={row[column]}" for column in COLUMNS), flush=True)
        for path in glob.glob(f"{reader.directory}/crashes/*"):
            print(f"    {path}", flush=True)
    return crashes > 0


if __name__ == "__main__":
    sys.exit(print_totals() if sys.argv[1:] == ["--totals"] else main(*sys.argv[1:]))
