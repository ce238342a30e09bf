#!/usr/bin/env python3
"""Measure what a script costs per sample: CPU time of a plan with a small Groovy post-processor, compared with the same
plan without it.

    bench/scripts.py --swell target/release/swell [--jmeter ~/jmeter/bin/jmeter] [--users 20] [--seconds 5,15]

The script reads a JSON body of 1 KB and sets a variable (`JsonSlurper`), which Swell cannot run natively. Each plan runs
for two durations. The CPU time per sample is taken from the difference, so it excludes start-up and most of the JVM's
compilation. The server is nginx on loopback. Writes the table to bench/results/scripts.md.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

from cpu_per_request import start_nginx
from support import keep

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
SCRIPT = """
          <JSR223PostProcessor guiclass="TestBeanGUI" testclass="JSR223PostProcessor" testname="Read the name" enabled="true">
            <stringProp name="scriptLanguage">groovy</stringProp>
            <stringProp name="parameters"></stringProp>
            <stringProp name="filename"></stringProp>
            <stringProp name="cacheKey">true</stringProp>
            <stringProp name="script">def body = new groovy.json.JsonSlurper().parseText(prev.getResponseDataAsString())
vars.put('name', body.items[3].name)</stringProp>
          </JSR223PostProcessor>
          <hashTree/>
"""


def body():
    """About 1 KB of JSON."""
    return json.dumps({"items": [{"id": n, "name": f"item {n}", "price": n * 1.25, "tags": ["a", "b"]} for n in range(14)]})


def plans(folder):
    with open(PLAN) as file:
        plain = file.read()
    head, tail = plain.split("</HTTPSamplerProxy>\n        <hashTree/>")
    paths = {}
    for name, text in (("plain", plain), ("script", f"{head}</HTTPSamplerProxy>\n        <hashTree>{SCRIPT}        </hashTree>{tail}")):
        paths[name] = os.path.join(folder, f"{name}.jmx")
        with open(paths[name], "w") as file:
            file.write(text)
    return paths


def cpu_and_samples(command, plan, seconds, args, port, folder):
    jtl = os.path.join(folder, "results.jtl")
    if os.path.exists(jtl):
        os.remove(jtl)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    properties = {"users": args.users, "seconds": seconds, "port": port, "path": "/1k.json"}
    subprocess.run(
        [*command, "-n", "-t", plan, "-l", jtl, "-j", os.path.join(folder, "log"), *(f"-J{name}={value}" for name, value in properties.items())],
        check=True, stdout=subprocess.DEVNULL, cwd=folder,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(jtl) as rows:
        next(rows)
        samples = failed = 0
        for row in rows:
            samples += 1
            failed += ",true," not in row
    if failed:
        sys.exit(f"{failed} of {samples} samples of {' '.join(command)} failed")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, samples


def cpu_us_a_sample(command, plan, args, port, folder):
    short, long = (cpu_and_samples(command, plan, seconds, args, port, folder) for seconds in map(int, args.seconds.split(",")))
    return (long[0] - short[0]) * 1e6 / (long[1] - short[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--jmeter", help="JMeter's start script")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", default="5,15", help="durations of the two runs")
    args = parser.parse_args()
    if not shutil.which("nginx"):
        sys.exit("nginx is missing: apt-get install nginx-light")
    commands = {"Swell": [os.path.abspath(args.swell)]} | ({"JMeter": [os.path.abspath(args.jmeter)]} if args.jmeter else {})
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        nginx, port = start_nginx(folder)
        try:
            with open(os.path.join(folder, "www", "1k.json"), "w") as file:
                file.write(body())
            rows = []
            for name, command in commands.items():
                cost = {kind: cpu_us_a_sample(command, plan, args, port, folder) for kind, plan in plans(folder).items()}
                rows.append(f"| {name} | {cost['plain']:.1f} | {cost['script']:.1f} | {cost['script'] - cost['plain']:.1f} |")
        finally:
            nginx.terminate()
            nginx.wait()
    table = "| tool | without a script, µs | with it, µs | script alone, µs |\n|---|--:|--:|--:|\n" + "\n".join(rows) + "\n"
    keep(
        "scripts.md",
        "# Cost of a script per sample\n\n"
        f"`bench/scripts.py --users {args.users} --seconds {args.seconds}`: CPU time of the tool per sample, without start-up; a Groovy post-processor that reads {len(body())} bytes of JSON.\n\n" + table
    )
    print(table)


if __name__ == "__main__":
    main()
