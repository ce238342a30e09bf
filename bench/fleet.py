#!/usr/bin/env python3
"""Check that a test on several agents is the same test as on one machine, and what faults it survives.

    bench/fleet.py --swell target/release/swell [--users 600] [--rows equal killed stopped broker skew]

Each row starts a broker, agents with one worker each and the site under test as separate processes on loopback. The
site's own count is the reference. Rows:
- equal: three agents compared with one machine, fixed loops: requests, labels, rows of the results file, and percentiles
  compared with those of the rows;
- killed: SIGKILL of one agent of three: time until the site sees 95 % of the request rate again, and the account;
- stopped: SIGSTOP of one agent for 15 s, then SIGCONT: the account, and whether the load is complete again;
- broker: SIGKILL of the broker, which is started again after 10 s: request rate in between, and the account;
- skew: largest difference between the starts of three agents, the worst of five runs.
Prints a Markdown table.
"""

import argparse
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from support import Broker, Site, rows, show

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "ten-urls.jmx")
# Users pause before each request for this time plus a random time of up to as long (milliseconds).
PAUSE_MS = 500


class Run:
    """A run on agents, for the duration of a `with` block."""

    def __init__(self, args, agents, loops):
        self.args, self.count, self.loops = args, agents, loops
        self.stack, self.said, self.words = contextlib.ExitStack(), [], threading.Condition()

    def __enter__(self):
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.site = self.stack.enter_context(Site(self.args.swell))
        plan = [PLAN, "-l", f"{self.folder}/out.jtl", "-j", f"{self.folder}/log", "--json", f"-Jport={self.site.port}",
                f"-Jthreads={self.args.users}", f"-Jloops={self.loops}", f"-Jpause={PAUSE_MS}"]
        more = ["-w", "1"]
        if self.count:
            self.broker = self.stack.enter_context(Broker())
            self.agents = [subprocess.Popen([self.args.swell, "agent", self.broker.url, "--once", "--quiet", "--name", f"agent-{place}", "-w", "1"])
                           for place in range(self.count)]
            more = ["--agents", str(self.count), "--nats", self.broker.url]
        environment = {**os.environ, "SWELL_RUNS": "off"}
        self.process = subprocess.Popen([self.args.swell, "run", *plan, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        return self

    def listen(self):
        for line in self.process.stderr:
            with self.words:
                self.said.append(line)
                self.words.notify_all()

    def wait_for_words(self, text):
        with self.words:
            if not self.words.wait_for(lambda: any(text in line for line in self.said), timeout=60):
                raise SystemExit(f"the run did not print `{text}`: {''.join(self.said)}")

    def requests(self):
        return sum(route["residence"]["count"] for route in self.site.stats()["routes"])

    def rate(self, seconds=1.0):
        before, began = self.requests(), time.monotonic()
        time.sleep(seconds)
        return (self.requests() - before) / (time.monotonic() - began)

    def end(self, interrupt=True):
        """Return the summary, the account and the requests that the site counted."""
        if interrupt:
            self.process.send_signal(signal.SIGINT)
        summary = json.loads(self.process.stdout.read())
        self.process.wait()
        self.listener.join()
        account = next((line.strip() for line in self.said if line.startswith("accounted: ")), "")
        return summary, account, self.requests()

    def __exit__(self, *_):
        for agent in getattr(self, "agents", []):
            agent.kill()
            agent.wait()
        self.stack.close()


def percentile(sorted_values, percent):
    return sorted_values[max(0, math.ceil(len(sorted_values) * percent / 100) - 1)]


def equal(args):
    found = []
    for agents in (0, 3):
        with Run(args, agents, 3) as run:
            summary, account, requests = run.end(interrupt=False)
            table = rows(f"{run.folder}/out.jtl")
        labels = sorted((row["threadName"], row["label"]) for row in table)
        # Parts of a sample, such as redirects, have separate rows and are in no percentile.
        elapsed = sorted(int(row["elapsed"]) for row in table if not re.search(r"-\d+$", row["label"]))
        found.append((requests, labels, summary["total"]["samples"], len(table)))
    gaps = []
    for name, percent in (("p50_ms", 50), ("p90_ms", 90), ("p99_ms", 99)):
        of_rows = percentile(elapsed, percent)
        # Rows have whole milliseconds, so one millisecond of difference comes from rounding.
        gaps.append(max(0.0, abs(summary["total"][name] - of_rows) - 1) / max(of_rows, 1))
    word = "equal" if found[0] == found[1] else "NOT EQUAL"
    off = f"off by at most 1/{1 / max(gaps):.0f}" if max(gaps) > 0 else "equal to those of the rows within 1 ms"
    return f"{word}: {found[1][0]} requests, {found[1][2]} samples, {found[1][3]} rows; {account}; p50, p90, p99 {off}"


def steady(run):
    run.wait_for_words("slices on 3 agents")
    time.sleep(5)
    return run.rate(3)


def killed(args):
    with Run(args, 3, -1) as run:
        before = steady(run)
        run.agents[1].send_signal(signal.SIGKILL)
        began = time.monotonic()
        # Wait until the rate has fallen.
        while run.rate(0.5) > before * 0.8 and time.monotonic() - began < 30:
            pass
        took = time.monotonic() - began
        # A few users can reach the full rate for half a second by chance, so two seconds at the full rate are required.
        while run.rate(2) < before * 0.95 and took < 60:
            took = time.monotonic() - began
        after = run.rate(3)
        _, account, requests = run.end()
    return f"{before:.0f} requests/s before, {after:.0f} after; full load again {took:.1f} s after SIGKILL; {account}; the site counted {requests}"


def stopped(args):
    with Run(args, 3, -1) as run:
        before = steady(run)
        run.agents[1].send_signal(signal.SIGSTOP)
        time.sleep(15)
        during = run.rate(2)
        run.agents[1].send_signal(signal.SIGCONT)
        time.sleep(3)
        after = run.rate(3)
        _, account, requests = run.end()
    return f"{before:.0f} requests/s before, {during:.0f} at 15 s, {after:.0f} after; {account}; the site counted {requests}"


def broker(args):
    with Run(args, 3, -1) as run:
        before = steady(run)
        run.broker.kill()
        during = run.rate(10)
        run.broker.start()
        time.sleep(3)
        after = run.rate(3)
        _, account, requests = run.end()
    return f"{before:.0f} requests/s before, {during:.0f} without it, {after:.0f} after; {account}; the site counted {requests}"


def skew(args):
    worst = 0.0
    for _ in range(5):
        with Run(args, 3, 1) as run:
            run.end(interrupt=False)
            line = next(line for line in run.said if line.startswith("common start: "))
        worst = max(worst, float(re.search(r"within ([\d.]+) ms", line)[1]))
    return f"at most {worst:.3f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", type=int, default=600)
    names = {row.__name__: row for row in (equal, killed, stopped, broker, skew)}
    parser.add_argument("--rows", nargs="*", choices=names, default=list(names))
    args = parser.parse_args()
    lines = [f"# {args.users} users on three agents", "", "| test | found |", "|---|---|"]
    lines += [f"| {name} | {names[name](args)} |" for name in args.rows]
    text = "\n".join(lines) + "\n"
    show("fleet.md", text)


main()
