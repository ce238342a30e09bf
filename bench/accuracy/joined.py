#!/usr/bin/env python3
"""Closed loop against a known delay: how far is each reported time from the truth, request by request?

    bench/accuracy/joined.py --swell target/release/swell [--users 1000,5000,10000,18000] [--seconds 6] [--jmeter JMETER_HOME]

Columns: true mean and 99th percentile of the joined requests (arrival at the site's kernel to last send), the tool's of the same requests, and
their difference. `in user space` ends a sample after the read, as other tools do. Peers that cannot write ids (wrk, ab, oha, k6) are compared
by their own mean and 99th percentile with the site's of the same run.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

from plot import svg
from world import Site, id_of, log_of, mean, ms, quantile, rows_of, run_plan, scratch, table, write, PLAN

CASES = {
    "fixed": {"path": "/delay/50ms?"},
    "bimodal": {"path": "/delay?dist=bimodal:5ms,200ms,0.9&"},
    "heavy tail": {"path": "/delay?dist=pareto:20ms,2.5&"},
    "new connections": {"path": "/delay/50ms?", "keepalive": "false"},
    "TLS": {"path": "/delay/50ms?", "protocol": "https"},
}


# Errors of means by tool, for the plot.
CURVES = {}


def figures(values):
    values.sort()
    return ms(mean(values)), ms(quantile(values, 0.99))


def joined(jtl, truth, open_only):
    """Truth, the tool's time and the user-space time of each request that both sides have, and its errors. `open_only`: without the first of each
    connection, whose time holds a TLS handshake that the site's record does not."""
    true, told, user, errors = [], [], [], []
    for row in rows_of(jtl):
        found = truth.get(id_of(row["URL"]))
        if row["success"] != "true" or found is None or (open_only and row["connectedNs"] != "0"):
            continue
        start = int(row["startNs"])
        true.append(found[1])
        told.append(int(row["endNs"]) - start)
        user.append(int(row["readNs"]) - start)
        errors.append(abs(told[-1] - found[1]))
    return true, told, user, errors


def swell(args, case, users, folder):
    with Site(args.swell, "--log", str(args.log), "--tls-port", "0") as site:
        properties = dict(CASES[case])
        port = site.tls_port() if properties.get("protocol") == "https" else site.port
        ran = run_plan(args.swell, folder, port, users=users, seconds=args.seconds, ramp=args.ramp, **properties)
        true, told, user, errors = joined(ran.jtl, log_of(site), properties.get("protocol") == "https")
    (true_mean, true_p99), (told_mean, told_p99), (user_mean, user_p99) = figures(true), figures(told), figures(user)
    errors.sort()
    total = ran.summary["total"]
    row = [f"Swell, {case}", users, len(true), f"{true_mean:.3f} / {true_p99:.2f}", f"{told_mean:.3f} / {told_p99:.2f}",
           f"{told_mean - true_mean:+.3f} / {told_p99 - true_p99:+.3f}", f"{ms(quantile(errors, 0.5)):.3f} / {ms(quantile(errors, 0.99)):.3f}",
           f"{user_mean - true_mean:+.3f} / {user_p99 - true_p99:+.2f}", f"{1e6 * ran.cpu_s / total['samples']:.1f}", ran.verdict]
    print(row, ran.worst(), flush=True)
    if case == "fixed":
        CURVES.setdefault("Swell", []).append((users, told_mean - true_mean))
        CURVES.setdefault("Swell, in user space", []).append((users, user_mean - true_mean))
    return row


