#!/usr/bin/env python3
"""Kill and stop processes of a run on three agents at random, and compare the run's account with the site's record.

    bench/chaos.py --swell target/release/swell [--trials 20] [--seed 1] [--faults agent-kill agent-stop broker-kill broker-stop
                    controller-kill controller-stop]

Each trial runs bench/plans/numbered.jmx (fixed loops; each request names its user and its agent) on three agents with
one worker each, with a separate broker. At random times, a process is stopped for a while or killed. A killed agent or
broker is started again after a while; a killed controller is replaced with `--take`. Checks at the end:
- the run ends in time, with status 0, or with 112 if an agent or its rows were lost;
- the account equals what the agents reported and never exceeds what the site received. If no agent was killed, it
  equals what the site received, except for requests cut when a slice was given up (one per user and loss);
- the results file has as many rows as there are samples, or the status is 112;
- no two agents run the same user at the same time: a user neither returns to an agent within a second, nor changes its
  agent more often than there were faults.
A failed trial prints its seed, its faults and the run's output. Exit status 1 if a trial failed.
"""

import argparse
import collections
import csv
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from support import Broker, Site, rows

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "numbered.jmx")
FAULTS = ("agent-kill", "agent-stop", "broker-kill", "broker-stop", "controller-kill", "controller-stop")
USERS, LOOPS, PAUSE_MS, AGENTS = 12, 250, 100, 3
# An undisturbed run takes 25 s. Each loss adds up to 15 s, plus the repetition of cut iterations.
LIMIT_S = 180


