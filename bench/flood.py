#!/usr/bin/env python3
"""The flood scenario: check that Swell keeps its schedule and that its mean is right.

    bench/flood.py --swell target/release/swell [--users 5000] [--ramp 60] [--seconds 180] [--pause 15000] [--agents 2]

Runs examples/flood.jmx against the site under test in a separate process, then checks:
- errors: none are expected;
- schedule: each user's samples are replayed with only the pause and the site's own time for that page as delays. The
  starts of that ideal user before the end of the test are the implied schedule;
- mean: Swell's means, per label and total, compared with the site's own residence times (from the kernel's receive stamp
  of the request to the last send of the response).

With --agents, each agent uses a separate address of the site (127.0.0.1, 127.0.0.2, ...), because a pair of addresses
has only about 28,000 ports. The original scenario has 20,000 and 40,000 users, pauses of 15 and 30 s, and a ramp of
300 s:

    bench/flood.py --swell target/release/swell --users 40000 --ramp 300 --seconds 600 --pause 30000 --agents 2
"""

import argparse
import collections
import contextlib
import csv
import json
import os
import subprocess
import sys
import tempfile

from support import Broker, Site, show

PAGES = {"get_slow": "/slow", "get_cacheable": "/plain_text.html", "get_non_cacheable": "/non_cacheable", "post_slow": "/slow_post"}


def implied(rows, users, args, true_ms):
    """Return the number of starts that the schedule implies, given the pages that each user drew."""
    by_user = collections.defaultdict(list)
    for row in rows:
        by_user[row["threadName"]].append((int(row["timeStamp"]), row["label"]))
    begin = min(start for all_of in by_user.values() for start, _ in all_of) - args.pause
    total = 0
    for name, samples in by_user.items():
        index = int(name.rsplit("-", 1)[1]) - 1
        at = begin + index * args.ramp * 1000 / users + args.pause
        end = begin + args.seconds * 1000
        for _, label in sorted(samples):
            if at >= end:
                break
            total += 1
            at += true_ms[label] + args.pause
        else:
            # Count further starts of this user until the end, whatever page came next.
            while at < end:
                total += 1
                at += 1700 + args.pause
    return total + (users - len(by_user))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", type=int, default=5000)
    parser.add_argument("--ramp", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--pause", type=int, default=15000)
    parser.add_argument("--agents", type=int, default=0, help="number of agents that share the load; 0: one process without a broker")
    args = parser.parse_args()
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "flood.jmx")
    listen = ["--host", "0.0.0.0"] if args.agents else []
    with tempfile.TemporaryDirectory() as folder, Site(args.swell, *listen) as site, contextlib.ExitStack() as stack:
        jtl = f"{folder}/out.jtl"
        command = [args.swell, "run", plan, "--json", "-l", jtl, "-j", f"{folder}/log", f"-Jport={site.port}",
                   f"-Jthreads={args.users}", f"-Jrampup={args.ramp}", f"-Jduration={args.seconds}", f"-Jpause={args.pause}"]
        if args.agents:
            broker = stack.enter_context(Broker())
            command += ["--agents", str(args.agents), "--nats", broker.url]
            agents = [subprocess.Popen([args.swell, "agent", broker.url, "--once", "--quiet", "--name", f"agent-{place}", "-w", "1",
                                        f"-Jhost=127.0.0.{place}"]) for place in range(1, args.agents + 1)]
            stack.callback(lambda: [agent.wait() for agent in agents])
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if ran.returncode:
            sys.exit(f"swell ended with {ran.returncode}")
        summary = json.loads(ran.stdout)
        truth = {route["route"]: route["residence"] for route in site.stats()["routes"]}
        with open(jtl, newline="") as file:
            rows = list(csv.DictReader(file))
    true_ms = {label: truth[page]["mean_ns"] / 1e6 for label, page in PAGES.items()}
    count = sum(truth[page]["count"] for page in PAGES.values())
    true_mean = sum(truth[page]["mean_ns"] * truth[page]["count"] for page in PAGES.values()) / count / 1e6
    wanted = implied(rows, args.users, args, true_ms)
    total = summary["total"]
    by = f", {args.agents} agents" if args.agents else ""
    lines = [f"flood, {args.users} users{by}, ramp {args.ramp} s, {args.seconds} s, pause {args.pause} ms", "",
             f"- errors: {total['errors']} of {total['samples']} samples; the site counted {count} requests",
             f"- schedule: {len(rows)} of {wanted} implied starts ({100 * len(rows) / wanted:.3f} %)",
             f"- mean: {total['mean_ms']:.3f} ms, true {true_mean:.3f} ms ({total['mean_ms'] - true_mean:+.3f} ms)",
             f"- verdict: {summary['verdict']['level']} {'; '.join(gate['reason'] for gate in summary['verdict']['gates'] if gate['reason'])}", "",
             "| label | samples | mean ms | true ms | difference |", "|---|--:|--:|--:|--:|"]
    for row in summary["labels"]:
        mean, true = row["mean_ms"], true_ms[row["label"]]
        lines.append(f"| {row['label']} | {row['samples']} | {mean:.3f} | {true:.3f} | {mean - true:+.3f} |")
    text = "\n".join(lines) + "\n"
    show(f"flood-{args.users}{by.replace(', ', '-').replace(' ', '-')}.md", text)


main()
