#!/usr/bin/env python3
"""CPU time per request of a plan with checks: Swell compared with k6 and JMeter, if installed, against nginx on loopback.

journey.jmx and journey.js contain the same journey, in a transaction: a row of a file with 10,000 users, cookies, five
headers, a login whose response (179 bytes) is read by a regular expression and two JSON extractors, and five items
(about 780 bytes) with a response assertion and a JSON assertion each. 100 users run it without pauses. All tools run in
turn within each round. Results are medians over the rounds, and the ratio to `swell run -l` in the same round. CPU time
is user + system of the whole process, including start-up. For JMeter, the cost of the second half of a run is also
shown, which excludes its start and most of the compilation.

    bench/journey/journey.py --swell target/release/swell [--rounds 3] [--seconds 5] [--jmeter DIR] [--out raw.json]
    bench/journey/journey.py --swell target/release/swell --instructions [--keep DIR]

--instructions counts user instructions and allocations per request, and instructions per part of it, by callgrind
(valgrind), as the difference of a short and a longer run with one worker. It shows the worker's thread and the whole
process; in the latter, the monitor's share grows with the time that the run takes under valgrind. --keep writes
callgrind's files to DIR. Needs nginx (Debian: apt-get install nginx-light valgrind).
"""

import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cpu_per_request import run, start_nginx  # noqa: E402

USERS = 100
REQUESTS = 6  # per journey


def fill(www):
    """Write the responses and the file of users."""
    login = {"status": "ok", "token": "t" * 40, "session": "s" * 32, "account": {"id": 4711, "name": "Ada"}, "roles": ["user"]}
    text = json.dumps(login, separators=(",", ":"))
    with open(f"{www}/login.json", "w") as f:
        f.write(text + " " * (179 - len(text)))
    for i in range(1, 6):
        items = [{"id": 1000 + n, "name": f"Product number {n}", "price": 10.99 + n, "stock": 10 * i + n, "tags": ["new", "sale"]} for n in range(9)]
        with open(f"{www}/item-{i}.json", "w") as f:
            json.dump({"page": 1, "items": items, "total": 9}, f, separators=(",", ":"))
    with open(f"{www}/users.csv", "w") as f:
        f.writelines(f"user{n},secret{n},{n}\n" for n in range(10000))


def swell(args, port, folder, *more, workers=2):
    return [args.swell, "run", f"{HERE}/journey.jmx", "--json", "--no-run-dir", "-w", str(workers), f"-Jusers={USERS}", f"-Jport={port}",
            f"-Jcsv={folder}/www/users.csv", "-j", f"{folder}/swell.log", *more]


def of_swell(args, port, folder, *more):
    text, cpu, rss = run(swell(args, port, folder, f"-Jseconds={args.seconds}", *more))
    report = json.loads(text)
    if report["total"]["errors"]:
        sys.exit(f"swell had errors: {text}")
    return report["total"]["samples"], cpu, rss


def of_k6(args, port, folder):
    summary = f"{folder}/k6.json"
    _, cpu, rss = run(["k6", "run", "--quiet", "--vus", str(USERS), "--duration", f"{args.seconds}s", "-e", f"PORT={port}",
                       "-e", f"CSV={folder}/www/users.csv", "--summary-export", summary, f"{HERE}/journey.js"])
    metrics = json.load(open(summary))["metrics"]
    if metrics["checks"]["fails"]:
        sys.exit("k6 reported failed checks")
    return metrics["http_reqs"]["count"], cpu, rss


