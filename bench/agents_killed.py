#!/usr/bin/env python3
"""Kill or stop agents at random moments, and check that the summary and the rows include what they did until then.

    bench/agents_killed.py --swell target/release/swell [--kills 50] [--stops 5] [--seed 1]

Each run starts a controller with its broker, two or three agents with one worker each, and the site under test as
separate processes on loopback. One agent gets SIGKILL, or SIGSTOP for 14 s. Each request names its agent, so the site's
own record shows how many requests each agent made, and when.

"Short by" counts requests that are in the record but not in the summary (or in the rows of the results file), also in
seconds of that agent's load. Duplicate rows are an error, and so is the verdict VALID if load was lost.
Prints a Markdown table.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import queue
import random
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from support import Site, nats_server, rows, show

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "numbered.jmx")
USERS = 12
PAUSE_MS = 20
# Capacity of each site worker's log; larger than the requests of a run.
LOG = 200_000
STOPPED_S = 14


def plan_for(folder, seconds):
    """Write the plan with a duration instead of loops."""
    with open(PLAN, encoding="utf-8") as file:
        text = file.read()
    text = text.replace('<boolProp name="ThreadGroup.scheduler">false</boolProp>',
                        f'<boolProp name="ThreadGroup.scheduler">true</boolProp><stringProp name="ThreadGroup.duration">{seconds}</stringProp>')
    path = os.path.join(folder, "plan.jmx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Run:
    """A run on agents, for the duration of a `with` block."""

    def __init__(self, swell, agents, seconds, on_loss):
        self.swell, self.count, self.seconds, self.on_loss = swell, agents, seconds, on_loss
        self.stack, self.said, self.join, self.agents = contextlib.ExitStack(), [], queue.Queue(), []

    def __enter__(self):
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.site = self.stack.enter_context(Site(self.swell, "--log", str(LOG)))
        line = [self.swell, "controller", plan_for(self.folder, self.seconds), "-l", f"{self.folder}/out.jtl", "-j", f"{self.folder}/log", "--json",
                "--listen", "127.0.0.1:0", "--agents", str(self.count), "--nats-server", nats_server(), "--on-agent-loss", self.on_loss,
                f"-Jport={self.site.port}", f"-Jusers={USERS}", "-Jloops=-1", f"-Jpause={PAUSE_MS}"]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "SWELL_RUNS": "off"})
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        # Each agent prints one line.
        urls = [self.join.get(timeout=60) for _ in range(self.count)]
        self.agents = [subprocess.Popen([self.swell, "agent", "--once", "--quiet", "--name", f"agent-{place}", "-w", "1", f"-Jwho={place}"],
                                        stderr=subprocess.DEVNULL, env={**os.environ, "SWELL_NATS": url}) for place, url in enumerate(urls)]
        return self

    def listen(self):
        for line in self.process.stderr:
            self.said.append(line)
            if "swell agent '" in line:
                self.join.put(line.split("'")[1])

    def record(self):
        """Return the arrival times of each agent's requests from the site's record, in seconds since the epoch."""
        with urllib.request.urlopen(self.site.url + "stats/log") as answer:
            lines = answer.read().decode().split()
        found = {}
        for line in lines[1:]:
            fields = line.split(",")
            found.setdefault(fields[0].rsplit(".", 1)[1], []).append(int(fields[2]) / 1e9)
        return found

    def wait_for_load(self):
        deadline = time.monotonic() + 60
        while not any(route["residence"]["count"] for route in self.site.stats()["routes"] if route["route"] == "/bytes"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit("the load did not start: " + "".join(self.said))
            time.sleep(0.005)

    def end(self):
        out = self.process.stdout.read()
        self.process.wait()
        self.listener.join()
        return json.loads(out)

    def __exit__(self, *_):
        for agent in self.agents:
            with contextlib.suppress(ProcessLookupError):
                agent.send_signal(signal.SIGCONT)
            agent.kill()
            agent.wait()
        self.process.kill()
        self.process.wait()
        self.stack.close()


def rows_of(path):
    """Return the requests of each agent in the results file."""
    found = {}
    for row in rows(path):
        agent = row["URL"].rsplit(".", 1)[1]
        found[agent] = found.get(agent, 0) + 1
    return found


def trial(swell, chance, stops):
    agents, seconds = chance.choice((2, 3)), chance.choice((8, 17, 20, 30)) if stops else chance.choice((5, 6, 7, 8))
    on_loss = chance.choice(("continue", "continue", "redistribute"))
    with Run(swell, agents, seconds, on_loss) as run:
        run.wait_for_load()
        after = chance.uniform(1, 5) if stops else chance.uniform(0.2, seconds - 0.5)
        time.sleep(after)
        victim = chance.randrange(agents)
        run.agents[victim].send_signal(signal.SIGSTOP if stops else signal.SIGKILL)
        at = time.time()
        if stops:
            time.sleep(STOPPED_S)
            run.agents[victim].send_signal(signal.SIGCONT)
        summary = run.end()
        record, table = run.record(), rows_of(f"{run.folder}/out.jtl")
        said = "".join(run.said)
    victims = sorted(record.get(str(victim), []))
    # The agent's load: its requests in the seconds before the signal.
    before = [time_s for time_s in victims if time_s <= at]
    span = max(0.2, min(1.0, at - before[0])) if before else 1.0
    rate = max(1.0, sum(time_s > at - span for time_s in before) / span)
    all_requests = sum(map(len, record.values()))
    short = all_requests - summary["total"]["samples"]
    short_rows = {agent: len(times) - table.get(agent, 0) for agent, times in record.items()}
    others = max((abs(count) for agent, count in short_rows.items() if agent != str(victim)), default=0)
    print(f"{len(victims)} requests of agent {victim}, short by {short} and {short_rows.get(str(victim), 0)} rows", flush=True)
    return {"agents": agents, "on_loss": on_loss, "after": after, "requests": all_requests, "of_agent": len(before), "rate": rate, "short": short,
            "rows": short_rows.get(str(victim), 0), "others": others, "verdict": summary["verdict"]["level"],
            "said": said, "summary": summary}


def line_of(number, found):
    return (f"| {number} | {found['agents']} | {found['on_loss']} | {found['after']:.2f} | {found['requests']} | {found['of_agent']} | {found['rate']:.0f} "
            f"| {found['short']} ({found['short'] / found['rate']:.2f} s) | {found['rows']} ({found['rows'] / found['rate']:.2f} s) | {found['others']} | {found['verdict']} |")


HEAD = """| run | agents | on loss | signal after, s | requests | of the agent | its load, 1/s | missing in summary | missing rows | row error, other agents | verdict |
|---|---|---|---|---|---|---|---|---|---|---|"""


def table_of(title, swell, count, chance, stops, verbose, at_once):
    if not count:
        return ""
    lines, worst, valid = [], [0.0, 0.0], 0
    chances = [random.Random(chance.random()) for _ in range(count)]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        trials = pool.map(lambda own: trial(swell, own, stops), chances)
    for number, found in enumerate(trials, 1):
        lines.append(line_of(number, found))
        if verbose:
            print(found["said"], flush=True)
        worst = [max(worst[0], found["short"] / found["rate"]), max(worst[1], found["rows"] / found["rate"])]
        valid += found["verdict"] == "VALID"
    text = f"The summary lacks at most {worst[0]:.2f} s of the agent's load, the rows {worst[1]:.2f} s; VALID verdicts: {valid} of {count}."
    return f"## {title}\n\n{text}\n\n{HEAD}\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--stops", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1, help="number of concurrent runs")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--out", default="agents_killed.md")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    parts = [table_of("SIGKILL of an agent", args.swell, args.kills, chance, False, args.verbose, args.at_once),
             table_of(f"SIGSTOP of an agent for {STOPPED_S} s", args.swell, args.stops, chance, True, args.verbose, args.at_once)]
    show(args.out, "# Lost agents\n\n" + "\n".join(part for part in parts if part))


main()
