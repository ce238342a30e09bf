#!/usr/bin/env python3
"""Compare each reported time with the true one, request by request, for known delays.

    bench/accuracy/joined.py --swell target/release/swell [--users 100,1000,5000,10000,18000] [--loads closed,growing] [--cases fixed,bimodal,...]
                             [--seconds 4] [--io epoll|uring] [--jmeter JMETER_HOME] [--peers wrk,ab,oha,k6]

Load `closed`: users without pauses. Load `growing`: each user pauses for a second, so the rate grows with the number of
users. The table shows mean and p99 of the joined requests: the true ones (from arrival at the site's kernel to the last
send), the reported ones, and the difference. `in user space` ends a sample after the read call, as other tools do.
Peers that cannot write ids (wrk, ab, oha, k6) are compared by their own mean and p99 with those of the site in the same
run, closed loop only. Rows of earlier runs are kept.
"""

import argparse
import re
import shutil
import subprocess
import sys

from plot import svg
from world import Site, id_of, kept, log_of, mean, ms, quantile, rows_of, run_jmeter, run_plan, scratch, table, write

CASES = {
    "fixed": {"path": "/delay/50ms?"},
    "bimodal": {"path": "/delay?dist=bimodal:5ms,200ms,0.9&"},
    "heavy tail": {"path": "/delay?dist=pareto:20ms,2.5&"},
    "new connections": {"path": "/delay/50ms?", "keepalive": "false"},
    "TLS": {"path": "/delay/50ms?", "protocol": "https"},
}
# With a pause, users start over a ramp longer than the pause, so they do not move in step.
LOADS = {"closed": {}, "growing": {"pause": 1000, "ramp": 2}}


def figures(values):
    values.sort()
    return [round(ms(mean(values)), 4), round(ms(quantile(values, 0.99)), 4)]


def joined(jtl, truth):
    """Return the true time, the tool's time and the user-space time of each request that both sides have, and the errors.
    If a connection was opened for a request, times begin when it was ready: the site's record does not include the connect."""
    true, told, user, errors = [], [], [], []
    for row in rows_of(jtl):
        found = truth.get(id_of(row["URL"]))
        if row["success"] != "true" or found is None:
            continue
        start = max(int(row["startNs"]), int(row["connectedNs"]))
        true.append(found[1])
        told.append(int(row["endNs"]) - start)
        user.append(int(row["readNs"]) - start)
        errors.append(abs(told[-1] - found[1]))
    return true, told, user, errors


def properties_of(args, case, load, users):
    properties = {"users": users, "seconds": args.seconds, "ramp": 0} | LOADS[load] | CASES[case]
    properties["seconds"] += properties["ramp"]
    return properties


def row_of(tool, case, load, users, true, told, **more):
    return {"tool": tool, "case": case, "load": load, "users": users, "requests": 0, "true": true, "told": told, "error": None, "user": None, "cpu_us": None,
            "verdict": "", "gates": ""} | more


def swell(args, case, load, users, folder):
    with Site(args.swell, "--log", str(args.log), "--tls-port", "0") as site:
        is_tls = CASES[case].get("protocol") == "https"
        ran = run_plan(args.swell, folder, site.tls_port() if is_tls else site.port, io=args.io, **properties_of(args, case, load, users))
        true, told, user, errors = joined(ran.jtl, log_of(site))
    count = len(true)
    if not count:
        sys.exit(f"{case}, {load}, {users} users: no sample could be joined with the site's record")
    true, told, user = figures(true), figures(told), figures(user)
    errors.sort()
    return row_of(f"Swell, {args.io}" if args.io else "Swell", case, load, users, true, told, requests=count, error=[round(ms(quantile(errors, part)), 4) for part in (0.5, 0.99)], user=user,
                  cpu_us=round(1e6 * ran.cpu_s / ran.summary["total"]["samples"], 1), verdict=ran.verdict, gates=ran.worst())