def of_jmeter(args, port, folder, seconds):
    jtl = f"{folder}/jmeter.jtl"
    if os.path.exists(jtl):
        os.remove(jtl)
    # The options of bin/jmeter.
    java = ["java", "-Xms1g", "-Xmx1g", "-XX:MaxMetaspaceSize=256m", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=100", "-XX:G1ReservePercent=20"]
    java += [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "lang.invoke", "lang.reflect", "util", "text")]
    _, cpu, rss = run(java + ["-jar", f"{args.jmeter}/bin/ApacheJMeter.jar", "-n", "-t", f"{HERE}/journey.jmx", "-l", jtl, "-j", f"{folder}/jmeter.log",
                       f"-Jusers={USERS}", f"-Jport={port}", f"-Jcsv={folder}/www/users.csv", f"-Jseconds={seconds}"])
    with open(jtl) as rows:
        next(rows)
        labels = [row.split(",", 3)[2] for row in rows]
    return sum(label != "Journey" for label in labels), cpu, rss


def warm_jmeter(args, port, folder):
    """Return the cost of the second half of a run: a long run minus a short one."""
    short, long = (of_jmeter(args, port, folder, seconds) for seconds in (args.seconds, 2 * args.seconds))
    return long[0] - short[0], long[1] - short[1], long[2]


def tools(args, port, folder):
    all_tools = {
        "swell run -l": lambda: of_swell(args, port, folder, "-f", "-l", f"{folder}/out.jtl"),
        "swell run": lambda: of_swell(args, port, folder),
    }
    if shutil.which("k6"):
        all_tools["k6"] = lambda: of_k6(args, port, folder)
    else:
        print("k6 is not installed: go install go.k6.io/k6@latest\n")
    if args.jmeter and os.path.exists(f"{args.jmeter}/bin/ApacheJMeter.jar"):
        all_tools["JMeter, with its start"] = lambda: of_jmeter(args, port, folder, args.seconds)
        all_tools["JMeter, warm"] = lambda: warm_jmeter(args, port, folder)
    else:
        print("JMeter not found: give its folder with --jmeter\n")
    return all_tools


def compare(args, port, folder):
    raw, rounds = [], []
    all_tools = tools(args, port, folder)
    for _ in range(args.rounds):
        row = {}
        for name, tool in all_tools.items():
            requests, cpu, rss = tool()
            row[name] = cpu * 1e6 / requests
            raw.append({"tool": name, "requests": requests, "cpu_s": cpu, "rss_mb": rss})
        rounds.append(row)
    print(f"{os.cpu_count()} cores, {USERS} users, {args.rounds} rounds of {args.seconds} s, nginx on the same machine\n")
    print("| tool | CPU µs per request, median (lowest to highest) | × swell run -l | requests/s | RSS MB |")
    print("|---|--:|--:|--:|--:|")
    for name in all_tools:
        us = [row[name] for row in rounds]
        ratio = statistics.median(row[name] / row["swell run -l"] for row in rounds)
        mine = [r for r in raw if r["tool"] == name]
        rate = statistics.median(r["requests"] for r in mine) / args.seconds
        rss = max(r["rss_mb"] for r in mine)
        print(f"| {name} | {statistics.median(us):.1f} ({min(us):.1f} to {max(us):.1f}) | {ratio:.1f} | {rate:,.0f} | {rss:.0f} |")
    if args.out:
        with open(args.out, "w") as f:
            json.dump(raw, f, indent=1)


ALLOCATION = re.compile(r"(mi_(theap|heap)?_?\w*(malloc|zalloc|realloc)\w*)")


def counted(args, port, folder, loops):
    """Run this many journeys per user. Return instructions and allocator calls of the worker, instructions of all threads,
    the number of requests, and the worker's callgrind file."""
    out = f"{args.keep or folder}/callgrind.{loops}"
    command = swell(args, port, folder, "-Jusers=10", f"-Jloops={loops}", "-Jseconds=600", "-f", "-l", f"{folder}/out.jtl",
                    workers=1)
    subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}", *command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    threads = {file: int(re.search(r"^(?:summary|totals): (\d+)", open(file).read(), re.M)[1]) for file in glob.glob(f"{out}-*")}
    worker = max(threads, key=threads.get)
    text = open(worker).read()
    names, calls, callee = {}, {}, None
    for line in text.splitlines():
        if line.startswith(("fn=", "cfn=")):
            found = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
            if found[2]:
                names[found[1]] = found[2]
            if line.startswith("cfn="):
                callee = names.get(found[1], "")
        elif line.startswith("calls=") and callee is not None:
            calls[callee] = calls.get(callee, 0) + int(line[6:].split()[0])
    return threads[worker], calls, sum(threads.values()), 10 * loops * REQUESTS, worker


