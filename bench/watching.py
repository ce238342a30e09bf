#!/usr/bin/env python3
"""Measure what it costs to write a run folder, serve the live page to two tabs and export metrics: CPU time per request and
late starts, compared with the same run without them.

    bench/watching.py --swell target/release/swell [--rounds 7] [--seconds 10] [--connections 200] [--rate 2000]

Runs alternate within each round. The result is the median over the rounds of the ratio to the plain run of the same
round. The tabs are two readers of the page's events that take all events, as a browser does, but draw nothing. They
stand for browsers on other machines, so they run only when a processor is idle. Goals: at most 3 % of CPU per request
and 1 % on p99 of late starts. Prints a Markdown table.
"""

import argparse
import http.client
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading

from support import Site


def watch(address, token):
    """Read the events of a live page until it ends."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # For this thread only.
    host, port = address.split(":")
    connection = http.client.HTTPConnection(host, int(port))
    headers = {"Authorization": f"Bearer {token}"}
    try:
        connection.request("GET", "/api/snapshot", headers=headers)
        connection.getresponse().read()
        connection.request("GET", "/api/events?since=0", headers=headers)
        answer = connection.getresponse()
        while answer.read1(65536):
            pass
    except (OSError, http.client.HTTPException):
        pass  # The run has finished.


def swell(args, url, more, folder, tabs):
    """Run `swell hit`; return requests, CPU seconds and p99 of late starts in ms."""
    command = [args.swell, "hit", url, "-c", str(args.connections), "-d", f"{args.seconds}s", "--json", *args.load, *more]
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "SWELL_RUNS": os.path.join(folder, "runs")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder)
    said = []

    def listen():
        for line in process.stderr:
            said.append(line)
            if "Live page:" in line:
                address, token = line.split("http://")[1].strip().split("/#t=")
                for _ in range(tabs):
                    threading.Thread(target=watch, args=(address, token), daemon=True).start()

    listener = threading.Thread(target=listen)
    listener.start()
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    listener.join()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {''.join(said)}")
    total = json.loads(text)["total"]
    late = (total.get("start_delay") or {}).get("p99_ms") or 0.0
    return total["samples"], usage.ru_utime + usage.ru_stime, late


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", default="target/release/swell")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--rate", type=float, help="requests a second [default: as many as the users can make]")
    args = parser.parse_args()
    args.swell = os.path.abspath(args.swell)
    args.load = ["-r", f"{args.rate:g}"] if args.rate else []
    folder = tempfile.mkdtemp(prefix="swell-watching-")
    kept = ["--name", "bench"]
    kinds = [
        ("nothing kept", [], 0),
        ("kept", kept, 0),
        ("kept, live page with two tabs", [*kept, "--live"], 2),
        ("kept, two tabs, metrics served", [*kept, "--live", "--export", "prometheus=127.0.0.1:0"], 2),
        # No program needs to receive the datagrams.
        ("kept, CSV and StatsD", [*kept, "--export", "csv=seconds.csv", "--export", "statsd=127.0.0.1:9", "--force"], 0),
    ]
    figures = {name: [] for name, *_ in kinds}
    with Site(args.swell) as site:
        for _ in range(args.rounds):
            for name, more, tabs in kinds:
                samples, cpu_s, late_ms = swell(args, site.url, more, folder, tabs)
                figures[name].append((1e6 * cpu_s / samples, late_ms))
    shutil.rmtree(folder)
    plain = figures[kinds[0][0]]
    middle = lambda name, at: statistics.median(one[at] for one in figures[name])

    def ratio(name, at):
        """Return the median ratio over the rounds, and the range of the middle half."""
        ratios = [one[at] / base[at] if base[at] else 1.0 for one, base in zip(figures[name], plain)]
        low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
        return f"{middle:.3f} ({low:.2f} to {high:.2f})"

    print("| run | CPU µs per request | ratio (middle half of the rounds) | p99 of late starts, ms | ratio (middle half) |\n|---|--:|--:|--:|--:|")
    for name, *_ in kinds:
        print(f"| {name} | {middle(name, 0):.2f} | {ratio(name, 0)} | {middle(name, 1):.3f} | {ratio(name, 1)} |")


if __name__ == "__main__":
    main()
