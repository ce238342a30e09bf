#!/usr/bin/env python3
"""Measure how CPU time per request changes with the number of workers, on any machine.

    bench/scale.py --swell target/release/swell [--workers 1,2,4,8,16] [--users-per-worker 100] [--seconds 4] [--rounds 3]
                   [--url http://HOST:PORT/100]

If workers shared nothing, CPU time per request would be the same for one worker and for many. Each way runs `hit`, a plan
with a results file, and `hit` with a rate for each number of workers, in turn within each round. The result is the median
of CPU time per request, and its ratio to the fewest workers. With more workers than processors they take turns, which
shows what locks cost when their holder is not running. Without --url, nginx serves 100 bytes on the same machine with a
worker for each processor; on a large machine use --url with a server elsewhere. Prints a Markdown table and writes it to
bench/results/scale.md.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
import urllib.parse

from cpu_per_request import run, start_nginx

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")


def ways(args, url, workers, folder):
    """Return the commands by name."""
    users, where = args.users_per_worker * workers, urllib.parse.urlsplit(url)
    of_all = ["-w", str(workers), "--json", "--no-monitor"]
    hit = [args.swell, "hit", url, "-c", str(users), "-d", f"{args.seconds}s", *of_all]
    plan = [args.swell, "run", PLAN, f"-Jusers={users}", f"-Jseconds={args.seconds}", f"-Jhost={where.hostname}", f"-Jport={where.port or 80}",
            f"-Jpath={where.path}", "-j", f"{folder}/swell.log", *of_all]
    return {
        "hit": hit,
        "run -l": [*plan, "-f", "-l", f"{folder}/out.jtl"],
        f"hit -r {args.rate}": [*hit, "-r", str(args.rate)],
    }


def measured(command):
    """Return CPU microseconds per request."""
    text, cpu_s, _ = run(command)
    total = json.loads(text)["total"]
    if total["errors"] or not total["samples"]:
        sys.exit(f"{' '.join(command)}: {total['errors']} of {total['samples']} samples failed")
    return 1e6 * cpu_s / total["samples"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--workers", default="1,2,4,8,16")
    parser.add_argument("--users-per-worker", type=int, default=100)
    parser.add_argument("--rate", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--url")
    args = parser.parse_args()
    if not args.url and not shutil.which("nginx"):
        sys.exit("nginx is missing: apt-get install nginx-light, or give --url")
    folder = tempfile.mkdtemp(prefix="swell-scale-")
    os.chmod(folder, 0o755)
    nginx, port = (None, None) if args.url else start_nginx(folder)
    url = args.url or f"http://127.0.0.1:{port}/100"
    workers = [int(number) for number in args.workers.split(",")]
    figures = {}
    try:
        for _ in range(args.rounds):
            for number in workers:
                for name, command in ways(args, url, number, folder).items():
                    figures.setdefault((name, number), []).append(measured(command))
    finally:
        if nginx:
            nginx.terminate()
            nginx.wait()
        shutil.rmtree(folder)
    names = list(dict.fromkeys(name for name, _ in figures))
    lines = [f"{platform.machine()}, {os.cpu_count()} processors, Linux {platform.release()}; {args.users_per_worker} users per worker, "
             f"{args.rounds} rounds of {args.seconds} s; CPU µs per request (ratio to {workers[0]} worker)", "",
             "| workers | " + " | ".join(f"`{name}`" for name in names) + " |", "|--:|" + "--:|" * len(names)]
    for number in workers:
        medians = [statistics.median(figures[name, number]) for name in names]
        first = [statistics.median(figures[name, workers[0]]) for name in names]
        lines.append(f"| {number} | " + " | ".join(f"{now:.2f} ({now / then:.2f})" for now, then in zip(medians, first)) + " |")
    text = "\n".join(lines)
    print(text)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", "scale.md"), "w", encoding="utf-8") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