# Parts of a request, each with the functions that do it, as callgrind names them.
PARTS = {
    "JSON assertions": ["JsonPathAssertion as swell_api::element::Assertion>::check"],
    "JSON extractors": ["JsonExtractor as swell_api::element::PostProcessor>::process"],
    "regular expression extractor": ["RegexExtractor as swell_api::element::PostProcessor>::process"],
    "response assertions": ["ResponseAssertion as swell_api::element::Assertion>::check"],
    "request made from a prepared template: match, bytes, URL": [
        "swell_http::request::template::RequestTemplate>::fits", "swell_http::request::template::RequestTemplate>::write",
        "swell_http::request::template::RequestTemplate>::url"],
    "request made from scratch": ["swell_http::request::evaluate::texts", "HttpSampler>::request_of_texts"],
    "exchange: send, receive, response head": ["swell_http::exchange::Http1Exchange<S>::poll"],
    "sample of the exchange": ["HttpSampler>::sample_from", "HttpSampler>::sample_of_mould"],
    "rows of the results file": ["FileListener as swell_api::listener::Listener>::sample"],
    "counts and histograms": ["swell_run::counting::Counting as swell_api::listener::Listener>::sample"],
    "controllers, transaction, row of data": ["swell_engine::run::user::Runner::next::{{closure}}"],
}


def inclusive(file):
    """Return the inclusive instructions of each function, with everything that it calls."""
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--show=Ir", "--inclusive=yes", file], check=True,
                          capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(?!=>)(\S.*)$", line)
        if match and "'2" not in match[2]:
            name = match[2].split(" [")[0]
            found[name] = max(found.get(name, 0), int(match[1].replace(",", "")))
    return found


def parts(short, long, requests, total):
    print("\n| part of a request | user instructions | share |\n|---|--:|--:|")
    rest = total
    for part, names in PARTS.items():
        of = lambda counts: sum(max((count for known, count in counts.items() if name in known), default=0) for name in names)  # noqa: E731
        count = (of(long) - of(short)) / requests
        rest -= count
        print(f"| {part} | {count:,.0f} | {count / total:.0%} |" if count else f"| {part} | inlined into others | |")
    print(f"| everything else | {rest:,.0f} | {rest / total:.0%} |")


def instructions(args, port, folder):
    loops = (20, 220)
    short, long = (counted(args, port, folder, count) for count in loops)
    requests = long[3] - short[3]
    total, process = ((long[part] - short[part]) / requests for part in (0, 2))
    print(f"user instructions per request: {total:,.0f} of the worker, {process:,.0f} of the whole process (one worker, -l)\n")
    grown = {name: (count - short[1].get(name, 0)) / requests for name, count in long[1].items() if ALLOCATION.search(name)}
    print("| allocator function | calls per request |\n|---|--:|")
    for name, count in sorted(grown.items(), key=lambda one: -one[1]):
        if count >= 0.05:
            print(f"| {name} | {count:.1f} |")
    parts(inclusive(short[4]), inclusive(long[4]), requests, total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--jmeter", help="folder of Apache JMeter 5.6.3")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--keep", help="folder for callgrind's files")
    parser.add_argument("--out")
    args = parser.parse_args()
    if not shutil.which("nginx"):
        sys.exit("nginx is missing: apt-get install nginx-light")
    folder = tempfile.mkdtemp(prefix="swell-journey-")
    os.chmod(folder, 0o755)
    nginx, port = start_nginx(folder)
    try:
        fill(f"{folder}/www")
        (instructions if args.instructions else compare)(args, port, folder)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
