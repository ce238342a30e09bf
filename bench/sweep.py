#!/usr/bin/env python3
"""Check that a sweep finds known plateaus and knees.

    bench/sweep.py --swell target/release/swell [--tomcat FOLDER] [--each 6] [--threads 25 100 400]

Sweeps 10 to 800 users with 25, 100 and 400 threads that take 20 ms, on the built-in site's pools or on a Tomcat that
`examples/tomcat/run.sh` has built into FOLDER. If the users fill the threads, a plateau must be within 5 % of threads /
service time, and its knee within 10 % of the threads. The service time is 20 ms for the built-in site. Tomcat's threads
sleep somewhat longer, so its own record of the sleeps is used. If the processors cannot carry the load, the sweep must
report that instead. Prints a Markdown table and writes it to bench/results/sweep.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile

from support import keep

USERS = [10, 25, 50, 100, 200, 400, 800]
DELAY_S = 0.020


def built_tomcat(folder):
    """Return the folder of the Tomcat that `examples/tomcat/run.sh` built; exit early if it is too old to record its sleeps."""
    built = os.path.join(folder, "target")
    how = "build one with `examples/tomcat/run.sh`, which writes to swell-example-tomcat in the folder for temporary files"
    try:
        with zipfile.ZipFile(os.path.join(built, "tomcat-site-1.jar")) as jar:
            records = b"record" in jar.read("Site.class")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        sys.exit(f"there is no Tomcat in {folder} ({error}): {how}")
    if not records:
        sys.exit(f"the Tomcat in {folder} is too old to record how long its threads sleep: {how}")
    return built


def command(args, base):
    """Return URL, server command and ready condition."""
    if args.tomcat:
        built = built_tomcat(args.tomcat)
        java = f"exec java -Xms64m -Xmx512m -Xss256k -cp '{built}/tomcat-site-1.jar:{built}/lib/*'"
        return "http://127.0.0.1:{port}/", f"{java} -DmaxThreads={{threads}} -Ddelay=20 -DacceptCount=4096 -Dbase={base} -Drecord={base}/slept-{{threads}} Site", r"line:ready (\d+)"
    url = "http://127.0.0.1:{port}/pool?workers={threads}&service=20ms"
    return url, f"exec '{args.swell}' target --port 0", r"line:listening at http://127.0.0.1:(\d+)"


def sweep(args, folder):
    url, server, ready = command(args, folder)
    out = os.path.join(folder, "sweep")
    line = [args.swell, "sweep", url, "--vary", "users=" + ",".join(map(str, USERS)), "--setting", "threads=" + ",".join(map(str, args.threads)),
            "--server", server, "--ready", ready, "--each", f"{args.each}s", "-o", out]
    text = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout
    with open(os.path.join(out, "surface.json"), encoding="utf-8") as surface:
        return json.load(surface), text


def service_s(args, folder, threads):
    """Return how long a thread is busy with a request: the server's own record, or else the configured delay."""
    if not args.tomcat:
        return DELAY_S
    try:
        with open(os.path.join(folder, f"slept-{threads}"), encoding="utf-8") as record:
            sleeps, slept_ns = map(int, record.read().split())
    except (OSError, ValueError) as error:
        sys.exit(f"the Tomcat with {threads} threads left no record of its sleeps ({error}): it was killed before it could write one on its end signal")
    return slept_ns / sleeps / 1e9


def row(surface, text, setting, threads, service):
    rates = {USERS[cell["load"]]: cell["figures"]["per_s"] for cell in surface["cells"] if cell["setting"] == setting}
    part = text.split(f"threads {threads}\n")[1].split("\n\n")[0]
    lines = [line for line in part.splitlines() if line.startswith(("knee at", "most:", "limit:"))]
    knee = next((float(line.split()[3].replace(",", "")) for line in lines if line.startswith("knee at")), None)
    full = [rate for users, rate in rates.items() if users >= 2 * threads]
    plateau = sum(full) / len(full)
    true = threads / service
    off = plateau / true - 1
    holds = abs(off) <= 0.05 and knee is not None and abs(knee / threads - 1) <= 0.10
    limit = next((line for line in lines if line.startswith("limit:")), "no limit")
    # If the plateau needs more than these processors carried in any cell, the sweep must report that.
    most = max(cell["figures"]["per_s"] for cell in surface["cells"])
    is_too_much = true > 0.9 * most
    holds = holds or (is_too_much and ("processors" in limit or "shared machine" in limit))
    return holds, f"| {threads} | {1e3 * service:.2f} ms | {true:,.0f}/s | {plateau:,.0f}/s | {100 * off:+.1f} % | {knee} | {limit} | {'yes' if holds else 'NO'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--tomcat")
    parser.add_argument("--threads", type=int, nargs="+", default=[25, 100, 400])
    parser.add_argument("--each", type=float, default=6)
    args = parser.parse_args()
    args.swell = os.path.abspath(args.swell)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        surface, text = sweep(args, folder)
        took_s = time.monotonic() - began
        rows = [row(surface, text, setting, threads, service_s(args, folder, threads)) for setting, threads in enumerate(args.threads)]
    lines = ["| threads | service | true plateau | found | off | knee at users | | holds |", "|--:|--:|--:|--:|--:|--:|---|---|",
             *(line for _, line in rows)]
    server = "a Tomcat" if args.tomcat else "the built-in site's pools"
    what = f"`bench/sweep.py --each {args.each:g}`, {server}, users {USERS}, everything on the same two processors, {took_s:.0f} s"
    keep("sweep.md", "# Does a sweep find known plateaus and knees?\n\n" + what + "\n\n" + "\n".join(lines) + "\n")
    print("\n".join(lines))
    sys.exit(not all(holds for holds, _ in rows) or took_s > 600)


if __name__ == "__main__":
    main()
