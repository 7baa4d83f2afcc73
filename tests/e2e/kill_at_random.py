"""kill_at_random.py PROFDUMP LIBRARY TIMES: kills ./publish at random instants; nothing that it completed may be missing."""
import collections
import json
import os
import random
import struct
import subprocess
import sys
import time


def read_published(shared):
    if not os.path.exists(shared) or os.path.getsize(shared) == 0:
        return [0, 0]
    with open(shared, "rb") as file:
        data = file.read()
    return [struct.unpack_from("<Q", data, 128 * thread)[0] for thread in (0, 1)]


def kill_once(library, number, randomness):
    """Nine of ten times after the first event, else while the file is being made."""
    output, shared = f"killed-{number}.prof", "published"
    environment = dict(os.environ, LD_PRELOAD=library, PROF_OUTPUT=output)
    if os.path.exists(shared):
        os.unlink(shared)
    victim = subprocess.Popen(["./publish", shared], env=environment)
    while number % 10 and not any(read_published(shared)):
        time.sleep(0.0002)
    time.sleep(randomness.uniform(0, 0.01))
    victim.kill()
    assert victim.wait() == -9
    return output, read_published(shared)


def recorded(profdump, path):
    checked = subprocess.run([profdump, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert checked.returncode == 0, f"{path}: {checked.stdout}"
    facts = json.loads(subprocess.run([profdump, "--json", path], stdout=subprocess.PIPE, check=True).stdout)
    count = collections.Counter({row["name"]: row["count"] for row in facts["key_averages"]})
    return [count["pair 0"], count["pair 1"]], facts["loss"]


def main(profdump, library, times):
    randomness = random.Random(20240229)
    before_file = total = 0
    for number in range(int(times)):
        output, published = kill_once(library, number, randomness)
        if published == [0, 0] and (not os.path.exists(output) or os.path.getsize(output) == 0):
            before_file += 1
            continue
        found, loss = recorded(profdump, output)
        for thread in (0, 1):
            assert published[thread] <= found[thread] <= published[thread] + 1, (output, published, found, loss)
        total += sum(found)
        os.unlink(output)
    assert before_file < int(times) / 5, "killed too early to show anything"
    print(f"{times} killed, {before_file} before their first event, {total} pairs, none missing")


if __name__ == "__main__":
    main(*sys.argv[1:])
