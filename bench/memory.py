#!/usr/bin/env python3
"""Resident memory of a user with an idle keep-alive connection.

    bench/memory.py --swell target/release/swell [--users 15000]

Every user sends one request and then pauses. Once the site has all connections open, the figure is Swell's resident
memory, minus that of a run with 10 users, divided by the number of users.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

from support import Site, resident_bytes, show


def resident(args, users, folder):
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "idle.jmx")
    with Site(args.swell) as site:
        ramp = max(1, users // 1000)
        run = subprocess.Popen([args.swell, "run", plan, f"-Jport={site.port}", f"-Jusers={users}", f"-Jramp={ramp}", "-j", f"{folder}/log"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + ramp + 60
        while site.stats()["total"]["residence"]["count"] < users:
            if time.monotonic() > deadline or run.poll() is not None:
                sys.exit(f"not all users connected: {site.stats()['open_connections']} of {users}")
            time.sleep(0.2)
        time.sleep(1)
        open_now = site.stats()["open_connections"] - 1
        memory = resident_bytes(run.pid)
        run.send_signal(signal.SIGINT)
        run.wait()
    return memory, open_now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", type=int, default=15000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base, _ = resident(args, 10, folder)
        full, connections = resident(args, args.users, folder)
    text = (f"{args.users} users, {connections} idle keep-alive connections: {full / 2**20:.1f} MB resident, with 10 users {base / 2**20:.1f} MB: "
            f"{(full - base) / (args.users - 10) / 1024:.2f} KB per user\n")
    show("memory.md", text)


main()
