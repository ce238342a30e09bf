#!/usr/bin/env python3
"""A crowd on one machine: users that each keep a connection open, in a closed loop with a pause of a second.

    bench/crowd.py --swell target/release/swell [--users 40000] [--agents 3] [--ramp 30] [--seconds 60] [--delay 50ms]

If a process may have 20,000 file descriptors, 40,000 users need three processes on both sides: agents of one run, whose
figures are merged exactly, and one site under test per agent. Prints and writes:
- mean and p99, compared with the sites' own record (from a request's arrival in the kernel to the last send of its
  response; the true p99 is the mean of the sites'). The tool's mean includes the connect, once per user;
- errors;
- memory per user: the agents' peak resident memory minus that before the users started, divided by the users.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import threading

from support import Broker, Site, resident_bytes, show

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "accuracy.jmx")


class Agent:
    """An agent process, and its resident memory: when it has joined, and the peak since then."""

    def __init__(self, swell, url, place, port):
        self.process = subprocess.Popen([swell, "agent", url, "--once", "--quiet", "--name", f"agent-{place}", "-w", "1", f"-Jport={port}"])
        self.before = self.most = 0

    def look(self):
        with contextlib.suppress(OSError, StopIteration):
            self.most = max(self.most, resident_bytes(self.process.pid))


def run(args, folder, agents, sites, url):
    """Run the test while watching the agents' memory; return the summary."""
    over = threading.Event()

    def watch():
        while not over.wait(0.5):
            for agent in agents:
                agent.look()
            if not any(agent.before for agent in agents) and sum(site.stats()["open_connections"] for site in sites) > len(sites):
                for agent in agents:
                    agent.before = agent.most

    watcher = threading.Thread(target=watch)
    watcher.start()
    properties = {"users": args.users, "ramp": args.ramp, "seconds": args.ramp + args.seconds, "pause": 1000, "path": f"/delay/{args.delay}?"}
    command = [args.swell, "run", PLAN, "--json", "--no-run-dir", "-j", f"{folder}/log", "--agents", str(args.agents), "--nats", url]
    ran = subprocess.run(command + [f"-J{name}={value}" for name, value in properties.items()], stdout=subprocess.PIPE, text=True)
    over.set()
    watcher.join()
    if ran.returncode:
        sys.exit(f"swell ended with {ran.returncode}")
    return json.loads(ran.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", default="target/release/swell")
    parser.add_argument("--users", type=int, default=40_000)
    parser.add_argument("--agents", type=int, default=3)
    parser.add_argument("--ramp", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--delay", default="50ms")
    args = parser.parse_args()
    with contextlib.ExitStack() as stack:
        broker = stack.enter_context(Broker())
        sites = [stack.enter_context(Site(args.swell)) for _ in range(args.agents)]
        agents = [Agent(args.swell, broker.url, place + 1, site.port) for place, site in enumerate(sites)]
        stack.callback(lambda: [agent.process.wait() for agent in agents])
        summary = run(args, broker.folder, agents, sites, broker.url)
        truths = [next(route for route in site.stats()["routes"] if route["route"] == "/delay")["residence"] for site in sites]
    total = summary["total"]
    count = sum(truth["count"] for truth in truths)
    mean_ms = sum(truth["mean_ns"] * truth["count"] for truth in truths) / count / 1e6
    p99_ms = sum(truth["p99_ns"] for truth in truths) / len(truths) / 1e6
    told_p99_ms = total["p99_ms"]
    memory = sum(agent.most - agent.before for agent in agents) / args.users
    gates = "; ".join(gate["reason"] for gate in summary["verdict"]["gates"] if gate["reason"])
    show(f"crowd-{args.users}.md", f"""crowd, {args.users} users, {args.agents} agents, ramp {args.ramp} s, then {args.seconds} s, pause 1 s, delay {args.delay}

- errors: {total['errors']} of {total['samples']} samples; the sites counted {count} requests
- mean: {total['mean_ms']:.3f} ms, true {mean_ms:.3f} ms ({total['mean_ms'] - mean_ms:+.3f} ms)
- 99th percentile: {told_p99_ms:.3f} ms, true {p99_ms:.3f} ms ({told_p99_ms - p99_ms:+.3f} ms)
- memory of the agents: {memory / 1024:.2f} KB per user
- verdict: {summary['verdict']['level']} {gates}
""")


if __name__ == "__main__":
    main()
