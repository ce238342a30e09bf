#!/usr/bin/env python3
"""Error of the end of each HTTP/2 stream, compared with the record of the site under test, while the worker is kept from reading.

    bench/streams.py --swell target/release/swell [--streams 100] [--seconds 5] [--delay 20ms] [--bytes 100] [--busy 50] [--rounds 5]

Users share one connection, a stream each, and ask for responses that the site sends after exponentially distributed delays.
Swell has one worker on the last core; a neighbour on the same core computes for `--busy` percent of the time in turns
of 2 ms, so that several streams end between two reads. The site is on the first core. On loopback the kernel receives a
segment while the site sends it: the true end of a stream is after the time at which the site began its last send and before
the time at which it had sent. The error is how far the reported end is outside of these two, 0 between them. Where they
differ by more than 0.1 ms the site itself was interrupted, and does not know: such streams are left out and counted. Where the kernel
hands segments over only after the send (its work waits for other processes), they arrive later than the site knows, several at
once; that counts as an error here, so measure on a quiet machine.

Prints percentiles of the absolute error, and those of the time between the end and the read, which a tool that takes its
times in user space would add. The result is the median over the rounds. `clocks` is what the record says about the difference of the two
processes' clocks: no request arrives before it starts, no response before it is sent. Needs taskset, and two cores.
"""

import argparse
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

from support import Site, rows, show

INTERRUPTED_NS = 100_000
# Computes for a share of each turn of a few milliseconds.
NEIGHBOUR = """
import sys, time
turn, share = 0.002, float(sys.argv[1])
print("ready", flush=True)
next = time.monotonic()
while True:
    while time.monotonic() < next + turn * share:
        pass
    next = max(next + turn, time.monotonic())
    time.sleep(max(0, next - time.monotonic()))
"""


class Neighbour:
    """A process that computes for a share of the time on a core, for the duration of a `with` block."""

    def __init__(self, core, share):
        self.command = ["taskset", "-c", str(core), sys.executable, "-c", NEIGHBOUR, str(share)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def samples(args, folder, port, core):
    """Run the plan; return its rows by id, and its summary."""
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "accuracy.jmx")
    path = f"/delay?dist=exp:{args.delay}&bytes={args.bytes}&"
    command = ["taskset", "-c", str(core), args.swell, "run", plan, "--http2", "-w", "1", "--json", "-l", f"{folder}/out.jtl", "-j", f"{folder}/log",
               f"-Jport={port}", f"-Jusers={args.streams}", f"-Jseconds={args.seconds}", f"-Jpath={path}", f"-Jswell.http2.share={args.streams}",
               "-Jjmeter.save.saveservice.time_line=true"]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env={**os.environ, "SWELL_RUNS": f"{folder}/runs"})
    summary = json.loads(ran.stdout)
    if summary["total"]["errors"]:
        sys.exit(f"failed samples: {summary['errors']}")
    return {urllib.parse.unquote(row["URL"].rsplit("id=", 1)[1]): row for row in rows(f"{folder}/out.jtl")}, summary


def record(site):
    """Return the site's record by id: arrival of the request, begin and end of the last send, the client's port."""
    with urllib.request.urlopen(site.url + "stats/log") as answer:
        for row in csv.DictReader(io.TextIOWrapper(answer, "utf-8")):
            before_ns = int(row["arrival_ns"]) + int(row["residence_ns"])
            yield urllib.parse.unquote(row["id"]), (int(row["arrival_ns"]), before_ns, before_ns + int(row["send_ns"]), row["peer_port"])


def one_round(args, cores):
    """Return errors and read delays in nanoseconds, streams left out, merged stamps, and bounds of the clocks' difference."""
    with tempfile.TemporaryDirectory() as folder, Neighbour(cores[-1], args.busy / 100):
        with Site(args.swell, "--log", "2000000", inside=("taskset", "-c", str(cores[0]))) as site:
            found, summary = samples(args, folder, site.port, cores[-1])
            true = dict(record(site))
    missing = found.keys() - true.keys()
    if not found or missing:
        sys.exit(f"{len(missing)} of {len(found)} samples are not in the site's record")
    ports = {true[name][3] for name in found}
    if len(ports) != 1:
        sys.exit(f"{len(ports)} connections instead of one")
    errors, delays, left_out, least, most = [], [], 0, [], []
    for name, row in found.items():
        arrival_ns, before_ns, after_ns, _ = true[name]
        end_ns = int(row["endNs"])
        least.append(int(row["startNs"]) - arrival_ns)
        most.append(end_ns - before_ns)
        delays.append(int(row["readNs"]) - end_ns)
        if after_ns - before_ns > INTERRUPTED_NS:
            left_out += 1
        else:
            errors.append(max(before_ns - end_ns, end_ns - after_ns, 0))
    return sorted(errors), sorted(delays), left_out, summary, (max(least), min(most))


def quantiles(ordered):
    """Return mean, p50, p99, p99.9 and maximum in milliseconds."""
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.5, 0.99, 0.999)]
    return [value / 1e6 for value in (statistics.mean(ordered), *at, ordered[-1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--delay", default="20ms", help="mean delay of a response")
    parser.add_argument("--bytes", type=int, default=100, help="bytes of a response")
    parser.add_argument("--busy", type=float, default=50, help="percent of the worker's core that the neighbour takes")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("two cores are needed: one for the site, one for the worker and its neighbour")
    found = []
    for number in range(args.rounds):
        errors, delays, left_out, summary, clocks = one_round(args, cores)
        found.append((quantiles(errors), quantiles(delays), len(errors), left_out))
        print(f"round {number + 1}: {len(errors)} streams, error p99 {found[-1][0][2]:.4f} ms, read delay p99 {found[-1][1][2]:.3f} ms, left out {left_out}, "
              f"clocks {clocks[0] / 1e3:+.1f} to {clocks[1] / 1e3:+.1f} µs, {summary['verdict']['level']}", flush=True)
    error, delay = ([statistics.median(values) for values in zip(*(round[at] for round in found))] for at in (0, 1))
    counts = [statistics.median(round[at] for round in found) for at in (2, 3)]
    head = "| | mean | p50 | p99 | p99.9 | max |\n|---|--:|--:|--:|--:|--:|\n"
    lines = ["| " + " | ".join([name, *(f"{value:.4f}" for value in values)]) + " |" for name, values in (("error of the end", error), ("read after the end", delay))]
    show("streams.md", f"{args.streams} streams on one connection, responses of {args.bytes} bytes after {args.delay} on average, a neighbour on {args.busy:.0f} % of the "
         f"worker's core, {args.rounds} rounds of {args.seconds} s with {counts[0]:.0f} streams each (median over the rounds); left out {counts[1]:.0f}; in ms\n\n"
         + head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
