#!/usr/bin/env python3
"""Check that the load of `examples/sine.jmx` follows the sine wave that its script computes.

    bench/sine.py --swell target/release/swell [--seconds 120] [--waves 2] [--low 20] [--high 200] [--users 10] [--jmeter ~/jmeter/bin/jmeter]

The day is shortened so that `--waves` waves take `--seconds`. JMeter also runs if --jmeter is given. Requests are counted
by their start time in bins of a fortieth of a wave. `deviation` is the mean distance of the bins from the wave, as a
share of the mean rate. `ideal requests` is the same distance for requests that follow the wave exactly: the error of
counting in bins. The first second is left out, because users start in it.
Writes the table to bench/results/sine.md and the curves to bench/results/sine.svg.
"""

import argparse
import csv
import math
import os
import subprocess
import tempfile

from support import Site, keep

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "sine.jmx")
BINS_A_WAVE = 40


class Wave:
    """The rate that the plan's script computes, and its integral. Times are in ms since the epoch, rates in requests a second."""

    def __init__(self, args):
        self.length_ms = args.seconds * 1000 / args.waves
        self.low, self.high = args.low, args.high

    def rate(self, ms):
        range_ = self.high - self.low
        return math.sin(ms / self.length_ms * math.pi * 2) * range_ / 2 + range_ / 2 + self.low

    def requests(self, begin_ms, end_ms):
        middle = (self.low + self.high) / 2 * (end_ms - begin_ms) / 1000
        turn = self.length_ms / (2 * math.pi)
        swing = (self.high - self.low) / 2 * turn * (math.cos(begin_ms / turn) - math.cos(end_ms / turn)) / 1000
        return middle + swing


def starts_ms(command, args, site):
    with tempfile.TemporaryDirectory() as folder:
        jtl = os.path.join(folder, "results.jtl")
        properties = {
            "port": site.port, "users": args.users, "seconds": args.seconds, "minHitsPerSec": args.low, "maxHitsPerSec": args.high,
            "oscillationsPerDay": 86400 * args.waves / args.seconds,
        }
        subprocess.run(
            [*command, "-n", "-t", PLAN, "-l", jtl, "-j", os.path.join(folder, "log"), *(f"-J{name}={value}" for name, value in properties.items())],
            check=True, stdout=subprocess.DEVNULL, cwd=folder,
        )
        with open(jtl, newline="") as rows:
            return sorted(int(row["timeStamp"]) for row in csv.DictReader(rows))


def binned(starts, wave):
    """Return for each whole bin its middle (ms), and the requests a second that were counted and wanted."""
    width = wave.length_ms / BINS_A_WAVE
    begin, end = starts[0] + 1000, starts[-1]
    bins = []
    while begin + width <= end:
        count = sum(begin <= start < begin + width for start in starts)
        bins.append((begin + width / 2, count * 1000 / width, wave.requests(begin, begin + width) * 1000 / width))
        begin += width
    return bins


def deviation(bins):
    return sum(abs(reached - wanted) for _, reached, wanted in bins) / sum(wanted for _, _, wanted in bins)


def drawn(starts, wave):
    """Return starts of requests that follow the wave exactly, over the time of the run."""
    ideal, done, ms = [], 0.0, float(starts[0])
    while ms < starts[-1]:
        done += wave.requests(ms, ms + 1)
        ms += 1
        while done >= 1:
            ideal.append(ms)
            done -= 1
    return ideal


def curve(bins, column, left, scale_x, scale_y, bottom):
    return " ".join(f"{(bin_[0] - left) * scale_x + 50:.1f},{bottom - bin_[column] * scale_y:.1f}" for bin_ in bins)


def svg(runs, args):
    width, height, bottom = 900, 340, 300
    top = max(reached for bins in runs.values() for _, reached, _ in bins) * 1.05
    colours = dict(zip(runs, ("#1f77b4", "#d62728")))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for rate in range(0, int(top) + 1, 50):
        y = bottom - rate * 280 / top
        parts.append(f'<path d="M50 {y:.1f}H{width - 10}" stroke="#ddd"/><text x="44" y="{y + 4:.1f}" text-anchor="end">{rate}</text>')
    for name, bins in runs.items():
        left, scale_x = bins[0][0], 830 / (bins[-1][0] - bins[0][0])
        if name == "Swell":
            parts.append(f'<polyline fill="none" stroke="#999" stroke-width="4" points="{curve(bins, 2, left, scale_x, 280 / top, bottom)}"/>')
        parts.append(f'<polyline fill="none" stroke="{colours[name]}" stroke-width="1.5" points="{curve(bins, 1, left, scale_x, 280 / top, bottom)}"/>')
    legend = "grey: the wave" + "".join(f"; {'blue' if colour == '#1f77b4' else 'red'}: {name}" for name, colour in colours.items())
    parts.append(f'<text x="50" y="{height - 12}">requests a second over {args.seconds} s; {legend}</text></svg>')
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--jmeter", help="JMeter's start script")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--waves", type=float, default=2)
    parser.add_argument("--low", type=float, default=20)
    parser.add_argument("--high", type=float, default=200)
    parser.add_argument("--users", type=int, default=10)
    args = parser.parse_args()
    wave = Wave(args)
    commands = {"Swell": [os.path.abspath(args.swell)]} | ({"JMeter": [os.path.abspath(args.jmeter)]} if args.jmeter else {})
    rows, runs = [], {}
    for name, command in commands.items():
        with Site(args.swell) as site:
            starts = starts_ms(command, args, site)
        runs[name] = binned(starts, wave)
        ideal = deviation(binned(drawn(starts, wave), wave))
        rows.append(f"| {name} | {len(starts):,} | {deviation(runs[name]):.2%} | {ideal:.2%} |")
    keep(
        "sine.md",
        "# Does the load follow the sine wave?\n\n"
        f"`bench/sine.py --seconds {args.seconds} --waves {args.waves:g} --low {args.low:g} --high {args.high:g} --users {args.users}`\n\n"
        "| tool | requests | deviation | ideal requests |\n|---|--:|--:|--:|\n" + "\n".join(rows) + "\n\n![curves](sine.svg)\n"
    )
    keep("sine.svg", svg(runs, args))
    print("\n".join(rows))


if __name__ == "__main__":
    main()
