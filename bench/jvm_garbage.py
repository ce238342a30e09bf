#!/usr/bin/env python3
"""Measure how garbage collection in the JVM affects native samples, and how much heap a user with a script needs.

    bench/jvm_garbage.py --swell target/release/swell [--rate 2000] [--seconds 30] [--rounds 5] [--held-mb 200] [--users 5000] [--settle 40] [--limit-ms 0.3] [--limit-kb 20]

Collections: native requests run at a steady rate next to one of three disturbances, in turn within each round:
- a script in the JVM holds 200 MB of small objects and forces ten full collections;
- the same script sleeps instead;
- the script sleeps, and another process in the idle class (chrt) walks over 200 MB for as long as the collections take.
  Its effect is that of the machine, not of the JVM.
The p99.9 of native samples (median of the rounds) with and without collections may differ by less than --limit-ms.

Heap: all users wait after each has run a script on the JVM. The heap in use after three full collections, minus the same
with one user, divided by the users, must be below --limit-kb.

Exit status 1 if a limit is exceeded. Needs Java and JMeter's classes (`swell jvm status`). Writes the table to
bench/results/jvm_garbage.md.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from heavy_neighbour import element, group, http, prop
from support import Site, rows, show

# Without collections, the script holds the same objects and waits at most as long as the collections take.
COLLECTIONS = """
def held = new ArrayList()
for (int i = 0; i &lt; OBJECTS; i++) held.add(new byte[80])
def took = 0L
for (int i = 0; i &lt; 10; i++) {
    Thread.sleep(PAUSE)
    long begun = System.nanoTime()
    if (COLLECT) System.gc()
    took += System.nanoTime() - begun
}
SampleResult.setResponseMessage(held.size() + ' objects, ' + took.intdiv(10000000) + ' ms a collection')
'x'
"""
USER = "def seen = (1..3).collect { it * 2 }; vars.put('seen', seen.join(' ')); vars.putObject('kept', seen)"
HEAP = "3.times { System.gc() }; def runtime = Runtime.runtime; SampleResult.setResponseMessage('' + (runtime.totalMemory() - runtime.freeMemory())); 'x'"


def script(kind, name, text):
    fields = prop("scriptLanguage", "groovy") + prop("cacheKey", "true") + prop("script", text)
    return element(kind, name, fields)


def once(name, users, below, delay=0):
    loop = ('<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><boolProp name="LoopController.continue_forever">false</boolProp>'
            '<stringProp name="LoopController.loops">1</stringProp></elementProp>')
    schedule = f'<boolProp name="ThreadGroup.scheduler">true</boolProp>{prop("ThreadGroup.duration", 600)}{prop("ThreadGroup.delay", delay)}'
    return element("ThreadGroup", name, prop("ThreadGroup.num_threads", users) + prop("ThreadGroup.ramp_time", 1) + schedule + loop, below)


def run(args, groups, heap_mb):
    root = element("TestPlan", "Garbage", "", groups)
    text = f'<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>{root}</hashTree></jmeterTestPlan>'
    with tempfile.TemporaryDirectory() as folder:
        plan, jtl = os.path.join(folder, "plan.jmx"), os.path.join(folder, "rows.jtl")
        with open(plan, "w", encoding="utf-8") as file:
            file.write(text)
        command = [args.swell, "run", plan, "--json", "-l", jtl, "-j", os.path.join(folder, "log"), "--no-run-dir", "--jvm-heap", str(heap_mb)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if ran.returncode != 0:
            sys.exit(f"the run ended with {ran.returncode}:\n{ran.stderr}")
        messages = {row["label"]: row["responseMessage"] for row in rows(jtl) if row["label"] in ("collect", "heap")}
    return json.loads(ran.stdout), messages


def collections(args, port, collects):
    pause = max(100, args.seconds * 1000 // 14)
    timer = element("ConstantThroughputTimer", "rate", f'<intProp name="calcMode">1</intProp><doubleProp><name>throughput</name><value>{args.rate * 60.0}</value></doubleProp>')
    objects = args.held_mb * 10_000
    text = COLLECTIONS.replace("OBJECTS", str(objects)).replace("PAUSE", str(pause)).replace("COLLECT", "true" if collects else "false")
    native = group("Native", 100, args.seconds, timer + http("native", port, "/bytes/100"))
    ran, messages = run(args, native + once("Garbage", 1, script("JSR223Sampler", "collect", text)), 1024)
    row = next(row for row in ran["labels"] if row["label"] == "native")
    return row, messages["collect"]


# Busy for BUSY seconds, idle for IDLE seconds, in more memory than any cache holds.
BUSY = """
import time
held = bytearray(200 << 20)
while True:
    until = time.monotonic() + BUSY
    while time.monotonic() < until:
        for at in range(0, 4 << 20, 4096): held[at * 49 % len(held)] = 1
    time.sleep(IDLE)
