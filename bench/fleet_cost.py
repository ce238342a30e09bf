#!/usr/bin/env python3
"""Measure what an agent's messages to its controller cost: CPU time per request of an agent compared with a run on one
machine, with 20 labels.

    bench/fleet_cost.py --swell target/release/swell [--rounds 5] [--seconds 8] [--users 20] [--pause 0]

Both run in turn within each round, with one worker each, against the same site. The result is the median over the rounds
of the ratio within a round. CPU time is that of all threads of the process (/proc/PID/task/*/schedstat) in a window in
the middle of the test; the site counts the requests. Threads are identified by name: `swell-fleet` talks to the broker,
`swell-share` records each second. Prints a Markdown table.
"""

import argparse
import collections
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from support import Broker, Site, show

ONE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
LABELS = 20
# Threads that only agents have.
OF_FLEET = ("swell-fleet", "swell-share")
WARM_UP_S = 2


def plan_of_labels(folder, pause_ms):
    """Write the one-sampler plan with 20 copies of its sampler, each with another name, and a pause before each if wanted."""
    with open(ONE, encoding="utf-8") as file:
        text = file.read()
    sampler = re.search(r" *<HTTPSamplerProxy.*?</HTTPSamplerProxy>\s*<hashTree/>\n", text, re.DOTALL)[0]
    timer = f"""<ConstantTimer guiclass="ConstantTimerGui" testclass="ConstantTimer" testname="pause" enabled="true">
          <stringProp name="ConstantTimer.delay">{pause_ms}</stringProp>
        </ConstantTimer>
        <hashTree/>
"""
    samplers = "".join(sampler.replace('testname="GET"', f'testname="GET {number}"') for number in range(LABELS))
    path = f"{folder}/labels.jmx"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(sampler, samplers + (timer if pause_ms else "")))
    return path


def cpu_by_thread(pid):
    """Return nanoseconds of processor time by thread name."""
    found = collections.Counter()
    for task in os.listdir(f"/proc/{pid}/task"):
        # A thread may end during the loop.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as schedstat, open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as comm:
                found[comm.read().strip()] += int(schedstat.read().split()[0])
    return found


def requests_of(site):
    return sum(route["residence"]["count"] for route in site.stats()["routes"] if route["route"] != "/stats")


def window(site, pid, seconds):
    """Return CPU seconds by thread, and requests, over this many seconds."""
    before, requests = cpu_by_thread(pid), requests_of(site)
    time.sleep(seconds)
    after, count = cpu_by_thread(pid), requests_of(site) - requests
    if count == 0:
        sys.exit("the site received no requests")
    return {name: (after[name] - before[name]) / 1e9 for name in after}, count


@contextlib.contextmanager
def test(args, folder, site, plan, on_agent):
    """Start a test; yield the process that makes its load."""
    length = WARM_UP_S + args.seconds + 30
    line = [args.swell, "run", plan, "-j", f"{folder}/log", f"-Jport={site.port}", f"-Jusers={args.users}", f"-Jseconds={length}", "-Jpath=/bytes/100"]
    with contextlib.ExitStack() as stack:
        environment = {**os.environ, "SWELL_RUNS": "off"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
        agent = None
        if on_agent:
            broker = stack.enter_context(Broker())
            agent = subprocess.Popen([args.swell, "agent", broker.url, "--once", "--quiet", "--name", "agent-1", "-w", "1"], **quiet)
            stack.callback(end, agent)
            line += ["--agents", "1", "--nats", broker.url]
        else:
            line += ["-w", "1"]
        run = subprocess.Popen(line, **quiet)
        stack.callback(end, run)
        began = time.monotonic()
        while requests_of(site) == 0:
            if time.monotonic() - began > 60 or run.poll() is not None:
                sys.exit("no load came")
            time.sleep(0.05)
        time.sleep(WARM_UP_S)
        yield agent.pid if agent else run.pid


def end(process):
    process.kill()
    process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--pause", type=int, default=0, help="milliseconds before each request")
    args = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        plan = plan_of_labels(folder, args.pause)
        for _ in range(args.rounds):
            row = {}
            for way in ("run", "agent"):
                with Site(args.swell) as site, test(args, folder, site, plan, way == "agent") as pid:
                    row[way] = window(site, pid, args.seconds)
            rounds.append(row)
    def us(row, way):
        return sum(row[way][0].values()) * 1e6 / row[way][1]

    def share(row):
        cpu = row["agent"][0]
        return sum(cpu.get(name, 0) for name in OF_FLEET) / sum(cpu.values())
    ratios = [us(row, "agent") / us(row, "run") for row in rounds]
    rate = statistics.median(row["agent"][1] for row in rounds) / args.seconds
    lines = [f"# Cost of an agent's messages, with {LABELS} labels", "", f"{args.users} users, {rate:.0f} requests/s, {args.rounds} rounds of {args.seconds} s; medians.", "",
             "| figure | value |", "|---|--:|",
             f"| CPU per request, run on one machine | {statistics.median(us(row, 'run') for row in rounds):.2f} µs |",
             f"| CPU per request, agent | {statistics.median(us(row, 'agent') for row in rounds):.2f} µs |",
             f"| ratio of agent to run in the same round | {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) |",
             f"| share of the fleet threads in the agent's CPU | {statistics.median(share(row) for row in rounds) * 100:.2f} % |"]
    names = sorted({name for row in rounds for name in row["agent"][0]})
    for name in names:
        part = statistics.median(row["agent"][0].get(name, 0) / sum(row["agent"][0].values()) for row in rounds)
        if part > 0:
            lines.append(f"| thread `{name}` of the agent | {part * 100:.2f} % |")
    text = "\n".join(lines) + "\n"
    show("fleet_cost.md", text)


main()
