#!/usr/bin/env python3
"""Measure how fast `swell serve` lists 5,000 runs and draws a trend of 1,000.

    bench/serve.py --swell target/release/swell [--runs 5000] [--labels 20]

Makes a folder of kept runs: one run is imported, its folder is copied, and its row in the history is repeated with other
figures. Then Chromium opens the list and a trend, five times each. "Shown" is the time from the navigation to the first
row or chart; "painted" is the browser's first contentful paint. The goal is under 2 s. Prints a Markdown table and writes
it to bench/results/serve.md. Needs Node, Chromium and `make packages`, as the browser tests do.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.request

from support import show

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUBJECT = "/plans/shop.jmx"
LIMIT_MS = 2000


def first_run(args, runs):
    """Import one run with that number of labels."""
    path = os.path.join(runs, "first.jtl")
    with open(path, "w", encoding="utf-8") as file:
        file.write("timeStamp,elapsed,label,responseCode,success\n")
        for at in range(200 * args.labels):
            file.write(f"{1_700_000_000_000 + at},{40 + at * 7 % 23},step {at % args.labels},200,true\n")
    command = [args.swell, "history", "import", path, "--plan", SUBJECT, "--name", "run-0", "--tag", "version=0"]
    subprocess.run(command, env={**os.environ, "SWELL_RUNS": runs}, check=True, capture_output=True)
    os.remove(path)


def repeat(args, runs):
    """Repeat the run with other figures, slower from the middle on."""
    draw = random.Random(7)
    database = sqlite3.connect(os.path.join(runs, "history.sqlite"))
    columns = [row[1] for row in database.execute("PRAGMA table_info(runs)")]
    first = dict(zip(columns, database.execute("SELECT * FROM runs").fetchone()))
    figures = database.execute("SELECT * FROM figures").fetchall()
    for number in range(1, args.runs):
        level = (1.3 if number > args.runs - 400 else 1) * draw.uniform(0.95, 1.05)
        folder = os.path.join(runs, f"run-{number}")
        shutil.copytree(os.path.join(runs, "run-0"), folder)
        times = {name: first[name] * level for name in ("mean_ms", "p50_ms", "p95_ms", "p99_ms")}
        tags = json.dumps({"version": f"1.{number // 10}", "branch": draw.choice(["main", "fix", "feature/search"])})
        note = "a note on what was tried in this run, some words long" if number % 5 == 0 else ""
        row = {**first, **times, "id": number + 1, "name": f"run-{number}", "folder": folder, "tags": tags, "note": note,
               "start_ms": first["start_ms"] + number * 3_600_000, "end_ms": first["end_ms"] + number * 3_600_000}
        if number % 5 == 1:
            row["subject"] = f"/plans/other-{number % 3}.jmx"
        database.execute(f"INSERT INTO runs ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", [row[name] for name in columns])
        scaled = [(label, number + 1, samples, errors, *[value and value * level for value in rest[:4]], rest[4])
                  for label, _, samples, errors, *rest in figures]
        database.executemany("INSERT INTO figures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", scaled)
    database.commit()
    database.close()


SCRIPT = """
import { chromium } from 'playwright-core';
const [address, path, selector] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
await page.goto(address);
await page.waitForSelector('main');
const found = [];
for (let round = 0; round < 5; round += 1) {
  await page.goto(new URL(address).origin + path);
  await page.waitForSelector(selector);
  found.push(await page.evaluate(() => ({ shown: performance.now(), painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null })));
}
console.log(JSON.stringify(found));
await browser.close();
"""


def in_browser(address, path, selector):
    script = os.path.join(ROOT, "web", ".serve-bench.mjs")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    try:
        ended = subprocess.run(["node", script, address, path, selector], cwd=os.path.join(ROOT, "web"), capture_output=True, text=True, check=True)
    finally:
        os.remove(script)
    return json.loads(ended.stdout)


def fetched(address, path):
    """Milliseconds and bytes of a response."""
    base, token = address.split("#t=")
    request = urllib.request.Request(base.rstrip("/") + path, headers={"Authorization": f"Bearer {token}"})
    began = time.monotonic()
    with urllib.request.urlopen(request) as response:
        size = len(response.read())
    return 1000 * (time.monotonic() - began), size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--labels", type=int, default=20)
    args = parser.parse_args()
    args.swell = os.path.abspath(args.swell)
    with tempfile.TemporaryDirectory() as runs:
        first_run(args, runs)
        repeat(args, runs)
        server = subprocess.Popen([args.swell, "serve"], env={**os.environ, "SWELL_RUNS": runs}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = server.stdout.readline().split()[-1]
            pages = [
                (f"list of {args.runs:,} runs", "/", "/api/runs", ".runs tbody tr"),
                ("trend of 1,000 runs, all samples", f"/trend?subject={SUBJECT}&count=1000", f"/api/trend?subject={SUBJECT}&count=1000", ".chart .u-over"),
                ("trend of 1,000 runs, one label", f"/trend?subject={SUBJECT}&label=1&count=1000", f"/api/trend?subject={SUBJECT}&label=1&count=1000", ".chart .u-over"),
            ]
            rows = []
            for name, path, api, selector in pages:
                answers = [fetched(address, api) for _ in range(5)]
                seen = in_browser(address, path, selector)
                painted = [one["painted"] for one in seen if one["painted"] is not None]
                rows.append((name, statistics.median(ms for ms, _ in answers), answers[0][1], statistics.median(painted) if painted else None,
                             statistics.median(one["shown"] for one in seen), max(one["shown"] for one in seen)))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    lines = ["# Many runs in one place", "", f"{args.runs:,} kept runs with {args.labels} labels each; medians of five.", "",
             "| page | answer of the server | size of it | painted | shown | worst |", "|---|---|---|---|---|---|"]
    for name, answered, size, painted, shown, worst in rows:
        first = "–" if painted is None else f"{painted:.0f} ms"
        lines.append(f"| {name} | {answered:.0f} ms | {size / 1e6:.2f} MB | {first} | {shown:.0f} ms | {worst:.0f} ms |")
    lines += ["", f"Goal: shown in less than {LIMIT_MS} ms: {'yes' if all(row[5] < LIMIT_MS for row in rows) else 'NO'}."]
    show("serve.md", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
