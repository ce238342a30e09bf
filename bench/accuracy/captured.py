#!/usr/bin/env python3
"""Compare each reported time with the packets on the wire.

    bench/accuracy/captured.py --swell target/release/swell [--users 100,1000,5000,10000] [--cases keep-alive,"new connections",TLS]
                               [--loads 2000,closed] [--seconds 4] [--jmeter JMETER_HOME]

The site runs in a network namespace, and tcpdump captures at its end of the wire, so the reference depends on neither
Swell nor the site (see capture.py). The script joins each captured request, by its id, with the tool's sample and with
the site's own record. On the wire, a request lasts from its first packet, or from the first packet of the connection
opened for it, to the last packet of its response. A load is a total rate, made by pauses of the users, or `closed`:
users that never pause. Runs in which tcpdump lost packets are discarded. Rows of earlier runs are kept.
Needs root and tcpdump.
"""

import argparse
import math
import sys
import urllib.parse

from capture import Apart, Capture, by_id, exchanges
from plot import svg
from world import Site, id_of, kept, mean, ms, quantile, rows_of, run_jmeter, run_plan, scratch, site_rows, table, write

CASES = {"keep-alive": {}, "new connections": {"keepalive": "false"}, "TLS": {"protocol": "https"}}
DELAY_MS = 50


def properties_of(case, load, users, seconds):
    """Set the pause that gives the rate. Users start spread over one pause, so they do not move in step."""
    if load == "closed":
        return {"users": users, "seconds": seconds, "ramp": 0} | CASES[case]
    cycle_s = users / float(load)
    ramp = math.ceil(cycle_s)
    return {"users": users, "seconds": ramp + seconds, "ramp": ramp, "pause": max(0, round(cycle_s * 1000) - DELAY_MS)} | CASES[case]


def one(args, tool, case, load, users, folder):
    """Run the tool once and join its samples with the packets; return None if tcpdump lost packets."""
    is_tls = case == "TLS"
    with Apart() as apart, Site(args.swell, "--log", str(args.log), "--tls-port", "0", "--host", apart.host, inside=apart.inside) as site:
        port = site.tls_port() if is_tls else site.port
        properties = properties_of(case, load, users, args.seconds) | {"host": apart.host, "path": f"/delay/{DELAY_MS}ms?"}
        with Capture(folder, port, apart.device, apart.inside) as capture:
            ran = run_plan(args.swell, folder, port, **properties) if tool == "Swell" else None
            jtl = ran.jtl if ran else run_jmeter(args.jmeter, folder, port, **properties)
        logged = list(site_rows(site))
    if capture.dropped:
        print(f"{tool}, {case}, {load}, {users}: tcpdump lost {capture.dropped} packets; run discarded", flush=True)
        return None
    found, again = exchanges(capture.path, port, is_tls)
    wire = by_id(found, logged)
    site_ns = {urllib.parse.unquote(row["id"]): int(row["residence_ns"]) for row in logged}
    row = {"tool": tool, "case": case, "load": load, "users": users, "packets": capture.captured, "sent again": again}
    row |= joined(jtl, wire, site_ns, tool == "Swell")
    row |= {"verdict": ran.verdict, "gates": ran.worst()} if ran else {"verdict": "", "gates": ""}
    print(row, flush=True)
    return row


