#!/usr/bin/env python3
"""Error of the gaps between server-sent events, compared with the times that the site under test wrote into them.

    bench/event_gaps.py --swell target/release/swell [--users 20] [--loops 5] [--events 50] [--every 10ms] [--rounds 5]

One worker reads all streams. Each event is a sub-sample with its arrival in nanoseconds (`time_line` of the results
file); its data, which a Save Responses element keeps, have the time at which the site sent it. The error of a gap is the
measured gap minus that of the two times. Prints mean and percentiles of the absolute error over all gaps of a round, and
the median of each over the rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

from support import Site, rows, show


def errors_ns(args, folder):
    """Return the errors of all gaps of a run."""
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "events.jmx")
    os.mkdir(f"{folder}/data")
    with Site(args.swell) as site:
        subprocess.run([args.swell, "run", plan, "-w", "1", "-l", f"{folder}/out.jtl", "-j", f"{folder}/log", "--json", f"-Jport={site.port}",
                        f"-Jusers={args.users}", f"-Jloops={args.loops}", f"-Jevents={args.events}", f"-Jevery={args.every}",
                        f"-Jfolder={folder}/data", f"-Jswell.http.events.samples={args.events}", "-Jjmeter.save.saveservice.time_line=true",
                        "-Jjmeter.save.saveservice.filename=true"], check=True, stdout=subprocess.DEVNULL)
    errors, before = [], None
    for row in rows(f"{folder}/out.jtl"):
        if not row["label"].endswith(" event"):
            before = None
            continue
        with open(row["Filename"], encoding="utf-8") as file:
            event = json.load(file)["sent_ns"], int(row["endNs"])
        if before:
            errors.append((event[1] - before[1]) - (event[0] - before[0]))
        before = event
    expected = args.users * args.loops * (args.events - 1)
    assert len(errors) == expected, f"{len(errors)} gaps instead of {expected}"
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--loops", type=int, default=5)
    parser.add_argument("--events", type=int, default=50)
    parser.add_argument("--every", default="10ms")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    found = []
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory() as folder:
            sizes = sorted(abs(error) / 1e6 for error in errors_ns(args, folder))
        found.append((statistics.mean(sizes), sizes[len(sizes) // 2], sizes[len(sizes) * 99 // 100], sizes[-1]))
    medians = [statistics.median(values) for values in zip(*found)]
    show("event_gaps.md",
         f"{args.users} streams at a time, an event every {args.every}, {args.rounds} rounds of {args.users * args.loops * (args.events - 1)} gaps: "
         "error of a gap in ms (median over the rounds): mean {:.4f}, p50 {:.4f}, p99 {:.4f}, max {:.3f}\n".format(*medians))


main()
