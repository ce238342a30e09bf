#!/usr/bin/env python3
"""Measure how much users that start at the same moment (ramp-up 0) delay each other.

    bench/at_once.py --swell target/release/swell [--users 1000,10000,18000] [--rounds 5] [--io epoll]

Each user sends one request to the site under test over a new connection. `starts` is the time from the planned start of
all users to the start of the last user's request, from the time line of each sample (docs/measurement.md); `connected`
is the time to the last user's connection. `bare loop` does the same without Swell, as the kernel's share: one process
opens that many connections, one after the other, and sends the same bytes on each.
Figures are medians over the rounds, in ms. Prints a Markdown table and writes it to bench/results/at_once.md.
"""

import argparse
import os
import resource
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from support import Site, rows, show

# One request per user, then a pause of an hour.
PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "idle.jmx")
REQUEST = b"GET /bytes/100 HTTP/1.1\r\nConnection: keep-alive\r\nHost: 127.0.0.1\r\nUser-Agent: swell\r\n\r\n"


def of_swell(args, users):
    """Return milliseconds until the last start and the last connection, errors, and p99 of the connect times."""
    with tempfile.TemporaryDirectory() as folder, Site(args.swell) as site:
        jtl = os.path.join(folder, "out.jtl")
        run = subprocess.Popen([args.swell, "run", PLAN, f"-Jport={site.port}", f"-Jusers={users}", "-Jramp=0", "--io", args.io, "-l", jtl,
                                "-Jjmeter.save.saveservice.time_line=true", "-j", f"{folder}/log", "--no-run-dir"], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while site.stats()["total"]["residence"]["count"] < users and run.poll() is None:
            time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        run.wait()
        samples = rows(jtl)
    assert len(samples) == users, f"{len(samples)} samples of {users} users"
    errors = sum(row["success"] != "true" for row in samples)
    begin = min(int(row["intendedNs"]) for row in samples)
    last = lambda column: (max(int(row[column]) for row in samples) - begin) / 1e6  # noqa: E731
    connects = sorted(int(row["Connect"]) for row in samples)
    return last("startNs"), last("connectedNs"), errors, connects[int(0.99 * len(connects))]


def of_bare_loop(args, users):
    """Return milliseconds until the request is sent on the last of this many connections."""
    with Site(args.swell) as site:
        sockets, begin = [], time.monotonic()
        for _ in range(users):
            connection = socket.socket()
            connection.connect(("127.0.0.1", site.port))
            connection.send(REQUEST)
            sockets.append(connection)
        took = (time.monotonic() - begin) * 1000
        for connection in sockets:
            connection.close()
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", default="1000,10000,18000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--io", default="epoll")
    args = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    args.swell = os.path.abspath(args.swell)
    lines = ["# Users that start at once", "",
             f"`bench/at_once.py --swell SWELL --users {args.users} --rounds {args.rounds} --io {args.io}`, {os.cpu_count()} processors, which the"
             " site shares.", "",
             "| users | starts, ms | connected, ms | connect p99, ms | bare loop, ms | errors |", "|--:|--:|--:|--:|--:|--:|"]
    for users in map(int, args.users.split(",")):
        found = [(*of_swell(args, users), of_bare_loop(args, users)) for _ in range(args.rounds)]
        starts, connected, errors, connect, bare = (statistics.median(column) for column in zip(*found))
        lines.append(f"| {users:,} | {starts:.1f} | {connected:.1f} | {connect:.0f} | {bare:.1f} | {errors:.0f} |")
    text = "\n".join(lines) + "\n"
    show("at_once.md", text)


main()
