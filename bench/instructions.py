#!/usr/bin/env python3
"""Count user-space instructions per request by callgrind, for one or several builds side by side.

Two runs of different length with one worker send requests for 100 bytes to nginx on loopback. The difference of their
instructions, divided by the difference of their samples, excludes start and end. Only the worker's thread counts, and
only user space.

    bench/instructions.py --swell target/release/swell [--swell ANOTHER …] [--ways hit,run,run-l] [--connections 20,200,1000]
                          [--seconds 3,12] [--path '/100?x=${__UUID}'] [--keep DIR]

--path replaces the path in the plan, to measure variables and functions; the variable `v` has the value `abc`.
--keep writes callgrind's files to DIR, for callgrind_annotate. Needs valgrind and nginx (Debian: apt-get install
valgrind nginx-light). Prints a Markdown table.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from cpu_per_request import start_nginx

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")


def command(swell, way, connections, seconds, port, folder):
    """Return the command to measure; it prints its JSON report on standard output."""
    if way == "hit":
        return [swell, "hit", f"http://127.0.0.1:{port}/100", "-c", str(connections), "-d", f"{seconds}s", "-w", "1", "--json"]
    results = ["-f", "-l", f"{folder}/out.jtl"] if way == "run-l" else []
    return [swell, "run", f"{folder}/plan.jmx", "--json", "-w", "1", f"-Jusers={connections}", f"-Jseconds={seconds}", f"-Jport={port}",
            "-j", f"{folder}/jmeter.log", *results]


def write_plan(folder, path):
    """Write the plan to that folder, with this path if there is one."""
    with open(PLAN, encoding="utf-8") as file:
        text = file.read()
    own = '<stringProp name="HTTPSampler.path">${__P(path,/100)}</stringProp>'
    none = '<collectionProp name="Arguments.arguments"/>'
    assert own in text and none in text
    if path:
        escaped = path.replace("&", "&amp;").replace("<", "&lt;")
        variable = ('<collectionProp name="Arguments.arguments"><elementProp name="v" elementType="Argument"><stringProp name="Argument.name">v</stringProp>'
                    '<stringProp name="Argument.value">abc</stringProp></elementProp></collectionProp>')
        text = text.replace(own, f'<stringProp name="HTTPSampler.path">{escaped}</stringProp>').replace(none, variable, 1)
    with open(f"{folder}/plan.jmx", "w", encoding="utf-8") as file:
        file.write(text)


def counted(words, out):
    """Return the instructions of each thread, and the samples of the run."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes", "--dump-instr=yes",
                          f"--callgrind-out-file={out}", *words],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=os.path.dirname(out))
    if run.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {run.returncode}: {run.stderr}")
    total = json.loads(run.stdout)["total"]
    if total["errors"] or not total["samples"]:
        sys.exit(f"{' '.join(words)}: {total['samples']} samples, {total['errors']} errors")
    with open(f"{out}.samples", "w", encoding="utf-8") as file:
        file.write(str(total["samples"]))
    return threads_of(out), total["samples"]


def threads_of(out):
    """Return the instructions of the threads of a run by their numbers."""
    return {file.rsplit("-", 1)[1]: int(re.search(r"^(?:summary|totals): (\d+)", open(file).read(), re.M)[1]) for file in glob.glob(f"{out}-*")}


def per_request(swell, way, connections, args, port, folder):
    runs = []
    for seconds in args.seconds.split(","):
        out = f"{folder}/{os.path.basename(swell)}.{way}.{connections}.{seconds}"
        runs.append(counted(command(swell, way, connections, seconds, port, folder), out))
    (few, short), (many, long) = runs
    # In a short run, the thread that reads the plan may have more to do than the worker.
    worker = max(many, key=many.get)
    return (many[worker] - few[worker]) / (long - short)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True, action="append")
    parser.add_argument("--ways", default="hit,run,run-l")
    parser.add_argument("--connections", default="20,200,1000")
    parser.add_argument("--seconds", default="3,12", help="durations of the two runs")
    parser.add_argument("--path", help="path of the request, with variables and functions")
    parser.add_argument("--keep", help="folder for callgrind's files")
    args = parser.parse_args()
    for tool in ("valgrind", "nginx"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    folder = tempfile.mkdtemp(prefix="swell-instructions-")
    os.chmod(folder, 0o755)
    keep = os.path.abspath(args.keep) if args.keep else folder
    os.makedirs(keep, exist_ok=True)
    write_plan(keep, args.path)
    nginx, port = start_nginx(folder)
    try:
        print("| connections | command |" + "".join(f" {name} | |" for name in args.swell))
        print("|--:|---|" + "--:|--:|" * len(args.swell))
        for connections in map(int, args.connections.split(",")):
            for way in args.ways.split(","):
                counts = [per_request(os.path.abspath(swell), way, connections, args, port, keep) for swell in args.swell]
                cells = "".join(f" {count:,.0f} | {count / counts[0] - 1:+.1%} |" for count in counts)
                print(f"| {connections} | `{way.replace('-l', ' -l')}` |{cells}", flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
