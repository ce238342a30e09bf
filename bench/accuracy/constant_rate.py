#!/usr/bin/env python3
"""A constant total rate over more and more users: do the percentiles move with the number of users?

    bench/accuracy/constant_rate.py --swell target/release/swell [--rate 2000] [--users 100,1000,5000,10000,18000] [--rounds 5] [--seconds 12]

Each round runs every number of users in a new order against a site with a delay of 20 ms, so that 40 are busy at a time; with keep-alive, users take the slots of one schedule
by turns. The change of the 50th and 99th percentile of service times against the fewest users is paired within a round; its 90 % confidence
interval over the rounds (Student) lies within the limits, or not: an equivalence test, not a test for a difference.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys

from world import Site, table, write

# Student's 95 % quantile by degrees of freedom.
STUDENT = [None, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761]
LIMITS_MS = {"p50_ms": 0.1, "p99_ms": 0.5}


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


def main():
    parser = argparse.ArgumentParser()
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
        rounds.append({users: measure(args, users) for users in order})
    rows, first = [], counts[0]
    for users in counts:
        row = [users]
        for name, limit in LIMITS_MS.items():
            row.append(f"{statistics.median(found[users][name] for found in rounds):.3f}")
            if users == first:
                row.append("")
                continue
            low, high = interval([found[users][name] - found[first][name] for found in rounds])
            row.append(f"{low:+.3f} to {high:+.3f} ({'within' if -limit <= low and high <= limit else 'NOT within'} ±{limit})")
        row.append(f"{statistics.median(found[users]['true_p50_ms'] for found in rounds):.3f} / {statistics.median(found[users]['true_p99_ms'] for found in rounds):.3f}")
        row += [sum(found[users]["errors"] for found in rounds), " ".join(found[users]["verdict"] for found in rounds)]
        rows.append(row)
    head = ["users", "p50 ms", "change of p50, 90 % CI", "p99 ms", "change of p99, 90 % CI", "true p50 / p99", "errors", "verdicts"]
    text = table(head, rows)
    print(text)
    write("constant_rate.md", f"# {args.rate} requests a second over more and more users, {args.rounds} rounds of {args.seconds} s\n\n{text}")
    write("constant_rate.json", json.dumps(rounds, indent=1))


main()
