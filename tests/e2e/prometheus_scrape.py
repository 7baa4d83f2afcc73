#!/usr/bin/env python3
"""A real node_exporter reads a directory of metrics, a real Prometheus scrapes it: PromQL queries have the expected values.

    prometheus_scrape.py BINARIES DIRECTORY SCRATCH QUERY=VALUE...

BINARIES has prometheus and prometheus-node-exporter; both listen on 127.0.0.1 alone and are ended. A query is repeated
until it has the value, for at most a minute.
"""
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

binaries, directory, scratch = sys.argv[1:4]
expected = [argument.rsplit("=", 1) for argument in sys.argv[4:]]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path):
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.read().decode()


def ask(port, query):
    try:
        answer = json.loads(get(port, "/api/v1/query?" + urllib.parse.urlencode({"query": query})))
        return [row["value"][1] for row in answer["data"]["result"]]
    except OSError as problem:
        return str(problem)


exporter_port, port = free_port(), free_port()
config = os.path.join(scratch, "prometheus.yml")
with open(config, "w", encoding="utf-8") as file:
    file.write(f"scrape_configs: [{{job_name: node, scrape_interval: 1s, static_configs: [{{targets: ['127.0.0.1:{exporter_port}']}}]}}]\n")
with open(os.path.join(scratch, "servers.log"), "w", encoding="utf-8") as log:
    servers = [
        subprocess.Popen([os.path.join(binaries, "prometheus-node-exporter"), "--collector.disable-defaults", "--collector.textfile",
                          f"--collector.textfile.directory={directory}", f"--web.listen-address=127.0.0.1:{exporter_port}"],
                         stdout=log, stderr=log),
        subprocess.Popen([os.path.join(binaries, "prometheus"), f"--config.file={config}",
                          f"--storage.tsdb.path={os.path.join(scratch, 'tsdb')}", f"--web.listen-address=127.0.0.1:{port}"],
                         stdout=log, stderr=log),
    ]
problems = []
try:
    end = time.monotonic() + 600
    for query, value in expected:
        while ask(port, query) != [value] and time.monotonic() < end and all(server.poll() is None for server in servers):
            time.sleep(0.25)
        if ask(port, query) != [value]:
            problems.append(f"{query} is {ask(port, query)}, not {value}")
finally:
    for server in servers:
        server.terminate()
    for server in servers:
        server.wait()
if problems:
    print("\n".join(problems), open(os.path.join(scratch, "servers.log"), encoding="utf-8").read(), sep="\n")
sys.exit(bool(problems))