def joined(jtl, wire, site_ns, has_time_line):
    true, told, user, site_off, rows = [], [], [], [], 0
    for row in rows_of(jtl):
        if row["success"] != "true":
            continue
        rows += 1
        name = id_of(row["URL"])
        exchange = wire.get(name)
        if exchange is None:
            continue
        true.append(exchange.took_ns())
        start = int(row["startNs"]) if has_time_line else 0
        told.append(int(row["endNs"]) - start if has_time_line else int(row["elapsed"]) * 1_000_000)
        user.append(int(row["readNs"]) - start if has_time_line else told[-1])
        if name in site_ns:
            # The site's time excludes the connect, even where a connection was opened for the request.
            site_off.append(abs(site_ns[name] - (exchange.answered_ns - exchange.sent_ns)))
    if not true:
        sys.exit("no sample could be joined with a captured request")
    errors = sorted(abs(a - b) for a, b in zip(told, true))
    late = sorted(abs(a - b) for a, b in zip(user, true))
    site_off.sort()
    at = lambda values, part: round(ms(quantile(values, part)), 4)
    ordered = lambda values: {"mean": round(ms(mean(values)), 4), "p99": at(sorted(values), 0.99)}
    return {"samples": rows, "joined": len(true), "true_ms": ordered(true), "told_ms": ordered(told),
            "error_ms": {"p50": at(errors, 0.5), "p99": at(errors, 0.99), "p99.9": at(errors, 0.999), "max": at(errors, 1)},
            "user_space_error_ms": {"p50": at(late, 0.5), "p99": at(late, 0.99)},
            "site_error_ms": {"p50": at(site_off, 0.5), "p99": at(site_off, 0.99)} if site_off else None}


def cells(row):
    true, told, error = row["true_ms"], row["told_ms"], row["error_ms"]
    site, user = row["site_error_ms"], row["user_space_error_ms"]
    return [f"{row['tool']}, {row['case']}", row["load"] if row["load"] == "closed" else f"{row['load']}/s", row["users"], f"{row['joined']} of {row['samples']}",
            f"{true['mean']:.3f} / {true['p99']:.2f}", f"{told['mean'] - true['mean']:+.3f} / {told['p99'] - true['p99']:+.3f}",
            f"{error['p50']:.3f} / {error['p99']:.3f} / {error['p99.9']:.3f} / {error['max']:.1f}",
            f"{user['p50']:.3f} / {user['p99']:.3f}" if row["tool"] == "Swell" else "",
            f"{site['p50']:.3f} / {site['p99']:.3f}" if site else "", row["verdict"]]


def key(row):
    return row["tool"] != "Swell", row["tool"], row["load"] == "closed", row["load"], list(CASES).index(row["case"]), row["users"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", default="100,1000,5000,10000")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--loads", default="2000,closed")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--log", type=int, default=2_000_000)
    parser.add_argument("--jmeter")
    args = parser.parse_args()
    lost = 0
    with scratch() as folder:
        for load in args.loads.split(","):
            for case in args.cases.split(","):
                for users in [int(users) for users in args.users.split(",")]:
                    tools = ["Swell"] + (["JMeter 5.6.3"] if args.jmeter and users <= 1000 else [])
                    for row in [one(args, tool, case, load, users, folder) for tool in tools]:
                        lost += row is None
                        if row:
                            report(kept("captured.json", [row], key))
    print(f"{lost} runs lost packets and were discarded" if lost else "no run lost a packet")


HEAD = ["tool, case", "load", "users", "joined samples", "wire: mean / p99 ms", "reported minus wire: mean / p99", "error per request: p50 / p99 / p99.9 / max",
        "error in user space: p50 / p99", "error of the site's record: p50 / p99", "verdict"]


def report(rows):
    text = table(HEAD, [cells(row) for row in rows])
    write("captured.md", f"# Reported times compared with packets, request by request\n\n{text}\nThe capture lost no packet in these runs. Times in milliseconds; "
          "errors are absolute. Where a connection was opened for a request, the time on the wire begins with the connection's first packet. "
          "JMeter's runs include its first seconds, while its JVM compiles.\n")
    curves = {}
    for row in rows:
        if row["load"] != "closed" and row["case"] == "keep-alive":
            curves.setdefault(row["tool"], []).append((row["users"], row["error_ms"]["p99"]))
            if row["tool"] == "Swell":
                curves.setdefault("Swell, in user space", []).append((row["users"], row["user_space_error_ms"]["p99"]))
    if curves:
        write("captured.svg", svg(curves, "Error of a request against packets, 99th percentile, 2,000 requests a second"))


main()
