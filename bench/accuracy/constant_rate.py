#!/usr/bin/env python3
"""Check that percentiles do not depend on the number of users at a constant total rate.

    bench/accuracy/constant_rate.py --swell target/release/swell [--rate 2000] [--users 100,1000,5000,10000,18000] [--rounds 5] [--seconds 12]

Each round runs every number of users, in a new order, against a site with a delay of 20 ms, so about 40 users are busy
at a time. Users with keep-alive take the slots of one schedule in turn. Within each round, p50 and p99 of the service
times are compared with those of the smallest number of users. This is an equivalence test: the 90 % confidence interval
of the change over the rounds (Student's t) must be within the limits. The script repeats the test on reported time
minus the site's recorded time, because the site's own times vary on a shared machine.

If the hypervisor stole more than 0.5 % of the processors' time (`/proc/stat`), the run is repeated, up to three times.
The number of repeated runs is shown below the table.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys

from world import Site, table, write

# Student's t, 95 % quantile, by degrees of freedom.
STUDENT = [None, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761]
LIMITS_MS = {"p50_ms": 0.1, "p99_ms": 0.5}
STOLEN_LIMIT = 0.005


def processor_times():
    """Return ticks of all processors since boot: those stolen by the hypervisor, and the total."""
    with open("/proc/stat") as stat:
        ticks = [int(count) for count in stat.readline().split()[1:9]]
    return ticks[7], sum(ticks)


def measure_undisturbed(args, users):
    for again in range(4):
        stolen, ticks = processor_times()
        figures = measure(args, users)
        stolen, ticks = (now - before for now, before in zip(processor_times(), (stolen, ticks)))
        figures |= {"stolen": stolen / ticks, "again": again}
        print(f"{users} users: {100 * figures['stolen']:.2f} % stolen", flush=True)
        if figures["stolen"] <= STOLEN_LIMIT:
            break
    return figures


def measure(args, users):
    with Site(args.swell) as site:
        command = [args.swell, "hit", site.url + "delay/20ms", "-c", str(users), "-r", str(args.rate), "-d", f"{args.seconds}s", "--json"]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if ran.returncode:
            sys.exit(f"{' '.join(command)} ended with {ran.returncode}")
        summary = json.loads(ran.stdout)
        route = next(route for route in site.stats()["routes"] if route["route"] == "/delay")
    total = summary["total"]
    figures = {name: total[name] for name in LIMITS_MS}
    figures |= {"errors": total["errors"], "samples": total["samples"], "verdict": summary["verdict"]["level"],
                "true_p50_ms": route["residence"]["p50_ns"] / 1e6, "true_p99_ms": route["residence"]["p99_ns"] / 1e6}
    print(users, figures, [gate["reason"] for gate in summary["verdict"]["gates"] if gate["reason"]], flush=True)
    return figures


def interval(changes):
    middle = statistics.mean(changes)
    half = STUDENT[len(changes) - 1] * statistics.stdev(changes) / len(changes) ** 0.5
    return middle - half, middle + half


def change(values, of_first, limit):
    """Return how a figure differs from that of the smallest number of users, round by round."""
    low, high = interval([value - first for value, first in zip(values, of_first)])
    return f"{low:+.3f} to {high:+.3f} ({'within' if -limit <= low and high <= limit else 'NOT within'} ±{limit})"


def told_and_error(rounds, users, name):
    """Return a figure of each round, and that figure minus the site's recorded one."""
    told = [found[users][name] for found in rounds]
    return told, [value - found[users]["true_" + name] for value, found in zip(told, rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--users", default="100,1000,5000,10000,18000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=12)
    args = parser.parse_args()
    counts = [int(users) for users in args.users.split(",")]
    rounds = []
    for _ in range(args.rounds):
        order = random.sample(counts, len(counts))
        rounds.append({users: measure_undisturbed(args, users) for users in order})
    rows, first = [], counts[0]
    for users in counts:
        row = [users]
        for name, limit in LIMITS_MS.items():
            figures = told_and_error(rounds, users, name)
            row.append(f"{statistics.median(figures[0]):.3f}")
            row += [change(*both, limit) if users != first else "" for both in zip(figures, told_and_error(rounds, first, name))]
        row.append(f"{statistics.median(found[users]['true_p50_ms'] for found in rounds):.3f} / {statistics.median(found[users]['true_p99_ms'] for found in rounds):.3f}")
        row += [sum(found[users]["errors"] for found in rounds), " ".join(found[users]["verdict"] for found in rounds)]
        rows.append(row)
    head = ["users", "p50 ms", "change of p50, 90 % CI", "change minus the site's", "p99 ms", "change of p99, 90 % CI", "change minus the site's", "true p50 / p99", "errors", "verdicts"]
    text = table(head, rows)
    runs = [figures for found in rounds for figures in found.values()]
    again = (f"Runs repeated because the hypervisor stole more than {100 * STOLEN_LIMIT:g} % of the processors' time: {sum(run['again'] for run in runs)}; "
             f"runs still above that limit: {sum(run['stolen'] > STOLEN_LIMIT for run in runs)} of {len(runs)}.")
    print(text, again, sep="\n")
    write("constant_rate.md", f"# {args.rate} requests a second with increasing numbers of users, {args.rounds} rounds of {args.seconds} s\n\n{text}\n{again}\n")
    write("constant_rate.json", json.dumps(rounds, indent=1))


main()
