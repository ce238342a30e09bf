#!/usr/bin/env python3
"""CPU time per request at a constant rate, compared with a closed loop, and how exact the starts are.

A closed loop sends as fast as it can over the same number of connections; at a rate, each request has its own time. How exact the
starts are is Swell's own figure of late starts. All commands run in turn within each round; the figures are medians.

    bench/constant_rate.py --swell target/release/swell [--swell ANOTHER …] [--rates 1000,5000,20000] [--connections 50]
                           [--seconds 4] [--rounds 5] [--slack 1ms]

Needs nginx; vegeta, oha and wrk are measured where they are installed.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile

from cpu_per_request import run, start_nginx


def swell(program, url, args, rate=None, slack=None):
    words = [program, "hit", url, "-c", str(args.connections), "-d", f"{args.seconds}s", "--json"]
    words += ["-r", str(rate)] if rate else []
    words += ["--slack", slack] if slack else []
    text, cpu, _ = run(words)
    report = json.loads(text)
    samples = report["total"]["samples"]
    late = report["total"].get("start_delay") or {}
    return cpu * 1e6 / samples, samples / args.seconds, late


def vegeta(url, args, rate):
    text, cpu, _ = run(["sh", "-c", f"echo 'GET {url}' | vegeta attack -rate={rate} -duration={args.seconds}s -connections={args.connections} "
                        f"-max-workers={args.connections} -workers={args.connections} | vegeta report -type=json"])
    requests = json.loads(text)["requests"]
    return cpu * 1e6 / requests, requests / args.seconds, {}


def oha(url, args, rate):
    text, cpu, _ = run(["oha", "--no-tui", "--output-format", "json", "-z", f"{args.seconds}s", "-c", str(args.connections), "-q", str(rate), url])
    requests = sum(json.loads(text)["statusCodeDistribution"].values())
    return cpu * 1e6 / requests, requests / args.seconds, {}


def wrk(url, args):
    text, cpu, _ = run(["wrk", "-t", "2", "-c", str(args.connections), "-d", f"{args.seconds}s", url])
    requests = int(next(line.split()[0] for line in text.splitlines() if "requests in" in line))
    return cpu * 1e6 / requests, requests / args.seconds, {}


def commands(args, url):
    """The commands of a round by their names, each with its rate."""
    found = {}
    for program in args.swell:
        name = os.path.basename(program)
        found[f"{name} hit", None] = lambda program=program: swell(program, url, args)
        for rate in args.rates:
            found[f"{name} hit -r", rate] = lambda program=program, rate=rate: swell(program, url, args, rate)
            if args.slack:
                found[f"{name} hit -r --slack {args.slack}", rate] = (
                    lambda program=program, rate=rate: swell(program, url, args, rate, args.slack))
    if shutil.which("wrk"):
        found["wrk", None] = lambda: wrk(url, args)
    for tool in (vegeta, oha):
        if shutil.which(tool.__name__) and not args.no_peers:
            for rate in args.rates:
                found[tool.__name__, rate] = lambda tool=tool, rate=rate: tool(url, args, rate)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True, action="append")
    parser.add_argument("--rates", default="1000,5000,20000", type=lambda text: [int(rate) for rate in text.split(",")])
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slack", help="also with this slack")
    parser.add_argument("--no-peers", action="store_true", help="Swell and wrk only")
    args = parser.parse_args()
    args.swell = [os.path.abspath(program) for program in args.swell]
    folder = tempfile.mkdtemp(prefix="swell-rate-")
    os.chmod(folder, 0o755)
    nginx, port = start_nginx(folder)
    url = f"http://127.0.0.1:{port}/100"
    rounds = {}
    try:
        for _ in range(args.rounds):
            for name, command in commands(args, url).items():
                rounds.setdefault(name, []).append(command())
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)
    base = statistics.median(cpu for cpu, _, _ in rounds[f"{os.path.basename(args.swell[0])} hit", None])
    print("| command | rate | reached, per s | CPU µs per request | closed loop = 1 | late starts, p50 / p99, ms |")
    print("|---|--:|--:|--:|--:|---|")
    for (name, rate), seen in rounds.items():
        cpu = statistics.median(cpu for cpu, _, _ in seen)
        reached = statistics.median(reached for _, reached, _ in seen)
        late = [late for _, _, late in seen if late]
        late = " / ".join(f"{statistics.median(one[key] for one in late):.3f}" for key in ("p50_ms", "p99_ms")) if late else ""
        print(f"| {name} | {rate or ''} | {reached:,.0f} | {cpu:.1f} | {cpu / base:.2f} | {late} |")


main()
