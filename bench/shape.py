#!/usr/bin/env python3
"""Check that arrivals follow a sine: each second within 3 % of the wanted number, or within 3 standard deviations of Poisson.

    bench/shape.py --swell target/release/swell [--period 600] [--low 20] [--high 2000] [--arrivals even|poisson]

Starts the built-in site, runs `swell hit --shape 'sine(...)'` against it, and counts the samples started per second in
the JTL file. The wanted number of a second is the integral of the sine over it. Prints one line of JSON.
"""

import argparse
import json
import math
import os
import subprocess
import tempfile

from support import Site, rows


def wanted(low, high, period, at):
    """Return the integral of the sine from 0 to this time."""
    mean, amplitude = (low + high) / 2, (high - low) / 2
    return mean * at - amplitude * period / math.tau * math.sin(math.tau * at / period)


def starts(jtl):
    """Return the start times of samples in milliseconds."""
    return sorted(int(row["timeStamp"]) for row in rows(jtl))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--period", type=float, default=600)
    parser.add_argument("--low", type=float, default=20)
    parser.add_argument("--high", type=float, default=2000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--arrivals", default="even", choices=["even", "poisson"])
    args = parser.parse_args()
    shape = f"sine({args.low}..{args.high}, period={args.period}s, start=trough)"
    with tempfile.TemporaryDirectory() as folder, Site(args.swell) as site:
        jtl = os.path.join(folder, "out.jtl")
        command = [args.swell, "hit", site.url, "-c", str(args.users), "--shape", shape, "--arrivals", args.arrivals,
                   "--seed", "1", "-l", jtl, "--json"]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        times = starts(jtl)
    first = times[0]
    counts = [0] * math.ceil(args.period)
    for time in times:
        second = (time - first) // 1000
        if second < len(counts):
            counts[second] += 1
    outside, worst = 0, 0.0
    for second, count in enumerate(counts):
        want = wanted(args.low, args.high, args.period, second + 1) - wanted(args.low, args.high, args.period, second)
        off = abs(count - want)
        worst = max(worst, off / max(0.03 * want, 3 * math.sqrt(want)))
        outside += off > max(0.03 * want, 3 * math.sqrt(want))
    verdict = json.loads(run.stdout).get("verdict")
    total = wanted(args.low, args.high, args.period, args.period)
    print(json.dumps({
        "shape": shape, "arrivals": args.arrivals, "samples": len(times), "wanted": round(total),
        "seconds": len(counts), "outside": outside, "worst_of_the_bound": round(worst, 3),
        "verdict": verdict.get("grade") if isinstance(verdict, dict) else verdict,
    }))


if __name__ == "__main__":
    main()
