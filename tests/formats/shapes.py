"""Every output of profdump over traces of the same size and of different shapes: the CPU time per event may not be a
multiple of that of one process, device, stream and thread. Limits are generous: what they find is quadratic.

    shapes.py PROFDUMP
"""
import os
import resource
import subprocess
import sys

LAUNCHES = 15000
MANY = 10000
TIMES_SMALL = 6  # per event
SECONDS = 0.7    # beside that, per run: the machine may be busy
LIMIT_S = 60     # what takes longer is stopped

OUTPUTS = {
    "table": ["--format", "tsv"],
    "groups": ["--group-by", "name,thread,device,stream,process", "--format", "tsv"],
    "paths": ["--group-by", "path", "--format", "tsv"],
    "tree": ["--tree", "--format", "tsv"],
    "memory": ["memory"],
    "ledger": ["ledger"],
    "graphs": ["graphs"],
    "check": ["check"],
    "explain": ["explain"],
    "folded": ["folded"],
    "tax": ["tax"],
    "analyze": ["analyze"],
    "breakdown": ["breakdown"],
    "json": ["--json"],
    "chrome": ["--window", "0us..", "--chrome", "out.json"],
    "merge": ["--chrome", "out.json", "small.json"],
    "html": ["-o", "out.html"],
    "perfetto": ["-o", "out.pftrace"],
    "sqlite": ["-o", "out.sqlite"],
    "arrow": ["-o", "out.arrow"],
    "svg": ["-o", "out.svg"],
    "pprof": ["-o", "out.pb.gz"],
    "speedscope": ["-o", "out.json", "--to", "speedscope"],
    "prometheus": ["-o", "out.prom"],
}

# A gap of a device is what the launching thread did meanwhile, so this is told of every device.
KNOWN = {("devices", "explain"), ("devices", "html")}


def launch(i, pid=5000, tid=5000, device=0, stream=7, kernel="gemm", range_name="step"):
    start = i * 20
    yield f'{{"ph":"X","cat":"user_annotation","name":"{range_name}","pid":{pid},"tid":{tid},"ts":{start},"dur":12,"args":{{}}}}'
    yield (f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{pid},"tid":{tid},"ts":{start + 2},"dur":5,'
           f'"args":{{"correlation":{i + 1}}}}}')
    yield (f'{{"ph":"X","cat":"kernel","name":"{kernel}","pid":{device},"tid":{stream},"ts":{start + 9},"dur":9,"args":{{'
           f'"correlation":{i + 1},"device":{device},"context":1,"stream":{stream},"grid":[1,1,1],"block":[32,1,1]}}}}')
    yield (f'{{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":{pid},"tid":{tid},"ts":{start + 3},"args":{{'
           f'"Bytes":{-64 if i % 2 else 64},"Addr":{4096 * (i // 2 + 1)},"Device Id":{device},"Device Type":1}}}}')


def launches(**of):
    """`of`: what depends on the number of the launch."""
    return [event for i in range(LAUNCHES) for event in launch(i, **{key: value(i) for key, value in of.items()})]


def nested(depth):
    events = [f'{{"ph":"X","cat":"user_annotation","name":"r{d % 50}","pid":5000,"tid":5000,"ts":{d},"dur":{4 * depth - 2 * d},"args":{{}}}}'
              for d in range(depth)]
    return events + [event.replace('"cat":"user_annotation"', '"cat":"cpu_op"')
                     for i in range(depth // 10, depth // 10 + 200) for event in launch(i)]


def write(name, events):
    with open(f"{name}.json", "w") as file:
        file.write('{"traceEvents":[\n' + ",\n".join(events) + "\n]}\n")
    return len(events), os.path.getsize(f"{name}.json")


def cpu_seconds(profdump, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([profdump, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return float("inf")
    if done.returncode < 0 or (done.returncode and b"no " not in done.stderr):
        sys.exit(f"FAILED: {arguments}: status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    profdump = sys.argv[1]
    long = "x" * (1 << 20)
    sizes = {
        "small": write("small", launches()),
        "processes": write("processes", launches(pid=lambda i: 100000 + i % 900, tid=lambda i: 100000 + i % 900)),
        "devices": write("devices", launches(pid=lambda i: 90000, device=lambda i: i % MANY)),
        "streams": write("streams", launches(stream=lambda i: 7 + i % MANY)),
        "threads": write("threads", launches(tid=lambda i: 5000 + i % MANY)),
        "names": write("names", launches(kernel=lambda i: f"gemm{i % MANY}", range_name=lambda i: f"step{i % MANY}")),
        "depth": write("depth", nested(100000)),
        "long names": write("long names", [event for i in range(8) for event in
                                           launch(i, kernel=f"k{i}{long}", range_name=f"r{i}{long}")]),
    }
    failed = False
    for output, options in OUTPUTS.items():
        events, size = sizes["small"]
        small = min(cpu_seconds(profdump, [*options, "small.json"]) for _ in range(2))
        for shape in list(sizes)[1:]:
            if (shape, output) in KNOWN:
                continue
            by = 1 if shape == "long names" else 0
            allowed = SECONDS + small * TIMES_SMALL * sizes[shape][by] / (size, events)[1 - by]
            took = float("inf")
            for _ in range(3):  # other programs on the machine make caches colder, and CPU times longer
                took = min(took, cpu_seconds(profdump, [*options, f"{shape}.json"]))
                if took <= allowed:
                    break
            else:
                failed = True
                print(f"FAILED: {output} of {shape}: {took:.2f} s of CPU time, {small:.2f} s of small, {allowed:.2f} s allowed")
    sys.exit(failed)


main()
