#!/usr/bin/env python3
"""Measure the memory of labels: of a run with many, and of `swell report` on a results file with many.

    bench/labels.py --swell target/release/swell [--labels 10000] [--rows 1000000] [--report-labels 20000] [--seconds 10]

The run sends requests to `swell target` for a time, each sample with one of so many labels; the figure is the difference to a run with
10 labels, largest resident memory of the process, divided by the labels. The results file has rows of CSV with times of a wide range.
"""

import argparse
import os
import random
import re
import subprocess
import tempfile

from support import Site, show

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
HEAD = ("timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,"
        "allThreads,URL,Latency,IdleTime,Connect")


def measured(command, folder):
    """Run a command; return its largest resident memory in bytes, its CPU seconds, and its output."""
    run = subprocess.run(["/usr/bin/time", "-f", "%M %U %S", "-o", f"{folder}/time", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=True)
    with open(f"{folder}/time", encoding="utf-8") as file:
        memory, user, system = file.read().split()[-3:]
    return int(memory) * 1024, float(user) + float(system), run.stdout


def write_plan(folder):
    with open(PLAN, encoding="utf-8") as file:
        text = file.read()
    named = text.replace('testname="GET"', 'testname="label ${__Random(1,${__P(labels)})}"')
    assert named != text
    with open(f"{folder}/plan.jmx", "w", encoding="utf-8") as file:
        file.write(named)


def run_with(args, labels, port, folder):
    command = [args.swell, "run", f"{folder}/plan.jmx", f"-Jlabels={labels}", "-Jusers=20", f"-Jseconds={args.seconds}", f"-Jport={port}",
               "-Jpath=/", "-j", f"{folder}/log", "--json"]
    memory, _, out = measured(command, folder)
    return memory, int(re.search(r'"samples": ?(\d+)', out)[1])


def write_rows(args, file):
    chance = random.Random(1)
    with open(file, "w", encoding="utf-8") as out:
        print(HEAD, file=out)
        for row in range(args.rows):
            elapsed = int(chance.lognormvariate(4, 1)) + 1
            label = row % args.report_labels
            print(f"{1700000000000 + row // 2},{elapsed},label {label},200,OK,TG 1-{row % 50},text,true,,1234,120,50,50,http://a/{label},"
                  f"{elapsed - 1},0,{elapsed // 10}", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--labels", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--report-labels", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_plan(folder)
        with Site(args.swell) as site:
            base, _ = run_with(args, 10, site.port, folder)
            many, samples = run_with(args, args.labels, site.port, folder)
        write_rows(args, f"{folder}/rows.jtl")
        report, cpu, _ = measured([args.swell, "report", f"{folder}/rows.jtl", "-o", f"{folder}/page.html"], folder)
    show("labels.md",
         f"# Memory of labels\n\n`bench/labels.py`:\n\n"
         f"- A run of {args.seconds} s, {samples:,} samples with {args.labels:,} labels: {many / 2**20:.0f} MB, with 10 labels {base / 2**20:.0f} MB: "
         f"{(many - base) / args.labels / 1024:.1f} KB a label.\n"
         f"- `swell report` of {args.rows:,} rows with {args.report_labels:,} labels: {report / 2**20:.0f} MB, {cpu:.1f} s of CPU.\n")


main()
