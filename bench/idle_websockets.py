#!/usr/bin/env python3
"""Resident memory of a user with an idle WebSocket, and whether it still works afterwards.

    bench/idle_websockets.py --swell target/release/swell [--users 10000] [--idle 60] [--rounds 1]

Every user opens a WebSocket, is idle for that many seconds, and then sends a message and reads its echo. The memory is
Swell's resident memory once all are open, minus that of a run with 10 users, divided by the number of users. Each round
does both; the result is the median. The verdict and the errors are those of the whole run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from support import Site, resident_bytes, show


def one(args, users, idle_s, folder):
    """Return the resident memory while all WebSockets are idle, and the report of the run."""
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "idle-websockets.jmx")
    with Site(args.swell) as site:
        ramp = max(1, users // 1000)
        run = subprocess.Popen([args.swell, "run", plan, "--json", f"-Jport={site.port}", f"-Jusers={users}", f"-Jramp={ramp}",
                                f"-Jidle_ms={(idle_s + ramp) * 1000}", "-j", f"{folder}/log"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env={**os.environ, "SWELL_RUNS": f"{folder}/runs"})
        deadline = time.monotonic() + ramp + 60
        while site.stats()["open_connections"] <= users:
            if time.monotonic() > deadline or run.poll() is not None:
                sys.exit(f"not all users connected: {site.stats()['open_connections']} of {users}")
            time.sleep(0.2)
        time.sleep(idle_s / 2)
        memory = resident_bytes(run.pid)
        text, _ = run.communicate(timeout=ramp + 2 * idle_s + 60)
    return memory, json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", type=int, default=10000)
    parser.add_argument("--idle", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    each, levels, errors = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.rounds):
            base, _ = one(args, 10, 2, folder)
            full, report = one(args, args.users, args.idle, folder)
            each.append((full - base) / (args.users - 10) / 1024)
            levels.append(report["verdict"]["level"])
            errors += report["total"]["errors"]
    show("idle_websockets.md",
         f"{args.users} WebSockets idle for {args.idle} s, {args.rounds} rounds: {statistics.median(each):.2f} KB a user (median), "
         f"verdict of the runs {', '.join(levels)}, {errors} errors\n")


main()
