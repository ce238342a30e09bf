#!/usr/bin/env python3
"""Measure the CPU time of a large or a compressed response, for `swell hit`, `swell run` and wrk, in rounds that alternate.

    bench/downloads.py --swell target/release/swell [--cases 1m,10m,gzip-10k,gzip-1m] [--connections 10] [--seconds 4] [--rounds 3] [--io auto]

nginx (Debian: nginx-light) sends files from memory on loopback; nothing reads the bodies. CPU time is that of the whole process, user and
system, divided by its responses. Prints a Markdown table with medians, and the ratios to wrk of the same round.
"""

import argparse
import gzip
import os
import random
import re
import shutil
import statistics
import sys
import tempfile

from cpu_per_request import run, start_nginx
from support import show

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
SIZES = {"10k": 10 << 10, "100k": 100 << 10, "1m": 1 << 20, "10m": 10 << 20}


def text_of(size):
    """Text like that of an interface: names that repeat and values that do not."""
    chance, out, length = random.Random(7), [], 0
    while length < size:
        out.append('{"id":%d,"name":"item %d","price":%.2f,"stock":%d},'
                   % (chance.randrange(10**6), chance.randrange(10**4), chance.random() * 90, chance.randrange(99)))
        length += len(out[-1])
    return "".join(out)[:size].encode()


def write_files(folder):
    for name, size in SIZES.items():
        body = text_of(size)
        with open(f"{folder}/www/{name}", "wb") as file:
            file.write(body)
        with open(f"{folder}/www/gzip-{name}", "wb") as file:
            file.write(gzip.compress(body, 6))


def configure(folder):
    """Let nginx say that files named `gzip-…` are compressed."""
    path = f"{folder}/nginx.conf"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed = re.sub(r"(server\s*\{)", r"\1 location ~ ^/gzip- { add_header Content-Encoding gzip; }", text, count=1)
    assert changed != text
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)
    os.system(f"nginx -c {path} -e {folder}/error.log -s reload")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--cases", default="1m,10m,gzip-10k,gzip-1m")
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--io", default="auto")
    args = parser.parse_args()
    for tool in ("nginx", "wrk"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    folder = tempfile.mkdtemp(prefix="swell-downloads-")
    os.chmod(folder, 0o755)
    nginx, port = start_nginx(folder)
    write_files(folder)
    configure(folder)

    def wrk(case):
        text, cpu, _ = run(["wrk", "-t1", f"-c{args.connections}", f"-d{args.seconds}s", f"http://127.0.0.1:{port}/{case}"])
        return cpu / int(re.search(r"(\d+) requests in", text)[1])

    def swell(command):
        def go(case):
            text, cpu, _ = run(command(case))
            return cpu / int(re.search(r'"samples": ?(\d+)', text)[1])
        return go

    ways = {
        "wrk": wrk,
        "hit": swell(lambda case: [args.swell, "hit", f"http://127.0.0.1:{port}/{case}", "-c", str(args.connections), "-d", f"{args.seconds}s", "-w",
                                   "1", "--io", args.io, "--json"]),
        "run": swell(lambda case: [args.swell, "run", PLAN, f"-Jusers={args.connections}", f"-Jseconds={args.seconds}", f"-Jport={port}",
                                   f"-Jpath=/{case}", "-w", "1", "--io", args.io, "-j", f"{folder}/log", "--json"]),
    }
    lines = ["| case | wrk, µs | hit | run |", "|---|--:|--:|--:|"]
    try:
        for case in args.cases.split(","):
            rounds = [{name: way(case) for name, way in ways.items()} for _ in range(args.rounds)]
            ratio = {name: statistics.median(one[name] / one["wrk"] for one in rounds) for name in ways}
            base = statistics.median(one["wrk"] for one in rounds)
            lines.append(f"| {case} | {base * 1e6:.0f} | {ratio['hit']:.2f} | {ratio['run']:.2f} |")
            print(lines[-1], flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)
    show("downloads.md", "# CPU time of large and compressed responses\n\n`bench/downloads.py`, ratios to wrk:\n\n" + "\n".join(lines) + "\n")


main()
