#!/usr/bin/env python3
"""CPU time per request: Swell compared with wrk, against nginx serving 100 bytes on loopback.

All tools run in turn within each round, so that noise of the machine affects all of them alike. The result is the median
over the rounds of each tool's ratio to wrk in the same round. CPU time is user + system of the whole process, including
start-up.

    bench/cpu_per_request.py --swell target/release/swell [--rounds 5] [--seconds 4] [--connections 20,200,1000] [--io epoll,uring]

Needs wrk and nginx (Debian: apt-get install wrk nginx-light). Prints a Markdown table; --out writes raw figures as JSON.
"""

import argparse
import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

NGINX = """
worker_processes 2;
daemon off;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
worker_rlimit_nofile 20000;
events {{ worker_connections 9000; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100;
  default_type text/plain;
  client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  server {{ listen 127.0.0.1:{port} backlog=8192 reuseport; root {dir}/www; }}
}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_nginx(folder):
    port = free_port()
    os.makedirs(f"{folder}/www")
    with open(f"{folder}/www/100", "w") as f:
        f.write("x" * 100)
    with open(f"{folder}/nginx.conf", "w") as f:
        f.write(NGINX.format(dir=folder, port=port))
    process = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.1).close()
            return process, port
        except OSError:
            time.sleep(0.02)
    sys.exit("nginx does not respond: " + open(f"{folder}/error.log").read())


def run(command):
    """Run a command; return its standard output, CPU seconds and peak memory in MB."""
    read, write = os.pipe()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read), (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}: {text}")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def tools(args, port, folder):
    """Return the peers, and each Swell command with each kernel interface that --io names."""
    plan = os.path.join(os.path.dirname(__file__), "plans", "one-sampler.jmx")

    def wrk(c):
        text, cpu, rss = run(["wrk", "-t2", f"-c{c}", f"-d{args.seconds}s", f"http://127.0.0.1:{port}/100"])
        return int(re.search(r"(\d+) requests in", text)[1]), cpu, rss

    def swell(extra):
        def go(c):
            text, cpu, rss = run(extra(c))
            total = json.loads(text)["total"]
            if total["errors"]:
                sys.exit(f"swell had {total['errors']} errors: {text}")
            return total["samples"], cpu, rss
        return go

    def plan_args(c, io):
        return [args.swell, "run", plan, "--json", *io, "-w", "2", f"-Jusers={c}", f"-Jseconds={args.seconds}", f"-Jport={port}", "-j", f"{folder}/jmeter.log"]

    def hit_args(c, io):
        return [args.swell, "hit", f"http://127.0.0.1:{port}/100", "-c", str(c), "-d", f"{args.seconds}s", "-w", "2", "--json", *io]

    ways = {"hit": hit_args, "run": plan_args, "run -l": lambda c, io: plan_args(c, io) + ["-f", "-l", f"{folder}/out.jtl"]}
    all_tools = {"wrk": wrk}
    for way in filter(None, args.ways.split(",")):
        for io in args.io.split(",") if args.io else [None]:
            option = ["--io", io] if io else []
            all_tools[f"swell {way}" + (f", {io}" if io else "")] = swell(lambda c, way=way, option=option: ways[way](c, option))
    return all_tools


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", default="20,200,1000")
    parser.add_argument("--io", help="kernel interfaces to compare, such as epoll,uring")
    parser.add_argument("--ways", default="hit,run,run -l")
    parser.add_argument("--out")
    args = parser.parse_args()
    for need in ("wrk", "nginx"):
        if not shutil.which(need):
            sys.exit(f"{need} is missing: apt-get install wrk nginx-light")
    folder = tempfile.mkdtemp(prefix="swell-bench-")
    os.chmod(folder, 0o755)
    nginx, port = start_nginx(folder)
    raw = []
    try:
        all_tools = tools(args, port, folder)
        print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; "
              f"{args.rounds} rounds of {args.seconds} s; median CPU µs per request (ratio to wrk in the same round)\n")
        print("| connections | " + " | ".join(all_tools) + " |")
        print("|--:|" + "--:|" * len(all_tools))
        for c in map(int, args.connections.split(",")):
            rounds = []
            for _ in range(args.rounds):
                row = {}
                for name, tool in all_tools.items():
                    requests, cpu, rss = tool(c)
                    row[name] = cpu * 1e6 / requests
                    raw.append({"tool": name, "connections": c, "requests": requests, "cpu_s": cpu, "rss_mb": rss})
                rounds.append(row)
            cells = []
            for name in all_tools:
                us = statistics.median(r[name] for r in rounds)
                ratio = statistics.median(r[name] / r["wrk"] for r in rounds)
                cells.append(f"{us:.2f}" if name == "wrk" else f"{us:.2f} ({ratio:.2f})")
            print(f"| {c} | " + " | ".join(cells) + " |", flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)
    if args.out:
        with open(args.out, "w") as f:
            json.dump(raw, f, indent=1)


if __name__ == "__main__":
    main()