class Trial:
    def __init__(self, swell, seed, faults):
        self.swell, self.seed, self.random = swell, seed, random.Random(seed)
        self.kinds, self.done, self.agents, self.problems = faults, [], {}, []
        self.environment = {**os.environ, "SWELL_RUNS": "off"}

    def start_agent(self):
        name = f"agent{len(self.agents)}"
        log = open(f"{self.folder}/{name}.err", "w")
        command = [self.swell, "agent", self.broker.url, "--once", "--name", name, "-w", "1", f"-Jwho={name}"]
        self.agents[name] = subprocess.Popen(command, stderr=log, env=self.environment)

    def start_controller(self, *more):
        self.controllers = getattr(self, "controllers", 0) + 1
        self.said = f"{self.folder}/controller{self.controllers}.err"
        command = [self.swell, "controller", PLAN, "--nats", self.broker.url, "-f", "-l", f"{self.folder}/out.jtl", "-j", f"{self.folder}/log",
                   f"-Jport={self.site.port}", f"-Jusers={USERS}", f"-Jloops={LOOPS}", f"-Jpause={PAUSE_MS}", *more]
        self.controller = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(self.said, "w"), env=self.environment)

    def text(self):
        with open(self.said) as file:
            return file.read()

    def run(self):
        with tempfile.TemporaryDirectory() as self.folder, Site(self.swell, "--log", "200000") as self.site, Broker() as self.broker:
            try:
                for _ in range(AGENTS):
                    self.start_agent()
                self.start_controller("--agents", str(AGENTS))
                began = time.monotonic()
                while "slices on" not in self.text() and time.monotonic() - began < 40:
                    time.sleep(0.05)
                self.run_name = re.search(r"The run is (\w+)", self.text())[1]
                for _ in range(self.random.randint(1, 3)):
                    time.sleep(self.random.uniform(0.2, 9))
                    if self.controller.poll() is not None:
                        break
                    self.fault(self.random.choice(self.kinds))
                self.check()
            finally:
                for process in [*self.agents.values(), self.controller]:
                    if process.poll() is None:
                        process.kill()
                    process.wait()
        return self.problems

    def fault(self, kind):
        what, how = kind.split("-")
        for_s = self.random.uniform(0.5, 14)
        if what == "broker":
            # If the broker is away longer than this, agents stop, possibly all of them.
            for_s = min(for_s, 9)
        name = self.random.choice([name for name, process in self.agents.items() if process.poll() is None] or list(self.agents))
        process = {"agent": self.agents[name], "broker": self.broker.process, "controller": self.controller}[what]
        self.done.append((kind, name if what == "agent" else "", round(for_s, 1)))
        process.send_signal(signal.SIGKILL if how == "kill" else signal.SIGSTOP)
        time.sleep(for_s)
        if how == "stop":
            return process.send_signal(signal.SIGCONT)
        process.wait()
        if what == "agent":
            self.start_agent()
        elif what == "broker":
            self.broker.start()
        else:
            self.start_controller("--take", self.run_name)

    def check(self):
        try:
            status = self.controller.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            return self.problem("the run did not end")
        said = self.text()
        account = re.search(r"accounted: ([\d,]+) of ([\d,]+) samples(.*)", said)
        if not account:
            return self.problem(f"the run printed no account; status {status}")
        counted, told = (int(account[group].replace(",", "")) for group in (1, 2))
        record = list(csv.DictReader(urllib.request.urlopen(self.site.url + "stats/log").read().decode().splitlines()))
        killed = sum(kind == "agent-kill" for kind, *_ in self.done)
        losses = killed + sum(kind == "agent-stop" for kind, *_ in self.done) + said.count(" continues on agent ")
        if counted != told or "incomplete" in account[3]:
            self.problem(f"the account is incomplete: {account[0]}")
        if counted > len(record):
            self.problem(f"{counted} counted, but the site received only {len(record)}")
        if not killed and len(record) - counted > USERS * losses:
            self.problem(f"{counted} counted, the site received {len(record)}, and {losses} losses explain at most {USERS * losses} cut requests")
        if counted < USERS * LOOPS and not killed:
            self.problem(f"{counted} counted, but the plan has {USERS * LOOPS}")
        of_file = len(rows(f"{self.folder}/out.jtl"))
        if status not in (0, 112) or (status == 0 and of_file != counted):
            self.problem(f"status {status}, {of_file} rows for {counted} samples")
        if status == 112 and not killed:
            self.problem(f"status 112 although no agent was killed: {of_file} rows for {counted} samples")
        self.check_owners(record)
        self.summary = f"{counted} accounted, {len(record)} at the site, {of_file} rows, status {status}"

    def check_owners(self, record):
        by_user = collections.defaultdict(list)
        for row in sorted(record, key=lambda row: int(row["arrival_ns"])):
            user, who = row["id"].split(".")
            at_s = int(row["arrival_ns"]) / 1e9
            tenures = by_user[user]
            if tenures and tenures[-1][0] == who:
                tenures[-1][2] = at_s
            else:
                tenures.append([who, at_s, at_s])
        for user, tenures in by_user.items():
            for before, after in zip(tenures, tenures[2:]):
                # A slice that was taken over may move back to an agent that has fewer, but only after its lease.
                if before[0] == after[0] and after[1] - before[2] < 1:
                    self.problem(f"user {user} was run by two agents at once: {tenures}")
            # Each agent that joins late takes slices from others: one more move.
            if len(tenures) > 1 + len(self.done) + len(self.agents):
                self.problem(f"user {user} changed {len(tenures) - 1} times: {tenures}")

    def problem(self, text):
        self.problems.append(text)
        if len(self.problems) == 1:
            self.words = self.text() + "".join(f"{name}: {open(f'{self.folder}/{name}.err').read()}" for name in self.agents)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", nargs="*", choices=FAULTS, default=list(FAULTS))
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + args.trials):
        trial = Trial(args.swell, seed, args.faults)
        problems = trial.run()
        failed += bool(problems)
        told = ", ".join(" ".join(str(word) for word in fault if word != "") for fault in trial.done) or "no fault"
        print(f"seed {seed}: {told}: {'; '.join(problems) or trial.summary}", flush=True)
        if problems:
            print(trial.words, flush=True)
    print(f"{args.trials - failed} of {args.trials} trials hold")
    sys.exit(failed > 0)


main()
