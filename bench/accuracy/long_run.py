#!/usr/bin/env python3
"""Check that memory does not grow in a run of 100 million samples.

    bench/accuracy/long_run.py --swell target/release/swell [--samples 100000000] [--users 200]

To save time, the plan uses JMeter's Java Test sampler with a sleep of zero: it exercises everything that an HTTP sample
does except the network. Resident memory is read after a million samples and at the end.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

from world import resident_bytes, write

PLAN = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Long"/><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="Users">
<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><boolProp name="LoopController.continue_forever">false</boolProp><stringProp name="LoopController.loops">{loops}</stringProp></elementProp>
<stringProp name="ThreadGroup.num_threads">{users}</stringProp><stringProp name="ThreadGroup.ramp_time">0</stringProp>
</ThreadGroup><hashTree>
<JavaSampler guiclass="JavaTestSamplerGui" testclass="JavaSampler" testname="Step ${{__Random(1,50)}}">
<elementProp name="arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">
<elementProp name="Sleep_Time" elementType="Argument"><stringProp name="Argument.name">Sleep_Time</stringProp><stringProp name="Argument.value">0</stringProp></elementProp>
<elementProp name="Sleep_Mask" elementType="Argument"><stringProp name="Argument.name">Sleep_Mask</stringProp><stringProp name="Argument.value">0x0</stringProp></elementProp>
</collectionProp></elementProp>
<stringProp name="classname">org.apache.jmeter.protocol.java.test.JavaTest</stringProp>
</JavaSampler><hashTree/></hashTree></hashTree></hashTree></jmeterTestPlan>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--samples", type=int, default=100_000_000)
    parser.add_argument("--users", type=int, default=200)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "long.jmx")
        with open(plan, "w") as file:
            file.write(PLAN.format(users=args.users, loops=args.samples // args.users))
        command = [args.swell, "run", plan, "-Jsummariser.interval=6", "-j", os.path.join(folder, "log")]
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        at_million, last, samples = None, None, 0
        for line in process.stdout:
            # The `summary =` line counts all samples so far; the first report has only a `summary +` line.
            found = re.match(r"summary [=+]\s+(\d+) in", line)
            if not found or process.poll() is not None:
                continue
            samples = max(samples, int(found.group(1)))
            if os.path.exists(f"/proc/{process.pid}/status"):
                last = resident_bytes(process.pid)
            if samples >= 1_000_000 and at_million is None:
                at_million = (samples, last)
        if process.wait() or at_million is None:
            sys.exit(f"swell ended with {process.returncode} after {samples} samples")
    text = (f"{samples:,} samples in {time.monotonic() - started:.0f} s: {last / 2**20:.1f} MB resident at the end, "
            f"{at_million[1] / 2**20:.1f} MB after {at_million[0]:,}\n")
    print(text)
    write("long_run.md", text)


main()