def jmeter(args, users, folder):
    path = os.path.join(folder, "jmeter.jtl")
    if os.path.exists(path):
        os.remove(path)
    with Site(args.swell, "--log", str(args.log)) as site:
        command = ["java", "-Xmx2g", "-jar", os.path.join(args.jmeter, "bin", "ApacheJMeter.jar"), "-n", "-t", PLAN, "-l", path, "-j", os.path.join(folder, "jmeter.log"),
                   f"-Jport={site.port}", f"-Jusers={users}", f"-Jseconds={args.seconds + 4}", "-Jramp=2"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        truth = log_of(site)
    pairs = [(truth[id_of(row["URL"])][1], int(row["elapsed"]) * 1_000_000) for row in rows_of(path)
             if row["success"] == "true" and id_of(row["URL"]) in truth]
    return peer_row("JMeter 5.6.3", users, len(pairs), figures([true for true, _ in pairs]), figures([told for _, told in pairs]))


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)\s*(us|µs|ms|s)", text.strip()).groups()
    return float(number) * {"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3}[unit]


def wrk(args, users, site):
    text = subprocess.run(["wrk", "-t2", f"-c{users}", f"-d{args.seconds}s", "--latency", "--timeout", "30s", site.url + "delay/50ms"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    told = re.search(r"Latency\s+(\S+)", text).group(1), re.search(r"99%\s+(\S+)", text).group(1)
    return tuple(milliseconds(figure) for figure in told)


def ab(args, users, site):
    requests = users * args.seconds * 12
    text = subprocess.run(["ab", "-k", "-q", "-r", "-s", "60", "-c", str(users), "-t", str(args.seconds), "-n", str(requests), site.url + "delay/50ms"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return float(re.search(r"Time per request:\s+([\d.]+)", text).group(1)), float(re.search(r"99%\s+(\d+)", text).group(1))


def oha(args, users, site):
    text = subprocess.run(["oha", "--no-tui", "-z", f"{args.seconds}s", "-c", str(users), site.url + "delay/50ms"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return milliseconds(re.search(r"Average:\s+([\d.]+ \S+)", text).group(1)), milliseconds(re.search(r"99.00% in ([\d.]+ \S+)", text).group(1))


def k6(args, users, site):
    script = f"import http from 'k6/http'; export const options = {{ vus: {users}, duration: '{args.seconds}s', summaryTrendStats: ['avg', 'p(99)'] }};" \
             f" export default () => http.get('{site.url}delay/50ms');"
    text = subprocess.run(["k6", "run", "-q", "-"], input=script, stdout=subprocess.PIPE, text=True, check=True).stdout
    told = re.search(r"http_req_duration[.:\s]+avg=(\S+)\s+p\(99\)=(\S+)", text).groups()
    return tuple(milliseconds(figure) for figure in told)


def peer_row(name, users, count, true, told):
    row = [name, users, count, f"{true[0]:.3f} / {true[1]:.2f}", f"{told[0]:.3f} / {told[1]:.2f}",
           f"{told[0] - true[0]:+.3f} / {told[1] - true[1]:+.2f}", "", "", "", ""]
    print(row, flush=True)
    CURVES.setdefault(name, []).append((users, told[0] - true[0]))
    return row


def peer(name, measure, args, users):
    with Site(args.swell) as site:
        told = measure(args, users, site)
        route = next(route for route in site.stats()["routes"] if route["route"] == "/delay")
    truth = route["residence"]
    return peer_row(name, users, truth["count"], (truth["mean_ns"] / 1e6, truth["p99_ns"] / 1e6), told)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", default="1000,5000,10000,18000")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--ramp", type=int, default=0)
    parser.add_argument("--log", type=int, default=2_000_000)
    parser.add_argument("--jmeter")
    parser.add_argument("--peers", default="wrk,ab,oha,k6")
    args = parser.parse_args()
    rows = []
    with scratch() as folder:
        for users in [int(users) for users in args.users.split(",")]:
            rows += [swell(args, case, users, folder) for case in args.cases.split(",")]
            peers = {"wrk": wrk, "ab": ab, "oha": oha, "k6": k6}
            for name in args.peers.split(","):
                if shutil.which(name) and not (name == "ab" and users > 18000):
                    rows.append(peer(name, peers[name], args, users))
                else:
                    print(f"{name} is not installed: left out", file=sys.stderr)
            if args.jmeter and users <= 1000:
                rows.append(jmeter(args, users, folder))
    head = ["tool, case", "users", "requests", "true mean / p99 ms", "reported mean / p99", "difference", "error of a request, p50 / p99",
            "difference in user space", "CPU a request, µs", "verdict"]
    text = table(head, rows)
    print(text)
    write("joined.svg", svg(CURVES, "Reported mean less true mean (absolute), closed loop against 50 ms, two cores"))
    write("joined.json", json.dumps({"head": head, "rows": rows}, indent=1))
    write("joined.md", f"# Reported beside true times, closed loop, {args.seconds} s a run\n\n{text}")


main()
