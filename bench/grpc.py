#!/usr/bin/env python3
"""CPU time per unary gRPC call: `swell hit grpc://…` compared with h2load sending the same bytes, and with ghz.

    bench/grpc.py --swell target/release/swell [--ghz ghz] [--rounds 5] [--calls 20000] [--settings 1x1,1x10,10x10]

A setting is connections x streams on each. The tools run in turn within each round; which is first changes from round to round. The
result is the median over the rounds of the ratio within a round. CPU time is user + system of the whole process, including start-up.
The server is the service `swell.Echo` of `swell target`, or of --server HOST:PORT with the same service. It has core 0 and the tools have
core 1, if there are two.

Needs h2load (Debian: nghttp2-client); ghz is measured where it is found (`go install github.com/bojand/ghz/cmd/ghz@latest`). Prints a
Markdown table; --out writes raw figures as JSON.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

import support
from cpu_per_request import run

METHOD = "swell.Echo/Unary"
DATA = {"text": "hello"}
# The field `text` with its number, its length and its content.
MESSAGE = b"\x0a\x05hello"


def pinned(command):
    return ["taskset", "-c", "1", *command] if (os.cpu_count() or 1) > 1 else command


def swell(args, server, _, connections, streams):
    text, cpu_s, _ = run(pinned([args.swell, "hit", f"grpc://{server}/{METHOD}", "--proto", args.proto, "--data", json.dumps(DATA), "-w", "1",
                                 "-c", str(connections), "--streams", str(streams), "-n", str(args.calls), "--json"]))
    total = json.loads(text)["total"]
    if total["errors"] or total["samples"] != args.calls:
        sys.exit(f"swell: {text}")
    return 1e6 * cpu_s / total["samples"]


def h2load(args, server, folder, connections, streams):
    body = f"{folder}/body"
    with open(body, "wb") as file:
        file.write(b"\0" + struct.pack(">I", len(MESSAGE)) + MESSAGE)
    text, cpu_s, _ = run(pinned(["h2load", "-t1", f"-c{connections}", f"-m{streams}", f"-n{args.calls}", "-d", body, "-H", "content-type: application/grpc",
                                 "-H", "te: trailers", f"http://{server}/{METHOD}"]))
    done = int(re.search(r"(\d+) succeeded", text)[1])
    if done != args.calls:
        sys.exit(f"h2load: {text}")
    return 1e6 * cpu_s / done


def ghz(args, server, _, connections, streams):
    text, cpu_s, _ = run(pinned([args.ghz, "--insecure", "--proto", args.proto, "--call", METHOD, "-d", json.dumps(DATA), "--connections", str(connections),
                                 "-c", str(connections * streams), "-n", str(args.calls), "-O", "json", server]))
    found = json.loads(text)
    if found.get("statusCodeDistribution") != {"OK": args.calls}:
        sys.exit(f"ghz: {found.get('statusCodeDistribution')}")
    return 1e6 * cpu_s / args.calls


def measure(args, server, folder):
    tools = {"swell": swell, "h2load": h2load}
    if args.ghz:
        tools["ghz"] = ghz
    rows = {}
    for number in range(args.rounds):
        for setting in args.settings.split(","):
            connections, streams = map(int, setting.split("x"))
            order = list(tools.items())
            order = order[number % len(order):] + order[:number % len(order)]
            found = {name: tool(args, server, folder, connections, streams) for name, tool in order}
            rows.setdefault(setting, []).append(found)
    return rows


def show(rows):
    names = list(next(iter(rows.values()))[0])
    print("| connections × streams | " + " | ".join(f"{name}, µs a call" for name in names) + " | swell / h2load | swell / ghz |")
    print("|---" + "|--:" * (len(names) + 2) + "|")
    for setting, rounds in rows.items():
        middle = [f"{statistics.median(found[name] for found in rounds):.1f}" for name in names]
        ratios = [f"{statistics.median(found['swell'] / found[other] for found in rounds):.2f}" if other in names else "-"
                  for other in ("h2load", "ghz")]
        print(f"| {setting.replace('x', ' × ')} | " + " | ".join(middle + ratios) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", default="target/release/swell")
    parser.add_argument("--ghz", default=shutil.which("ghz"))
    parser.add_argument("--server", help="HOST:PORT of another server of swell.Echo")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--settings", default="1x1,1x10,10x10")
    parser.add_argument("--out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        args.proto = f"{folder}/echo.proto"
        with open(args.proto, "wb") as file:
            file.write(subprocess.run([args.swell, "target", "--proto"], check=True, capture_output=True).stdout)
        if args.server:
            rows = measure(args, args.server, folder)
        else:
            with support.Site(args.swell, inside=["taskset", "-c", "0"] if (os.cpu_count() or 1) > 1 else []) as site:
                rows = measure(args, f"127.0.0.1:{site.port}", folder)
    show(rows)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
