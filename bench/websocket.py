#!/usr/bin/env python3
"""CPU time per WebSocket message: `swell hit ws://…` compared with k6, against the echo of the site under test.

Each connection sends 64 bytes and waits for the answer. The tools run in turn within each round; the result is the median over the
rounds. CPU time is user + system of the whole process, including start-up; a message is one that came back.

    bench/websocket.py --swell target/release/swell [--k6 k6] [--rounds 5] [--seconds 4] [--connections 100]

Without k6 only Swell is measured. Prints a Markdown table; --out writes raw figures as JSON.
"""

import argparse
import json
import shutil
import statistics
import tempfile

import support
from cpu_per_request import run

SCRIPT = """
import { WebSocket } from 'k6/websockets';
export const options = { vus: %(connections)d, iterations: %(connections)d, summaryTrendStats: ['p(50)', 'p(99)'] };
export default function () {
  const socket = new WebSocket('%(url)s');
  const end = Date.now() + %(seconds)d * 1000;
  socket.onopen = () => socket.send('%(text)s');
  socket.onmessage = () => { if (Date.now() < end) socket.send('%(text)s'); else socket.close(); };
}
"""


def swell(args, url):
    text, cpu_s, _ = run([args.swell, "hit", url, "--send", "x" * 64, "-c", str(args.connections), "-d", str(args.seconds), "--json"])
    labels = [label for label in json.loads(text)["labels"] if not label["label"].startswith("open ")]
    return cpu_s, sum(label["samples"] - label["errors"] for label in labels)


def k6(args, url, folder):
    script = f"{folder}/echo.js"
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT % {"url": url, "text": "x" * 64, "connections": args.connections, "seconds": args.seconds})
    _, cpu_s, _ = run([args.k6, "run", "--quiet", "--no-usage-report", "--summary-export", f"{folder}/k6.json", script])
    with open(f"{folder}/k6.json", encoding="utf-8") as file:
        return cpu_s, json.load(file)["metrics"]["ws_msgs_received"]["count"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", default="target/release/swell")
    parser.add_argument("--k6", default=shutil.which("k6"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--out")
    args = parser.parse_args()
    figures = {}
    with support.Site(args.swell) as site, tempfile.TemporaryDirectory() as folder:
        url = f"ws://127.0.0.1:{site.port}/ws"
        for _ in range(args.rounds):
            tools = {"swell hit": lambda: swell(args, url)}
            if args.k6:
                tools["k6"] = lambda: k6(args, url, folder)
            for name, measure in tools.items():
                cpu_s, messages = measure()
                figures.setdefault(name, []).append({"cpu_us": cpu_s * 1e6 / max(messages, 1), "messages": messages})
    print(f"{args.connections} connections, 64 bytes, {args.rounds} rounds of {args.seconds} s\n")
    print("| tool | CPU µs a message | messages a second |\n|---|--:|--:|")
    for name, rounds in figures.items():
        cpu_us = statistics.median(one["cpu_us"] for one in rounds)
        rate = statistics.median(one["messages"] for one in rounds) / args.seconds
        print(f"| {name} | {cpu_us:.1f} | {rate:,.0f} |")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    main()