"""


def beside_a_process(args, port, busy):
    idle = args.seconds / 14
    text = BUSY.replace("BUSY", str(busy)).replace("IDLE", str(idle))
    other = subprocess.Popen(["chrt", "-i", "0", sys.executable, "-c", text])
    try:
        return collections(args, port, False)
    finally:
        other.kill()
        other.wait()


def rounds(args, port):
    """Return rows of the native samples by disturbance, and the messages of the scripts."""
    found = {"none": [], "10": [], "none, another process": []}
    for _ in range(args.rounds):
        found["none"].append(collections(args, port, False))
        found["10"].append(collections(args, port, True))
        took = re.search(r"(\d+) ms a collection", found["10"][-1][1])
        found["none, another process"].append(beside_a_process(args, port, int(took[1]) / 1000))
    return found


def heap(args, users):
    wait = element("ConstantTimer", "wait", prop("ConstantTimer.delay", args.settle * 1500))
    below = http("first", args.port, "/bytes/100", script("JSR223PostProcessor", "script", USER)) + http("second", args.port, "/bytes/100", wait)
    _, messages = run(args, once("Users", users, below) + once("Probe", 1, script("JSR223Sampler", "heap", HEAP), delay=args.settle), 1024)
    return int(messages["heap"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--held-mb", type=int, default=200, help="MB that the script holds, in addition to JMeter's classes")
    parser.add_argument("--users", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--settle", type=int, default=40, help="seconds to wait until all users have run their script")
    parser.add_argument("--limit-ms", type=float, default=0.3)
    parser.add_argument("--limit-kb", type=float, default=20)
    args = parser.parse_args()
    lines = ["# Garbage of the JVM", "", f"`bench/jvm_garbage.py --swell SWELL --rate {args.rate} --seconds {args.seconds} --held-mb {args.held_mb} --users {args.users}`, {os.cpu_count()} processors.", "",
             "| collections | native samples | p50 ms | p99.9 ms, median of the rounds (lowest to highest) | the script |", "|---|---|---|---|---|"]
    with Site(args.swell) as site:
        args.port = site.port
        found = rounds(args, site.port)
        for way, ran in found.items():
            p50, p999 = ([row[part] for row, _ in ran] for part in ("p50_ms", "p999_ms"))
            spread = f"{statistics.median(p999):.3f} ({min(p999):.3f} to {max(p999):.3f})"
            lines.append(f"| {way} | {ran[0][0]['samples']} | {statistics.median(p50):.3f} | {spread} | {ran[0][1]} |")
        one, many = heap(args, 1), heap(args, args.users + 1)
    of = lambda way: statistics.median(row["p999_ms"] for row, _ in found[way])  # noqa: E731
    difference, a_user = of("10") - of("none"), (many - one) / args.users / 1024
    lines += ["", f"p99.9 differs by {difference:.3f} ms (limit {args.limit_ms} ms).", "",
              f"Heap: {one / 1e6:.1f} MB with one user, {many / 1e6:.1f} MB with {args.users + 1}: {a_user:.1f} KB per user (limit {args.limit_kb} KB)."]
    text = "\n".join(lines) + "\n"
    show("jvm_garbage.md", text)
    return 1 if difference >= args.limit_ms or a_user > args.limit_kb else 0


if __name__ == "__main__":
    sys.exit(main())
