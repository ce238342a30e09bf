#!/usr/bin/env python3
"""CPU time per request over HTTP/2: `swell hit --http2` compared with h2load, against nginx serving 100 bytes on loopback.

    bench/http2.py --swell target/release/swell [--rounds 5] [--requests 30000] [--settings 1x1,1x10,1x100,10x10,100x1]

A setting is connections x streams on each. Both tools run in turn within each round, so that noise of the machine affects
both alike; which is first changes from round to round. The result is the median over the rounds of the ratio within a round.
CPU time is user + system of the whole process, including start-up; both tools have one thread. nginx has one worker on core
0 and the tools run on core 1, if there are two. nginx closes no connection, so that both tools measure the same. With
`tcp_nopush`, nginx holds the frames of a small response back for 40 ms, so it is off here.

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


def swell(args, port, connections, streams):
    text, cpu_s, rss = run(pinned([args.swell, "hit", "--http2", f"http://127.0.0.1:{port}/100", "-c", str(connections), "--streams", str(streams),
                                   "-n", str(args.requests), "-w", "1", "--json"]))
    total = json.loads(text)["total"]
    if total["errors"] or total["samples"] != args.requests:
        sys.exit(f"swell: {text}")
    return 1e6 * cpu_s / total["samples"], rss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=30_000)
    parser.add_argument("--settings", default="1x1,1x10,1x100,10x10,100x1")
    parser.add_argument("--out")
    args = parser.parse_args()
    settings = [tuple(map(int, setting.split("x"))) for setting in args.settings.split(",")]
    rows = {setting: [] for setting in settings}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # nginx's workers are another user.
        nginx, port = start_nginx(folder)
        try:
            for number in range(args.rounds):
                for setting in settings:
                    tools = [swell, h2load] if number % 2 else [h2load, swell]
                    found = {tool.__name__: tool(args, port, *setting) for tool in tools}
                    rows[setting].append({name: {"us": us, "rss_mb": rss} for name, (us, rss) in found.items()})
        finally:
            nginx.terminate()
            nginx.wait()
    print("| connections × streams | swell hit, µs a request | h2load, µs a request | ratio |\n|---|--:|--:|--:|")
    for (connections, streams), rounds in rows.items():
        middle = {name: statistics.median(found[name]["us"] for found in rounds) for name in ("swell", "h2load")}
        ratio = statistics.median(found["swell"]["us"] / found["h2load"]["us"] for found in rounds)
        print(f"| {connections} × {streams} | {middle['swell']:.1f} | {middle['h2load']:.1f} | {ratio:.2f} |")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as out:
            json.dump({f"{c}x{s}": rounds for (c, s), rounds in rows.items()}, out, indent=1)


if __name__ == "__main__":
    main()
