#!/usr/bin/env python3
"""`swell report` compared with `jmeter -g` on one large results file: time, peak memory and equality of the figures.

    bench/report.py --swell target/release/swell --jmeter ~/.cache/swell/jmeter-5.6.3 [--mb 1000] [--labels 50] [--keep FOLDER]

The file is CSV with JMeter's default columns. Goals: at most 200 MB of memory, and ten times as fast. Prints a Markdown
table. JMeter's own percentiles cover only the last 20,000 samples of a label. So counts, means, minima and maxima are
compared directly, and the rest with `swell report --percentiles jmeter`. Without --jmeter, only Swell is measured.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time

HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"


def write(path, megabytes, labels):
    """Write rows of a run with 2,000 samples a second; return the number of rows."""
    drawn, rows, size, at_ms = random.Random(7), 0, 0, 1_700_000_000_000
    with open(path, "w") as out:
        out.write(HEAD)
        while size < megabytes * 1_000_000:
            lines = []
            for _ in range(20_000):
                label = drawn.randrange(labels)
                elapsed = int(drawn.lognormvariate(3 + label / labels, 0.7)) + 1
                good = drawn.random() > 0.004
                code, words = ("200", "OK") if good else ("503", "Service Unavailable")
                at_ms += drawn.randrange(2)
                lines.append(
                    f"{at_ms},{elapsed},label {label:03},{code},{words},buyers 1-{drawn.randrange(50) + 1},text,{'true' if good else 'false'},,{5000 + label},120,50,50,http://localhost:8080/shop/{label},{max(1, elapsed - 2)},0,0\n"
                )
            text = "".join(lines)
            out.write(text)
            rows, size = rows + len(lines), size + len(text)
    return rows


def run(command, folder, environment=None):
    """Return seconds, CPU seconds and peak memory in MB of a command with all its child processes."""
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(environment or {})
        log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}: {open(f'{folder}/log').read()[-2000:]}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def differences(ours, theirs):
    """Return figures of two statistics.json that differ by more than half a unit of JMeter's last digit."""
    wrong = []
    for label, one in theirs.items():
        other = ours.get(label)
        if other is None:
            wrong.append(f"{label} is missing")
            continue
        for name in ("sampleCount", "errorCount", "meanResTime", "minResTime", "maxResTime", "pct1ResTime", "pct2ResTime", "pct3ResTime", "throughput"):
            if abs(one[name] - other[name]) > max(0.001 * abs(one[name]), 1e-6):
                wrong.append(f"{label} {name}: JMeter {one[name]}, Swell {other[name]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", default="target/release/swell")
    parser.add_argument("--jmeter", help="home of JMeter 5.6.3")
    parser.add_argument("--mb", type=float, default=1000)
    parser.add_argument("--labels", type=int, default=50)
    parser.add_argument("--keep", help="folder for the files, which are kept; an existing results file is used again")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp(prefix="swell-report-")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{args.mb:g}mb-{args.labels}.jtl")
    if not os.path.exists(path):
        write(path, args.mb, args.labels)
    with open(path, "rb") as file:
        rows = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 24), b"")) - 1
    swell = os.path.abspath(args.swell)
    print(f"{os.path.getsize(path) / 1e6:.0f} MB, {rows:,} rows, {args.labels} labels\n")
    print("| tool | s | CPU s | rows/s | peak MB |\n|---|--:|--:|--:|--:|")

    def show(name, seconds, cpu_s, peak_mb):
        print(f"| {name} | {seconds:.1f} | {cpu_s:.1f} | {rows / seconds:,.0f} | {peak_mb:.0f} |", flush=True)
        return seconds

    ours = show("`swell report`", *run([swell, "report", path, "-f", "-o", "exact"], folder))
    show("`swell report --percentiles jmeter`", *run([swell, "report", path, "-f", "-o", "windowed", "--percentiles", "jmeter"], folder))
    if args.jmeter:
        shutil.rmtree(os.path.join(folder, "jmeter"), ignore_errors=True)
        # Use the memory and collector settings of JMeter's script; the homes that parity/ assembles have no script.
        jar = os.path.join(os.path.expanduser(args.jmeter), "bin", "ApacheJMeter.jar")
        jmeter = ["java", "-Xms1g", "-Xmx1g", "-XX:MaxMetaspaceSize=256m", "-XX:+UseG1GC", "-jar", jar]
        theirs = show("`jmeter -g`", *run([*jmeter, "-g", path, "-o", "jmeter", "-j", "jmeter.log"], folder))
        read = lambda name: json.load(open(os.path.join(folder, name, "statistics.json")))
        wrong = differences(read("windowed"), read("jmeter"))
        print(f"\nswell report is {theirs / ours:.1f} times as fast; {len(wrong)} figures differ")
        print("\n".join(wrong[:20]))
    if not args.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
