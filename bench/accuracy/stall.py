#!/usr/bin/env python3
"""Stop the site for 1.4 s and, in another run, the generator; compare response times with theory.

    bench/accuracy/stall.py --swell target/release/swell [--rate 1000] [--seconds 30] [--stop 1.4] [--users 2400,100,20] [--stops nobody,site,swell] [--runs 1]

Requests are due at a constant rate (open model). One due x seconds into a stop of s seconds waits s - x until the stop
ends, then for its turn: n users and a delay d give n / d responses a second, so it waits x * rate * d / n more. In a run
of T seconds, the quantile q of response times is therefore s - (1 - q) T (1 - rate d / n) plus the site's delay.

If the site stops, its service times include the stop. If the generator stops, service times must not include it, and
the run must be INVALID however few the users: users that wait for a slot when the generator stops are late, and still
busy when the next slots come. Rows of other runs are kept.
"""

import argparse
import json
import os
import signal
import subprocess
import time

from world import Site, kept, table, write

DELAY_MS = 10


def run(args, users, stops):
    """Run once and stop the site (`site`) or the generator (`swell`) half-way."""
    with Site(args.swell) as site:
        command = [args.swell, "hit", f"{site.url}delay/{DELAY_MS}ms", "-c", str(users), "-r", str(args.rate), "-d", f"{args.seconds}s", "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        pid = {"site": site.process.pid, "swell": process.pid, "nobody": None}[stops]
        time.sleep(args.seconds / 3)
        if pid:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(args.stop)
            os.kill(pid, signal.SIGCONT)
        summary = json.loads(process.communicate()[0])
    return summary


def one(args, users, stops, number):
    summary = run(args, users, stops)
    total, verdict = summary["total"], summary["verdict"]
    catching_up = args.rate * DELAY_MS / 1000 / users
    theory_ms = 0 if stops == "nobody" else 1000 * max(0, args.stop - 0.01 * args.seconds * (1 - catching_up))
    row = {"seconds": args.seconds, "stop": args.stop, "rate": args.rate, "users": users, "stops": stops, "number": number, "theory_ms": theory_ms + DELAY_MS}
    row |= {"response_p99_ms": total["response"]["p99_ms"], "start_delay_p99_ms": total["start_delay"]["p99_ms"], "samples": total["samples"], "errors": total["errors"]}
    row |= {name: total[name] for name in ["p50_ms", "p99_ms", "max_ms"]}
    row |= {"verdict": verdict["level"], "reasons": "; ".join(gate["reason"] for gate in verdict["gates"] if gate["reason"])}
    print(row, flush=True)
    return row


def cells(row):
    off = 100 * (row["response_p99_ms"] / row["theory_ms"] - 1)
    return [row["stops"], row["users"], row["stop"], row["seconds"], f"{row['response_p99_ms']:.2f}", f"{row['theory_ms']:.0f} ({off:+.2f} %)",
            f"{row['p50_ms']:.3f} / {row['p99_ms']:.3f} / {row['max_ms']:.1f}", f"{row['start_delay_p99_ms']:.2f}", row["samples"], row["errors"], row["verdict"], row["reasons"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--stop", type=float, default=1.4)
    parser.add_argument("--users", default="2400,100,20")
    parser.add_argument("--stops", default="nobody,site,swell")
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    found = [one(args, int(users), stops, number) for users in args.users.split(",") for stops in args.stops.split(",") for number in range(args.runs)]
    rows = kept("stall.json", found, lambda row: (row["stops"], -row["users"], -row["stop"], row["seconds"], row["rate"], row["number"]))
    head = ["stopped", "users", "for s", "of s", "response p99 ms", "theory", "service p50 / p99 / max", "tool's late starts p99", "samples", "errors", "verdict", "reasons"]
    text = table(head, map(cells, rows))
    print(text)
    write("stall.md", f"# Stops against a site of {DELAY_MS} ms at {args.rate}/s\n\n{text}")


main()
