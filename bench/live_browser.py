#!/usr/bin/env python3
"""Check that a hidden, frozen or stopped browser loses no part of a run and does not disturb it.

    bench/live_browser.py --swell target/release/swell [--hidden 60] [--stopped 30] [--plain 60]

Runs `web/test/browser/away.mjs` with these times. It opens two tabs of the live page of a run, hides and then freezes one
of them, then stops all processes of the browser. Afterwards each tab must show the same history as a new tab, as after a
reload, and as the report of the run's folder. The p99 of late starts of that run is shown next to one without a
browser. Prints a Markdown table and writes it to bench/results/live_browser.md. Needs Node, Chromium and `make packages`,
as the browser tests do.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from support import show

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLAN = os.path.join(ROOT, "examples", "ten-urls.jmx")


def late_ms(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        total = json.load(file)["total"]
    return total["start_delay"]["p99_ms"], total["samples"]


def plain(args, folder):
    """Make the same run without a browser."""
    command = [args.swell, "run", PLAN, "--with-target", "-Jthreads=5", "-Jloops=-1", "-Jpause=20", "--live", "--run-dir", "plain", "-j", "log"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_RUNTIME_DIR": folder})
    time.sleep(args.plain)
    process.send_signal(signal.SIGINT)
    process.wait()
    return late_ms(os.path.join(folder, "plain"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--hidden", type=float, default=60)
    parser.add_argument("--stopped", type=float, default=30)
    parser.add_argument("--plain", type=float, default=60, help="seconds of the run without a browser")
    args = parser.parse_args()
    args.swell = os.path.abspath(args.swell)
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "kept")
        environment = {**os.environ, "SWELL": args.swell, "PLAN": PLAN, "HIDDEN_S": str(args.hidden), "STOPPED_S": str(args.stopped), "KEPT": kept}
        ended = subprocess.run(["node", "test/browser/away.mjs"], cwd=os.path.join(ROOT, "web"), env=environment, capture_output=True, text=True, check=False)
        facts = [line.removeprefix("ok: ").strip() for line in ended.stdout.splitlines() if line.startswith("ok: ")]
        if ended.returncode:
            facts.append(f"NO: {ended.stderr.strip()}")
        watched, without = late_ms(kept), plain(args, folder)
    lines = ["# A hidden, frozen and stopped browser", "",
             f"`bench/live_browser.py --swell SWELL`: a tab is hidden for {args.hidden:g} s, frozen for half of that time, then the browser is stopped for {args.stopped:g} s.", ""]
    lines += [f"- {fact}" for fact in facts]
    lines += ["", "| run | samples | p99 of late starts, ms |", "|---|--:|--:|",
              f"| with the browser | {watched[1]:,} | {watched[0]:.3f} |", f"| without | {without[1]:,} | {without[0]:.3f} |"]
    text = "\n".join(lines) + "\n"
    show("live_browser.md", text)
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
