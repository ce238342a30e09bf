#!/usr/bin/env python3
"""Error of the gaps between server-sent events, compared with the times that the site under test wrote into them.

    bench/event_gaps.py --swell target/release/swell [--users 20] [--loops 5] [--events 50] [--every 10ms] [--rounds 5]

One worker reads all streams. Each event is a sub-sample with its arrival in nanoseconds (`time_line` of the results
file); its data, which a Save Responses element keeps, have the time before the site sent it, and the next event the time
after. Where these differ by more than 0.1 ms the site itself was interrupted, and does not know when it sent the event:
gaps with such an event are left out and counted. The error of a gap is the measured gap minus that of the two times
before sending. Prints mean and percentiles of the absolute error over the other gaps of a round, and the median of each
over the rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

from support import Site, rows, show


INTERRUPTED_NS = 100_000


def errors_ns(args, folder):
    """Return the errors of gaps of a run, and the number of those that the site cannot tell."""
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "events.jmx")
    os.mkdir(f"{folder}/data")
    with Site(args.swell) as site:
        subprocess.run([args.swell, "run", plan, "-w", "1", "-l", f"{folder}/out.jtl", "-j", f"{folder}/log", "--json", f"-Jport={site.port}",
                        f"-Jusers={args.users}", f"-Jloops={args.loops}", f"-Jevents={args.events}", f"-Jevery={args.every}",
                        f"-Jfolder={folder}/data", f"-Jswell.http.events.samples={args.events}", "-Jjmeter.save.saveservice.time_line=true",
                        "-Jjmeter.save.saveservice.filename=true"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "SWELL_RUNS": f"{folder}/runs"})
    errors, left_out, events = [], 0, []
    for row in rows(f"{folder}/out.jtl"):
        if not row["label"].endswith(" event"):
            events = []
            continue
        with open(row["Filename"], encoding="utf-8") as file:
            data = json.load(file)
        events.append((data["sent_ns"], data["prior_done_ns"], int(row["endNs"])))
        if len(events) < 3:
            continue
        # The third says when the second was sent.
        first, second, third = events[-3:]
        if max(second[1] - first[0], third[1] - second[0]) > INTERRUPTED_NS:
            left_out += 1
        else:
            errors.append((second[2] - first[2]) - (second[0] - first[0]))
    expected = args.users * args.loops * (args.events - 2)
    assert len(errors) + left_out == expected, f"{len(errors)} and {left_out} gaps instead of {expected}"
    return errors, left_out


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
            errors, left_out = errors_ns(args, folder)
        sizes = sorted(abs(error) / 1e6 for error in errors)
        found.append((statistics.mean(sizes), sizes[len(sizes) // 2], sizes[len(sizes) * 99 // 100], sizes[-1], left_out))
    medians = [statistics.median(values) for values in zip(*found)]
    show("event_gaps.md",
         f"{args.users} streams at a time, an event every {args.every}, {args.rounds} rounds of {args.users * args.loops * (args.events - 2)} gaps: "
         "error of a gap in ms (median over the rounds): mean {:.4f}, p50 {:.4f}, p99 {:.4f}, max {:.3f}; left out {:.0f}\n".format(*medians))


main()
