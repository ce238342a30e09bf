#!/usr/bin/env python3
"""Count the locked instructions that a worker executes per request, by function. Each may move a cache line between
processors, so they decide whether a load scales over cores: everything else of a request is the worker's own.

    bench/shared_writes.py --swell SWELL [--ways hit,run,run-l,rate,counter] [--connections 50] [--seconds 2,6]

Callgrind counts how often each instruction of the worker's thread ran; objdump says which have the lock prefix or are an
xchg with memory. The difference of two runs of different length, divided by the difference of their samples, excludes
start and end of the users. SWELL must have its symbols: CARGO_PROFILE_RELEASE_STRIP=none cargo build --release.
Needs valgrind, nginx and objdump. Prints a Markdown table and writes it to bench/results/shared_writes.md.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import instructions
from cpu_per_request import start_nginx

NAMES = {
    "hit": "`hit`",
    "run": "`run`, one sampler",
    "run-l": "`run -l`",
    "rate": "`hit -r 2000`",
    "counter": "`run`, `${__counter(FALSE)}` in the path",
}
# Fewer than this are chance.
LEAST = 0.001


def locked_instructions(program):
    """Return the addresses of all instructions that lock a cache line."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    found = re.finditer(r"^\s*([0-9a-f]+):\s+(?:lock |xchg .*\()", text, re.MULTILINE)
    return {int(match[1], 16) for match in found}


def executed(file, program, addresses):
    """Return how often each function executed these instructions of the program, by callgrind's file of a thread."""
    names = {"ob": {}, "fn": {}}
    now = {"ob": None, "fn": None}
    counts = collections.Counter()
    at, is_call = 0, False

    def name(kind, text):
        number, rest = re.match(r"(\(\d+\))(?: (.*))?", text).groups()
        if rest:
            names[kind][number] = rest
        return names[kind].get(number)

    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if match := re.match(r"(c?)(ob|fn)=(.*)", line):
                found = name(match[2], match[3])
                if not match[1]:
                    now[match[2]] = found
            elif line.startswith("calls="):
                is_call = True
            elif match := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) \S+ ?(\d*)", line):
                place, cost = match.groups()
                at = int(place, 16) if place.startswith("0x") else at + (0 if place == "*" else int(place))
                # The line after a call has the cost of what was called.
                if not is_call and at in addresses and now["ob"] == program:
                    counts[now["fn"]] += int(cost or 0)
                is_call = False
    return counts


def command(swell, way, connections, seconds, port, folder):
    """Return the command of a way; each has one worker and no monitor."""
    plain = {"rate": "hit", "counter": "run"}.get(way, way)
    words = instructions.command(swell, plain, connections, seconds, port, folder)
    return [*words, "--no-monitor", *(["-r", "2000"] if way == "rate" else [])]


def per_request(swell, way, args, addresses, port, folder):
    """Return the locked instructions per request, by function."""
    instructions.write_plan(folder, "/100?n=${__counter(FALSE)}" if way == "counter" else None)
    runs = []
    for seconds in args.seconds.split(","):
        out = f"{folder}/{way}.{seconds}"
        _, samples = instructions.counted(command(swell, way, args.connections, seconds, port, folder), out)
        threads = instructions.threads_of(out)
        worker = f"{out}-{max(threads, key=threads.get)}"
        runs.append((executed(worker, swell, addresses), samples))
    (few, short), (many, long) = runs
    return {name: (many[name] - few[name]) / (long - short) for name in many}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--ways", default=",".join(NAMES))
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--seconds", default="2,6", help="durations of the two runs")
    args = parser.parse_args()
    for tool in ("valgrind", "nginx", "objdump"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    swell = os.path.realpath(args.swell)
    addresses = locked_instructions(swell)
    folder = tempfile.mkdtemp(prefix="swell-shared-writes-")
    os.chmod(folder, 0o755)
    nginx, port = start_nginx(folder)
    lines = ["| command | locked instructions per request | where |", "|---|--:|---|"]
    try:
        for way in args.ways.split(","):
            found = per_request(swell, way, args, addresses, port, folder)
            where = sorted((count, name) for name, count in found.items() if abs(count) >= LEAST)[::-1]
            functions = "; ".join(f"`{re.sub('<.*', '', name.split('::')[-1]) or name}` {count:.3f}" for count, name in where[:3])
            lines.append(f"| {NAMES[way]} | {sum(found.values()):.3f} | {functions or 'none'} |")
            print(lines[-1], flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)
    results = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", "shared_writes.md")
    with open(results, "w", encoding="utf-8") as file:
        file.write(f"`bench/shared_writes.py --swell SWELL`, {args.connections} users, one worker.\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
