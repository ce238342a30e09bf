#!/usr/bin/env python3
"""CPU time per request over HTTP/2: Swell compared with h2load, against nginx serving 100 bytes on loopback.

    bench/http2.py --swell target/release/swell [--rounds 5] [--requests 30000] [--settings 1x1,1x10,1x100,10x10,100x1] [--ways hit,run]

A setting is connections x streams on each. `hit` is `swell hit --http2`; `run` is a plan with one sampler and a connection for
each user (h2c), for settings with one stream. All make the same number of requests, and run in turn within each round, so that noise of
the machine affects them alike; their order changes from round to round. The result is the median over the rounds of the ratio
within a round. CPU time is user + system of the whole process, including start-up; each tool has one thread that makes requests.
nginx has one worker on core 0 and the tools run on core 1, if there are two. nginx closes no connection, so that all tools measure the
same. With `tcp_nopush`, nginx holds the frames of a small response back for 40 ms, so it is off here.

Needs h2load and nginx with HTTP/2 (Debian: apt-get install nghttp2-client nginx-light). Prints a Markdown table; --out writes
raw figures as JSON.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

import cpu_per_request
from cpu_per_request import run, start_nginx

cpu_per_request.NGINX = cpu_per_request.NGINX.replace("worker_processes 2", "worker_processes 1").replace(
    "backlog=8192 reuseport", "backlog=8192 http2").replace("sendfile on", "sendfile off").replace("tcp_nopush on", "tcp_nopush off").replace("daemon off;", "daemon off; worker_cpu_affinity 01;")


def pinned(command):
    return ["taskset", "-c", "1", *command] if (os.cpu_count() or 1) > 1 else command


def h2load(args, port, connections, streams):
    text, cpu_s, rss = run(pinned(["h2load", "-t1", f"-c{connections}", f"-m{streams}", f"-n{args.requests}", f"http://127.0.0.1:{port}/100"]))
    done = int(re.search(r"(\d+) succeeded", text)[1])
    if done != args.requests:
        sys.exit(f"h2load: {text}")
    return 1e6 * cpu_s / done, rss


def figures(text, cpu_s, rss, wanted):
    total = json.loads(text)["total"]
    if total["errors"] or total["samples"] != wanted:
        sys.exit(f"swell: {text}")
    return 1e6 * cpu_s / total["samples"], rss


def hit(args, port, connections, streams):
    return figures(*run(pinned([args.swell, "hit", "--http2", f"http://127.0.0.1:{port}/100", "-c", str(connections), "--streams", str(streams),
                                "-n", str(args.requests), "-w", "1", "--json"])), args.requests)


def run_plan(args, port, connections, _streams):
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
    loops = args.requests // connections
    return figures(*run(pinned([args.swell, "run", plan, "--http2", "-w", "1", "--json", "-j", os.devnull, f"-Jport={port}", f"-Jusers={connections}",
                                "-Jseconds=600", "--set", f"Users/loops={loops}"])), loops * connections)


TOOLS = {"hit": hit, "run": run_plan, "h2load": h2load}


def one_round(args, port, number, connections, streams):
    """Return CPU time per request and resident memory by tool; the order depends on the number."""
    tools = ["h2load", *(way for way in args.ways.split(",") if way == "hit" or streams == 1)]
    found = {}
    for name in tools if number % 2 == 0 else reversed(tools):
        us, rss = TOOLS[name](args, port, connections, streams)
        found[name] = {"us": us, "rss_mb": rss}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=30_000)
    parser.add_argument("--settings", default="1x1,1x10,1x100,10x10,100x1")
    parser.add_argument("--ways", default="hit,run")
    parser.add_argument("--out")
    args = parser.parse_args()
    if unknown := set(args.ways.split(",")) - {"hit", "run"}:
        parser.error(f"unknown way {', '.join(sorted(unknown))}: use hit, run, or both")
    os.environ["SWELL_RUNS"] = "off"
    settings = [tuple(map(int, setting.split("x"))) for setting in args.settings.split(",")]
    rows = {setting: [] for setting in settings}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # nginx's workers are another user.
        nginx, port = start_nginx(folder)
        try:
            for number in range(args.rounds):
                for setting in settings:
                    rows[setting].append(one_round(args, port, number, *setting))
        finally:
            nginx.terminate()
            nginx.wait()
    print("| connections × streams | way | µs a request | h2load, µs a request | ratio |\n|---|---|--:|--:|--:|")
    for (connections, streams), rounds in rows.items():
        for way in [name for name in rounds[0] if name != "h2load"]:
            us, theirs = (statistics.median(found[name]["us"] for found in rounds) for name in (way, "h2load"))
            ratio = statistics.median(found[way]["us"] / found["h2load"]["us"] for found in rounds)
            print(f"| {connections} × {streams} | {way} | {us:.1f} | {theirs:.1f} | {ratio:.2f} |")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as out:
            json.dump({f"{c}x{s}": rounds for (c, s), rounds in rows.items()}, out, indent=1)


if __name__ == "__main__":
    main()
