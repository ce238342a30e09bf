#!/usr/bin/env python3
"""Overload and busy neighbours: is every run whose numbers are touched flagged?

    bench/accuracy/flagged.py --swell target/release/swell [--runs 100] [--seconds 3]

Each run draws a number of users, a think time, and a number of neighbours that compute without a pause, and is joined with the site's log. It is
touched if the 99th percentile of the errors of user-space times, or that of the tool's late starts as the log shows them, is beyond the limits of VALID. A touched run must
not be VALID; runs that are flagged and not touched are counted as false alarms.
"""

import argparse
import json
import random
import subprocess

from world import Site, id_of, log_of, ms, quantile, rows_of, run_plan, scratch, table, write

START_LIMIT_MS = 1.0


def one(args, draw, folder):
    users = draw.choice([10, 100, 500, 2000, 5000])
    pause_ms = draw.choice([0, 0, 20, 100, 500])
    neighbours = draw.choice([0, 0, 0, 1, 2, 4])
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(neighbours)]
    try:
        with Site(args.swell, "--log", "1000000") as site:
            ran = run_plan(args.swell, folder, site.port, users=users, pause=pause_ms, seconds=args.seconds, path="/delay/20ms?")
            truth = log_of(site)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    errors, starts = [], []
    for row in rows_of(ran.jtl):
        found = truth.get(id_of(row["URL"]))
        if found and row["success"] == "true":
            errors.append(abs(int(row["endNs"]) - int(row["startNs"]) - found[1]))
            # From when the user could start to when the request was at the site's kernel.
            starts.append(found[0] - int(row["readyNs"]))
    errors.sort()
    starts.sort()
    late_ms, error_ms = ms(quantile(starts, 0.99)), ms(quantile(errors, 0.99))
    # A first request has its connect between ready and arrival, so a twentieth of a millisecond is allowed for.
    touched = late_ms > START_LIMIT_MS * 1.1 + 0.05
    result = {"users": users, "pause_ms": pause_ms, "neighbours": neighbours, "joined": len(starts), "late_p99_ms": round(late_ms, 3),
              "error_p99_ms": round(error_ms, 3), "touched": touched, "verdict": ran.verdict, "worst": ran.worst()}
    print(result, flush=True)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swell", required=True)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw = random.Random(args.seed)
    with scratch() as folder:
        found = [one(args, draw, folder) for _ in range(args.runs)]
    count = {(touched, flagged): sum(r["touched"] == touched and (r["verdict"] != "VALID") == flagged for r in found)
             for touched in (True, False) for flagged in (True, False)}
    rows = [["touched", count[True, True], count[True, False]], ["not touched", count[False, True], count[False, False]]]
    text = table(["", "flagged", "VALID"], rows)
    missed = [r for r in found if r["touched"] and r["verdict"] == "VALID"]
    text += "\n" + (f"Missed: {missed}\n" if missed else "None missed.\n")
    print(text)
    write("flagged.md", f"# {args.runs} runs with overload and busy neighbours\n\n{text}")
    write("flagged.json", json.dumps(found, indent=1))


main()
