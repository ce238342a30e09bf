#!/usr/bin/env python3
"""Check whether a rate is evenly spaced or comes in bursts, by the gaps between requests at the site's kernel.

    bench/accuracy/spacing.py --swell target/release/swell [--rates 1000,10000,50000] [--users 200] [--seconds 4] [--rounds 3]

Runs Swell and every installed tool with a constant rate (wrk2, vegeta, hey, oha, k6). Columns:
- `gap`: time from one arrival to the next, over all connections;
- `in bursts`: share of requests in a row of five or more with less than half of the wanted gap between them;
- `tenths of a ms`: share of the tenths of a millisecond with an arrival, out of those that should have one; a tool that
  sends once a millisecond has 10 %;
- CPU: user and system time of the tool per request.
Each figure is the median of the rounds.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess

from world import Site, kept, quantile, site_rows, table, write


def swell(args, rate, url):
    return [args.swell, "hit", url, "-c", str(args.users), "-r", str(rate), "-d", f"{args.seconds}s", "--json"], None


def swell_one(args, rate, url):
    command, text = swell(args, rate, url)
    return [*command, "-w", "1"], text


def wrk2(args, rate, url):
    return ["wrk2", "-t2", f"-c{args.users}", f"-R{rate}", f"-d{args.seconds}s", url], None


def vegeta(args, rate, url):
    return ["vegeta", "attack", "-format=http", f"-rate={rate}", f"-duration={args.seconds}s", f"-workers={args.users}", f"-connections={args.users}", "-output=/dev/null"], f"GET {url}\n"


def oha(args, rate, url):
    return ["oha", "--no-tui", "-z", f"{args.seconds}s", "-c", str(args.users), "-q", str(rate), url], None


def hey(args, rate, url):
    # hey takes the rate per worker.
    return ["hey", "-z", f"{args.seconds}s", "-c", str(args.users), "-q", f"{rate / args.users:g}", url], None


def k6(args, rate, url):
    script = f"import http from 'k6/http'; export const options = {{ discardResponseBodies: true, scenarios: {{ even: {{ executor: 'constant-arrival-rate', rate: {rate}, timeUnit: '1s'," \
             f" duration: '{args.seconds}s', preAllocatedVUs: {args.users} }} }} }}; export default () => http.get('{url}');"
    return ["k6", "run", "-q", "-"], script


TOOLS = {"Swell": swell, "Swell -w 1": swell_one, "wrk2": wrk2, "vegeta": vegeta, "oha": oha, "hey": hey, "k6": k6}


def run(command, text):
    """Run a command; return its output and CPU seconds."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdin.write(text or "")
    process.stdin.close()
    out = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return out, usage.ru_utime + usage.ru_stime


def spacing(arrivals, rate):
    """Describe the gaps, without the first half second."""
    arrivals.sort()
    begin = arrivals[0] + 500_000_000
    arrivals = [at for at in arrivals if at >= begin]
    wanted = 1e9 / rate
    gaps = sorted(b - a for a, b in zip(arrivals, arrivals[1:]))
    lasted = arrivals[-1] - arrivals[0]
    tenths = len({at // 100_000 for at in arrivals}) / (lasted / max(100_000, wanted))
    return {"rate": len(gaps) / lasted * 1e9, "p1_us": quantile(gaps, 0.01) / 1e3, "p50_us": quantile(gaps, 0.5) / 1e3, "p99_us": quantile(gaps, 0.99) / 1e3,
            "max_us": gaps[-1] / 1e3, "near": sum(0.5 * wanted <= gap <= 1.5 * wanted for gap in gaps) / len(gaps),
            "bursts": bursts(arrivals, wanted / 2) / len(arrivals), "tenths": min(1, tenths)}


def bursts(arrivals, least):
    """Count the arrivals in rows of five or more whose gaps are below `least`."""
    row, found = 1, 0
    for before, after in zip(arrivals, [*arrivals[1:], arrivals[-1] + least]):
        if after - before < least:
            row += 1
            continue
        found += row if row >= 5 else 0
        row = 1
    return found


def one(args, name, rate):
    # The page has no delay: the site's speed does not matter as long as it keeps up.
    with Site(args.swell, "--log", str(rate * (args.seconds + 2))) as site:
        out, cpu_s = run(*TOOLS[name](args, rate, f"{site.url}ok?id=x"))
        arrivals = [int(row["arrival_ns"]) for row in site_rows(site)]
    found = spacing(arrivals, rate) | {"requests": len(arrivals), "cpu_us": 1e6 * cpu_s / len(arrivals), "verdict": ""}
    if name.startswith("Swell"):
        summary = json.loads(out)
        found |= {"verdict": summary["verdict"]["level"], "late_p99_ms": summary["total"]["start_delay"]["p99_ms"]}
    print(name, rate, {key: round(value, 4) if isinstance(value, float) else value for key, value in found.items()}, flush=True)
    return found


def middle(rounds):
    return {key: statistics.median(found[key] for found in rounds) if isinstance(value, (int, float)) else " ".join(found[key] for found in rounds)
            for key, value in rounds[0].items()}


def cells(row):
    part = lambda share: f"{100 * share:.1f} %"
    return [f"{row['wanted']:,}", row["tool"], f"{row['rate']:,.0f}", f"{1e6 / row['wanted']:.0f}", f"{row['p1_us']:.1f} / {row['p50_us']:.1f} / {row['p99_us']:.1f} / {row['max_us']:.0f}",
            part(row["near"]), part(row["bursts"]), part(row["tenths"]), f"{row['cpu_us']:.1f}",
            f"{row['late_p99_ms']:.2f}" if "late_p99_ms" in row else "", row["verdict"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rates", default="1000,10000,50000")
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tools", default=",".join(TOOLS))
    args = parser.parse_args()
    names = [name for name in args.tools.split(",") if name.startswith("Swell") or shutil.which(name)]
    fresh = []
    for rate in [int(rate) for rate in args.rates.split(",")]:
        rounds = {name: [] for name in names}
        for _ in range(args.rounds):
            for name in names:
                rounds[name].append(one(args, name, rate))
        fresh += [{"wanted": rate, "tool": name} | middle(found) for name, found in rounds.items()]
    rows = kept("spacing.json", fresh, lambda row: (row["wanted"], list(TOOLS).index(row["tool"])))
    head = ["rate", "tool", "achieved", "wanted gap µs", "gap p1 / p50 / p99 / max µs", "within half of the wanted gap", "in bursts", "tenths of a ms", "CPU per request, µs",
            "late starts p99 ms", "verdicts"]
    text = table(head, [cells(row) for row in rows])
    print(text)
    write("spacing.md", f"# Gaps between arriving requests, {args.users} connections\n\n{text}")


main()
