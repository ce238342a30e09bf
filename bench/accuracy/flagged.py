#!/usr/bin/env python3
"""Check that the verdict flags every run with affected figures, and no other.

    bench/accuracy/flagged.py --swell target/release/swell [--kind mixed|middling|rate|quiet] [--runs 30] [--seconds 3] [--seed 1]

Each run draws a number of users, a pause and, for the kind `mixed`, a number of neighbours that compute without end.
It is then joined with the site's log, which shows:
- how late each request came after the user's previous response and pause (the site's stamps alone);
- how late it came after the time at which Swell reports the user as ready;
- how far the reported time is from the true one.

A run beyond what the limits of VALID allow together is affected ("touched") and must be flagged. A run within each
limit is not, and flagging it is a false alarm. Between the two, either verdict is accepted. For the kind `rate`,
lateness is counted from the slots of the schedule, aligned so that no request is earlier than its slot.
Runs of other seeds and kinds are kept.
"""

import argparse
import json
import random
import subprocess
import urllib.parse

from world import Site, id_of, kept, ms, quantile, rows_of, run_plan, scratch, site_rows, table, write

# The limit applies separately to late starts and to late reads; a run can have both.
LIMIT_MS, ALLOWED_MS = 1.0, 0.05
TIME_LIMIT_MS = 0.2
KINDS = {
    "mixed": {"users": [10, 100, 500, 2000, 5000], "pause": [0, 0, 20, 100, 500], "neighbours": [0, 0, 0, 1, 2, 4], "ramp": [0]},
    "middling": {"users": [100, 200, 300, 500], "pause": [0, 20, 50, 100], "neighbours": [0, 0, 0, 1], "ramp": [1]},
    "rate": {"rate": [1000, 5000, 10000, 20000, 30000, 40000, 50000], "neighbours": [0, 0, 1]},
    "quiet": {"users": [1, 5, 20, 50, 200], "pause": [0, 20, 100, 500], "neighbours": [0], "ramp": [1]},
}


def lateness(logged, pause_ns):
    """Return how much later each request came than its user's previous response plus the pause, by the site's stamps alone."""
    users = {}
    for row in logged:
        user, number = urllib.parse.unquote(row["id"]).split(".")
        users.setdefault(user, []).append((int(number), int(row["arrival_ns"]), int(row["arrival_ns"]) + int(row["residence_ns"])))
    late = []
    for requests in users.values():
        requests.sort()
        late += [after[1] - before[2] - pause_ns for before, after in zip(requests, requests[1:]) if after[0] == before[0] + 1]
    return sorted(late)


