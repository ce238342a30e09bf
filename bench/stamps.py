#!/usr/bin/env python3
"""Measure what the kernel's timestamps cost: CPU time per request with and without them.

    bench/stamps.py --swell target/release/swell [--rounds 60] [--seconds 2] [--connections 20,200,1000]

`--clock bare` requests no timestamps, neither of received nor of sent data. `--clock kernel`, the default, attaches a
program in the kernel that records arrivals. One run of each is on the machine at the same time, each with a separate
nginx: costs vary between runs by far more than the timestamps do, so both runs must meet the same noise. Which starts
first, and which nginx it uses, changes from round to round. The result is the median over the rounds of the ratio within a
round, with its 95 % interval (order statistics). On loopback the kernel program runs while nginx sends, so the table
also shows ratios that include nginx's CPU time.

`--ways socket,socket` and the like compare other clocks and only print. With `socket`, each read returns its timestamp; as soon
as one socket asks for that, the kernel stamps all packets of the machine. `bare,bare` shows how far to trust the
figures. Rows of earlier runs are kept, and so is the text written by hand below the table. Needs nginx.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from cpu_per_request import run, start_nginx
from support import keep, result_file

WAYS = "bare", "kernel"


def cpu_of_workers(nginx):
    """Return CPU seconds used by nginx's workers, the child processes of this nginx (`schedstat`, in nanoseconds)."""
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


def one(args, server, connections, clock):
    nginx, port, folder = server
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
    before = cpu_of_workers(nginx)
    text, cpu_s, _ = run([args.swell, "run", plan, "--json", "-w", "2", f"-Jusers={connections}", f"-Jseconds={args.seconds}", f"-Jport={port}",
                          "-j", f"{folder}/log", "--clock", clock])
    samples = json.loads(text)["total"]["samples"]
    both_s = cpu_s + cpu_of_workers(nginx) - before
    return {"own_us": 1e6 * cpu_s / samples, "both_us": 1e6 * both_s / samples}


def both_at_once(args, servers, connections, ways, number):
    """Return the cost of a request with each of two clocks."""
    exchanged = number // 2 % 2
    with ThreadPoolExecutor() as pool:
        runs = {index: pool.submit(one, args, servers[index ^ exchanged], connections, ways[index]) for index in ([0, 1] if number % 2 else [1, 0])}
    return [runs[index].result() for index in (0, 1)]


def interval(values):
    """Return the 95 % interval of the median by order statistics, or the range if there are too few values."""
    ordered, n = sorted(values), len(values)
    below = int(n / 2 - 0.98 * math.sqrt(n))
    return (ordered[below], ordered[n - 1 - below]) if below >= 0 else (ordered[0], ordered[-1])


def row_of(connections, rounds):
    row = [connections, len(rounds)]
    for what in "own_us", "both_us":
        ratios = [100 * (second[what] / first[what] - 1) for first, second in rounds]
        low, high = interval(ratios)
        without_us, with_us = (statistics.median(found[index][what] for found in rounds) for index in (0, 1))
        row += [f"{without_us:.2f}", f"{with_us:.2f}", f"{statistics.median(ratios):+.2f} % ({low:+.2f} to {high:+.2f})"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", default="20,200,1000")
    parser.add_argument("--ways", default=",".join(WAYS))
    args = parser.parse_args()
    ways = args.ways.split(",")
    if len(ways) != 2:
        parser.error("--ways needs two clocks, such as bare,kernel")
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
    folders = [tempfile.mkdtemp(prefix="swell-bench-") for _ in WAYS]
    servers = []
    try:
        for folder in folders:
            os.chmod(folder, 0o755)
            servers.append((*start_nginx(folder), folder))
        for connections in map(int, args.connections.split(",")):
            rounds = [both_at_once(args, servers, connections, ways, number) for number in range(args.rounds)]
            kept.setdefault(str(connections), []).extend(rounds)
            print(row_of(connections, rounds), flush=True)
    finally:
        for nginx, _, _ in servers:
            nginx.terminate()
            nginx.wait()
        for folder in folders:
            shutil.rmtree(folder)
    if tuple(ways) != WAYS:
        return
    with open(path, "w") as file:
        json.dump(kept, file)
        file.write("\n")
    head = "| connections | rounds | Swell without, µs | with | cost, median (95 %) | including nginx: without, µs | with | cost |"
    rows = [row_of(int(connections), kept[connections]) for connections in sorted(kept, key=int)]
    lines = [head, "|--:" * 8 + "|", *("| " + " | ".join(map(str, row)) + " |" for row in rows)]
    text = f"CPU time per request, user and system, against nginx on loopback, {args.seconds} s per run, with and without timestamps at the same time\n\n" + "\n".join(lines) + "\n"
    print(text)
    keep("stamps.md", text + by_hand)


main()
