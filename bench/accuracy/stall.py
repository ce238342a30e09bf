#!/usr/bin/env python3
"""The site stops for 1.4 s, then, in another run, the generator does.

    bench/accuracy/stall.py --swell target/release/swell [--rate 1000] [--seconds 30] [--stop 1.4]

Open model: requests are due at a constant rate whatever happens. With a stop of s seconds in a run of T, requests due during the stop wait for the
rest of it, so the quantile q of response times is s - (1 - q) T plus the delay of the site. The service times of the stopped site hold the
stop too, those of a stopped generator must not, and that run must be flagged.
"""

import argparse
import json
import os
import signal
import subprocess
import time

from world import Site, table, write

DELAY_MS = 10


def run(args, stops):
    """A run in which the site (`site`) or the generator (`swell`) is stopped in the middle."""
    with Site(args.swell) as site:
        users = str(int(args.rate * (args.stop + 1)))
        command = [args.swell, "hit", f"{site.url}delay/{DELAY_MS}ms", "-c", users, "-r", str(args.rate), "-d", f"{args.seconds}s", "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        pid = {"site": site.process.pid, "swell": process.pid, "nobody": None}[stops]
        time.sleep(args.seconds / 3)
        if pid:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(args.stop)
            os.kill(pid, signal.SIGCONT)
        summary = json.loads(process.communicate()[0])
    return summary


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--stop", type=float, default=1.4)
    args = parser.parse_args()
    theory_ms = 1000 * (args.stop - 0.01 * args.seconds) + DELAY_MS
    rows = []
    for stops in ["nobody", "site", "swell"]:
        summary = run(args, stops)
        total, verdict = summary["total"], summary["verdict"]
        response = total["response"]
        reasons = "; ".join(gate["reason"] for gate in verdict["gates"] if gate["reason"])
        wanted = DELAY_MS if stops == "nobody" else theory_ms
        off = 100 * (response["p99_ms"] / wanted - 1)
        rows.append([stops, f"{response['p99_ms']:.2f}", f"{wanted:.0f} ({off:+.2f} %)", f"{total['p50_ms']:.3f} / {total['p99_ms']:.3f} / {total['max_ms']:.1f}",
                     f"{total['start_delay']['p99_ms']:.2f}", total["samples"], total["errors"], verdict["level"], reasons])
        print(rows[-1], flush=True)
    head = ["stopped", "response p99 ms", "theory", "service p50 / p99 / max", "tool's late starts p99", "samples", "errors", "verdict", "reasons"]
    text = table(head, rows)
    print(text)
    write("stall.md", f"# A stop of {args.stop} s in {args.seconds} s at {args.rate}/s against {DELAY_MS} ms\n\n{text}")


main()