def behind_slots(arrivals, rate):
    """Return how late each request came after its slot of an even schedule, aligned with the least late request."""
    behind = sorted(at - place * 1_000_000_000 // rate for place, at in enumerate(sorted(arrivals)))
    return [late - behind[0] for late in behind]


def at_rate(args, rate):
    """Run a constant rate against a page without delay; return the lateness and the verdict.

    There are enough connections for some to be free while the site stalls for 20 ms: a request that waits for a free
    connection is late because of the site. There are no more, because each connection must first be opened.
    """
    with Site(args.swell, "--log", str(rate * (args.seconds + 1))) as site:
        command = [args.swell, "hit", site.url + "ok?id=x", "-c", str(max(200, rate // 50)), "-r", str(rate), "-d", f"{args.seconds}s", "--json"]
        summary = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout)
        return behind_slots([int(row["arrival_ns"]) for row in site_rows(site)], rate), summary


def one(args, draw, number, folder):
    drawn = {name: draw.choice(values) for name, values in KINDS[args.kind].items()}
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(drawn["neighbours"])]
    try:
        if args.kind == "rate":
            late, summary = at_rate(args, drawn["rate"])
            return result_of(args, number, drawn, summary, late, late, [0])
        with Site(args.swell, "--log", "1000000") as site:
            ran = run_plan(args.swell, folder, site.port, users=drawn["users"], pause=drawn["pause"], ramp=drawn["ramp"], seconds=args.seconds + drawn["ramp"],
                           path="/delay/20ms?")
            logged = list(site_rows(site))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    late = lateness(logged, drawn["pause"] * 1_000_000)
    truth = {urllib.parse.unquote(row["id"]): (int(row["arrival_ns"]), int(row["residence_ns"])) for row in logged}
    errors, starts = [], []
    for row in rows_of(ran.jtl):
        found = truth.get(id_of(row["URL"]))
        if found and row["success"] == "true":
            if row["connectedNs"] == "0":
                # The site's record does not include the connect.
                errors.append(abs(int(row["endNs"]) - int(row["startNs"]) - found[1]))
            # From when the user was ready to when the request reached the site's kernel.
            starts.append(found[0] - int(row["readyNs"]))
    return result_of(args, number, drawn, ran.summary, late, sorted(starts), sorted(errors))


def result_of(args, number, drawn, summary, late, starts, errors):
    found = {"late_p98_ms": ms(quantile(late, 0.98)), "late_p99_ms": ms(quantile(late, 0.99)), "start_p99_ms": ms(quantile(starts, 0.99)), "error_p99_ms": ms(quantile(errors, 0.99))}
    gates = {gate["criterion"]: (gate["value"], gate["level"]) for gate in summary["verdict"]["gates"]}
    result = {"kind": args.kind, "seed": args.seed, "number": number} | drawn | {"joined": len(starts)} | {name: round(value, 3) for name, value in found.items()}
    result |= {"truth": judged(found), "verdict": summary["verdict"]["level"], "gates": {name: [round(value, 4), level] for name, (value, level) in gates.items()}}
    print({name: value for name, value in result.items() if name != "gates"}, [name for name, (_, level) in gates.items() if level != "VALID"], flush=True)
    return result


def judged(found):
    """Classify a run. The verdict allows 1 % of the requests to be late for each of two reasons. So at least 98 % are within
    both limits, and in total at most twice the limit late."""
    touched = found["late_p98_ms"] > 2 * LIMIT_MS * 1.1 + ALLOWED_MS or found["start_p99_ms"] > LIMIT_MS * 1.1 + ALLOWED_MS
    untouched = found["late_p99_ms"] <= LIMIT_MS and found["start_p99_ms"] <= LIMIT_MS
    wrong = found["error_p99_ms"] > TIME_LIMIT_MS * 1.1
    return "touched" if touched or wrong else "untouched" if untouched and found["error_p99_ms"] <= TIME_LIMIT_MS else "between"


def section(kind, rows):
    flagged = lambda row: row["verdict"] != "VALID"
    of = {truth: [row for row in rows if row["truth"] == truth] for truth in ["touched", "between", "untouched"]}
    lines = [[truth, sum(map(flagged, found)), len(found) - sum(map(flagged, found))] for truth, found in of.items()]
    text = f"## {len(rows)} {kind} runs\n\n" + table(["", "flagged", "VALID"], lines) + "\n"
    missed = [row for row in of["touched"] if not flagged(row)]
    text += f"Missed: {missed}\n" if missed else "None missed.\n"
    for row in filter(flagged, of["untouched"]):
        gates = ", ".join(f"{name} {value:g}" for name, (value, level) in row["gates"].items() if level != "VALID")
        drawn = ", ".join(f"{name} {row[name]}" for name in KINDS[kind])
        text += f"- False alarm: {drawn}: {gates} (late by the site's stamps: p99 {row['late_p99_ms']} ms)\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--kind", choices=KINDS, default="mixed")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw = random.Random(f"{args.kind} {args.seed}")
    with scratch() as folder:
        found = [one(args, draw, number, folder) for number in range(args.runs)]
    rows = kept("flagged.json", found, lambda row: (row["kind"], row["seed"], row["number"]))
    of = {kind: [row for row in rows if row["kind"] == kind] for kind in KINDS}
    text = "\n".join(section(kind, rows) for kind, rows in of.items() if rows)
    print(text)
    write("flagged.md", f"# Runs with affected figures, and flagged runs\n\n{text}")


main()