def jmeter(args, case, load, users, folder):
    with Site(args.swell, "--log", str(args.log)) as site:
        properties = properties_of(args, case, load, users)
        # JMeter is slow in its first seconds.
        properties |= {"ramp": 2, "seconds": properties["seconds"] + 4}
        path = run_jmeter(args.jmeter, folder, site.port, **properties)
        truth = log_of(site)
    pairs = [(truth[id_of(row["URL"])][1], int(row["elapsed"]) * 1_000_000) for row in rows_of(path)
             if row["success"] == "true" and id_of(row["URL"]) in truth]
    errors = sorted(abs(told - true) for true, told in pairs)
    return row_of("JMeter 5.6.3", case, load, users, figures([true for true, _ in pairs]), figures([told for _, told in pairs]), requests=len(pairs),
                  error=[round(ms(quantile(errors, part)), 4) for part in (0.5, 0.99)])


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)\s*(us|µs|ms|s|sec)", text.strip()).groups()
    return float(number) * {"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3, "sec": 1e3}[unit]


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
    text = subprocess.run(["k6", "run", "-q", "--no-usage-report", "-"], input=script, stdout=subprocess.PIPE, text=True, check=True).stdout
    told = re.search(r"http_req_duration[.:\s]+avg=(\S+)\s+p\(99\)=(\S+)", text).groups()
    return tuple(milliseconds(figure) for figure in told)


PEERS = {"wrk": wrk, "ab": ab, "oha": oha, "k6": k6}


def peer(name, args, users):
    with Site(args.swell) as site:
        told = PEERS[name](args, users, site)
        route = next(route for route in site.stats()["routes"] if route["route"] == "/delay")
    truth = route["residence"]
    true = [round(truth["mean_ns"] / 1e6, 4), round(truth["p99_ns"] / 1e6, 4)]
    return row_of(name, "fixed", "closed", users, true, [round(figure, 4) for figure in told], requests=truth["count"])


def key(row):
    tools = ["Swell", "Swell, epoll", "Swell, uring", *PEERS, "JMeter 5.6.3"]
    return list(LOADS).index(row["load"]), row["users"], tools.index(row["tool"]), list(CASES).index(row["case"])


def cells(row):
    (true_mean, true_p99), (told_mean, told_p99) = row["true"], row["told"]
    error, user = row["error"], row["user"]
    return [f"{row['tool']}, {row['case']}", row["users"], row["requests"], f"{true_mean:.3f} / {true_p99:.2f}", f"{told_mean:.3f} / {told_p99:.2f}",
            f"{told_mean - true_mean:+.3f} / {told_p99 - true_p99:+.3f}", f"{error[0]:.3f} / {error[1]:.3f}" if error else "",
            f"{user[0] - true_mean:+.3f} / {user[1] - true_p99:+.2f}" if user else "", row["cpu_us"] or "", row["verdict"]]


HEAD = ["tool, case", "users", "requests", "true mean / p99 ms", "reported mean / p99", "difference", "error per request, p50 / p99", "difference in user space",
        "CPU per request, µs", "verdict"]


def report(rows):
    parts = [("closed", "Closed loop without pauses"), ("growing", "Rate that grows with the users: each pauses for a second")]
    sections = [f"## {title}\n\n{table(HEAD, [cells(row) for row in rows if row['load'] == load])}" for load, title in parts if any(row["load"] == load for row in rows)]
    write("joined.md", "# Reported times compared with true times, request by request\n\n" + "\n".join(sections) +
          "\nIf a connection was opened for a request, its times begin when the connection was ready: the site does not see the connect. `captured.md` includes it.\n")
    curves = {}
    for row in rows:
        if row["load"] == "closed" and row["case"] == "fixed":
            curves.setdefault(row["tool"], []).append((row["users"], row["told"][0] - row["true"][0]))
            if row["user"]:
                curves.setdefault("Swell, in user space", []).append((row["users"], row["user"][0] - row["true"][0]))
    write("joined.svg", svg(curves, "Reported mean minus true mean (absolute), closed loop against 50 ms, two cores"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", default="100,1000,5000,10000,18000")
    parser.add_argument("--loads", default=",".join(LOADS))
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--log", type=int, default=2_000_000)
    parser.add_argument("--io", choices=["epoll", "uring"], help="kernel interface that Swell uses; its rows are kept next to the default's")
    parser.add_argument("--jmeter")
    parser.add_argument("--jmeter-users", type=int, default=1000, help="largest number of users to run with JMeter")
    parser.add_argument("--peers", default=",".join(PEERS))
    args = parser.parse_args()

    def add(row):
        print(row, flush=True)
        report(kept("joined.json", [row], key))

    names = [name for name in args.peers.split(",") if shutil.which(name)]
    with scratch() as folder:
        for load in args.loads.split(","):
            for users in [int(users) for users in args.users.split(",")]:
                for case in filter(None, args.cases.split(",")):
                    add(swell(args, case, load, users, folder))
                for name in names if load == "closed" else []:
                    try:
                        add(peer(name, args, users))
                    except subprocess.CalledProcessError as failed:
                        print(f"{name} with {users} users failed: {failed}", file=sys.stderr)
                if args.jmeter and users <= args.jmeter_users:
                    add(jmeter(args, "fixed", load, users, folder))


main()
