#!/usr/bin/env python3
"""What the kernel's stamps cost: CPU time per request with them, both ways, and without, side by side.

    bench/stamps.py --swell target/release/swell [--rounds 20] [--seconds 2] [--connections 20,200,1000]

`--clock bare` asks the kernel for no stamp, of what arrives or of what is sent, and receives with `recv`; nginx asks for none either, so that nothing on the machine
switches stamping on. `kernel` has a program in the kernel note arrivals, `socket` has each read bring its stamp. All run in each round, in turns first; what counts is
the ratio within a round to `bare`, its median over the rounds and the 95 % interval of that median (order statistics). On loopback the stamp of an answer is taken while nginx sends it, so the CPU time of nginx is counted too.
Rows of earlier runs are kept, and so is what was written by hand below the table. Needs nginx.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import sys
import tempfile

from cpu_per_request import run, start_nginx
from support import result_file

CLOCKS = "bare", "kernel", "socket"


def cpu_of_workers(nginx):
    """CPU seconds of nginx's workers so far: of all that have it as parent (`schedstat`, in nanoseconds)."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            if parent == nginx.pid:
                with open(f"/proc/{pid}/schedstat") as spent:
                    total += int(spent.read().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total


def one(args, nginx, port, folder, connections, clock):
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
    before = cpu_of_workers(nginx)
    text, cpu_s, _ = run([args.swell, "run", plan, "--json", "-w", "2", f"-Jusers={connections}", f"-Jseconds={args.seconds}", f"-Jport={port}",
                          "-j", f"{folder}/log", "--clock", clock])
    samples = json.loads(text)["total"]["samples"]
    both_s = cpu_s + cpu_of_workers(nginx) - before
    return {"own_us": 1e6 * cpu_s / samples, "both_us": 1e6 * both_s / samples}


def interval(values):
    """95 % interval of the median by order statistics; all values where they are too few."""
    ordered, n = sorted(values), len(values)
    below = int(n / 2 - 0.98 * math.sqrt(n))
    return (ordered[below], ordered[n - 1 - below]) if below >= 0 else (ordered[0], ordered[-1])


def row_of(connections, way, rounds):
    row = [connections, way, len(rounds)]
    for what in "own_us", "both_us":
        ratios = [100 * (found[way][what] / found["bare"][what] - 1) for found in rounds]
        low, high = interval(ratios)
        with_us, without_us = (statistics.median(found[clock][what] for found in rounds) for clock in (way, "bare"))
        row += [f"{without_us:.2f}", f"{with_us:.2f}", f"{statistics.median(ratios):+.2f} % ({low:+.2f} to {high:+.2f})"]
    return row


def rows_of(connections, rounds):
    return [row_of(connections, way, rounds) for way in CLOCKS[1:]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", default="20,200,1000")
    args = parser.parse_args()
    if not shutil.which("nginx"):
        sys.exit("nginx is missing: apt-get install nginx-light")
    path = result_file("stamps.json")
    kept, by_hand = {}, ""
    if os.path.exists(result_file("stamps.md")):
        with open(result_file("stamps.md")) as file:
            by_hand = "".join(file.read().partition("\n## ")[1:])
    if os.path.exists(path):
        with open(path) as file:
            kept = json.load(file)
    folder = tempfile.mkdtemp(prefix="swell-bench-")
    os.chmod(folder, 0o755)
    nginx, port = start_nginx(folder)
    try:
        for connections in map(int, args.connections.split(",")):
            rounds = []
            for number in range(args.rounds):
                first = number % len(CLOCKS)
                order = CLOCKS[first:] + CLOCKS[:first]
                rounds.append({clock: one(args, nginx, port, folder, connections, clock) for clock in order})
            kept.setdefault(str(connections), []).extend(rounds)
            print(*rows_of(connections, rounds), sep="\n", flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)
    with open(path, "w") as file:
        json.dump(kept, file)
        file.write("\n")
    head = "| connections | stamps | rounds | Swell without, µs | with | of stamps, median (95 %) | with nginx: without, µs | with | of stamps |"
    rows = [row for connections in sorted(kept, key=int) for row in rows_of(int(connections), kept[connections])]
    lines = [head, "|--:|---" + "|--:" * 7 + "|", *("| " + " | ".join(map(str, row)) + " |" for row in rows)]
    text = f"CPU time a request, user and system, against nginx on loopback, {args.seconds} s a run, in turns\n\n" + "\n".join(lines) + "\n"
    print(text)
    with open(result_file("stamps.md"), "w") as file:
        file.write(text + by_hand)


main()
