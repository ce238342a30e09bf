#!/usr/bin/env python3
"""A test on several agents: is it the test of one machine, and what does it bear?

    bench/fleet.py --swell target/release/swell [--users 600] [--rows equal killed stopped broker skew]

Each row starts a broker, agents with one worker each and the site under test as processes of their own, all on loopback. The site's own
count is the truth. Rows:
- equal: three agents beside one machine, fixed loops: requests, labels, rows of the results file; percentiles beside those of the rows;
- killed: SIGKILL of one of three: how long until the site sees 95 % of the requests a second again, and the account;
- stopped: SIGSTOP of one for 15 s, then SIGCONT: the account, and that the load is whole again;
- broker: SIGKILL of the broker, which comes back after 10 s: requests a second meanwhile, the account;
- skew: how far starts of three agents lie from each other, the worst of five runs.
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
# Users think for so long before each request, and for as long again at most by chance (milliseconds).
PAUSE_MS = 500


class Run:
    """A run on agents, for the length of a `with`."""

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
                raise SystemExit(f"`{text}` was not said: {''.join(self.said)}")

    def requests(self):
        return sum(route["residence"]["count"] for route in self.site.stats()["routes"])

    def rate(self, seconds=1.0):
        before, began = self.requests(), time.monotonic()
        time.sleep(seconds)
        return (self.requests() - before) / (time.monotonic() - began)

    def end(self, interrupt=True):
        """Summary, account and requests at the site."""
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
        # Parts of a sample, such as redirects, have rows of their own, and are in no percentile.
        elapsed = sorted(int(row["elapsed"]) for row in table if not re.search(r"-\d+$", row["label"]))
        found.append((requests, labels, summary["total"]["samples"], len(table)))
    gaps = []
    for name, percent in (("p50_ms", 50), ("p90_ms", 90), ("p99_ms", 99)):
        of_rows = percentile(elapsed, percent)
        # Rows are differences of whole milliseconds, so one either way is theirs.
        gaps.append(max(0.0, abs(summary["total"][name] - of_rows) - 1) / max(of_rows, 1))
    word = "equal" if found[0] == found[1] else "NOT EQUAL"
    off = f"off by at most 1/{1 / max(gaps):.0f}" if max(gaps) > 0 else "within the millisecond of the rows"
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
        # The rate falls first.
        while run.rate(0.5) > before * 0.8 and time.monotonic() - began < 30:
            pass
        took = time.monotonic() - began
        # Half a second of few users has the full rate by chance; the load was full from the beginning of two seconds that have it.
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
    parser = argparse.ArgumentParser()
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
