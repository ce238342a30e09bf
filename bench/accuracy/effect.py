#!/usr/bin/env python3
"""Check that the verdict flags the runs whose figures are wrong, and only those.

    bench/accuracy/effect.py --swell target/release/swell [--kind clean|spoiled] [--runs 30] [--seconds 3] [--seed 1]

Each run draws a random load: a closed loop or a rate, against a fixed delay or a pool of workers. Closed-loop users
start together or over a ramp, with or without pauses. Spoiled runs also draw a disturbance of the tool: neighbours that
compute, a single processor for all, pauses of the process, or a low priority.

The reference is a model of the load without the tool, fed with the site's own record of the same run. Each user sends
right after its response and pause, or at its slot. The site responds after the delay, or when a worker of its pool is
free (first come, first served), plus the extra delay that it had for that request. So the reference includes the site's
own lateness, which neighbours also cause, but not the tool's. The first request of each user is left out of both,
because it opens a connection, which the record does not include.

A figure (rate, or mean, p50, p90, p95 or p99 of service or response times) is wrong if it differs from the reference by
more than 1 % and 0.2 ms. The rate of users is judged by the mean time between requests, by the site's stamps, against
the mean response time plus the pause. Runs of other seeds and kinds are kept.
"""

import argparse
import heapq
import json
import math
import os
import random
import signal
import subprocess
import threading
import time
import urllib.parse

from world import Site, id_of, kept, mean, ms, quantile, rows_of, run_plan, scratch, site_rows, table, write

QUANTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p95_ms": 0.95, "p99_ms": 0.99}
LEAST = {"p50_ms": 4, "p90_ms": 35, "p95_ms": 73, "p99_ms": 381}
# Time on loopback for the wire, the sockets and their timestamps, which the site's record does not include.
WIRE_MS = 0.06
PART, LEAST_MS = 0.01, 0.2
# Number of simulated outcomes for a closed loop on a pool, where small differences in order change the figures: a few
# for all runs, and more where a figure is outside of these.
TRUTHS, MORE_TRUTHS = 8, 200
SECOND = 1_000_000_000


def draw_load(draw):
    """Draw a load that an undisturbed tool makes easily."""
    if draw.random() < 0.3:
        rate = draw.choice([100, 300, 1000, 2000])
        service = draw.choice([2, 5, 20, 100])
        pool = draw.choice([0, round(rate * service / 1000 * draw.choice([1.1, 1.3, 2])) + 1])
        return {"loop": "open", "rate": rate, "service": service, "pool": pool}
    users = draw.choice([10, 50, 200, 500])
    service = draw.choice([10, 50, 200])
    pool = draw.choice([0, max(1, users * 2 // 5)])
    pause = draw.choice([0, 0, 100, 500])
    # At most about 3,000 requests a second.
    while users / (service + pause) > 3:
        pause += 100
    return {"loop": "closed", "users": users, "service": service, "pool": pool, "pause": pause, "ramp": draw.choice([0, 0, 1])}


def draw_hindrance(draw, kind):
    if kind == "clean":
        return {"hindrance": "none"}
    return draw.choice([
        {"hindrance": "neighbours", "count": draw.choice([1, 2, 4, 8])},
        {"hindrance": "low priority", "count": draw.choice([1, 2, 4])},
        {"hindrance": "one processor", "count": draw.choice([0, 1, 2])},
        {"hindrance": "pauses", "each_ms": draw.choice([50, 100, 300, 1000]), "for_ms": draw.choice([2, 5, 10, 30])},
    ])


class Hindrance:
    """Neighbours and pauses for the duration of a `with` block."""

    def __init__(self, what):
        self.what, self.over = what, threading.Event()

    def __enter__(self):
        inside = ["taskset", "-c", "0"] if self.what["hindrance"] == "one processor" else []
        self.busy = [subprocess.Popen([*inside, "sh", "-c", "while :; do :; done"]) for _ in range(self.what.get("count", 0))]
        if self.what["hindrance"] == "pauses":
            self.thread = threading.Thread(target=self.pause)
            self.thread.start()
        return self

    def wrapper(self, folder, swell):
        """Return a program to start instead of Swell; it writes its process id to a file."""
        how = {"low priority": "nice -n 10 ", "one processor": "taskset -c 0 ", "none": "nice -n -10 "}.get(self.what["hindrance"], "")
        path, self.pid_file = os.path.join(folder, "hindered"), os.path.join(folder, "pid")
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\necho $$ >"{self.pid_file}"\nexec {how}"{swell}" "$@"\n')
        os.chmod(path, 0o755)
        return path

    def pause(self):
        while not self.over.wait(self.what["each_ms"] / 1000):
            try:
                with open(self.pid_file) as file:
                    pid = int(file.read())
                os.kill(pid, signal.SIGSTOP)
                time.sleep(self.what["for_ms"] / 1000)
                os.kill(pid, signal.SIGCONT)
            except (AttributeError, OSError, ValueError):
                pass  # The process has not started, or has ended.

    def __exit__(self, *_):
        self.over.set()
        if self.what["hindrance"] == "pauses":
            self.thread.join()
        for process in self.busy:
            process.kill()
            process.wait()


class Pool:
    """Workers that serve first come, first served; with no workers, a fixed delay."""

    def __init__(self, workers, service_ns):
        self.free, self.service_ns = [0] * workers, service_ns

    def answer(self, at_ns):
        if not self.free:
            return at_ns + self.service_ns
        end_ns = max(at_ns, self.free[0]) + self.service_ns
        heapq.heapreplace(self.free, end_ns)
        return end_ns


def own_delays(row):
    """Return the site's time beyond the requested delay, without and with the send: the tool's kernel has the response between the two."""
    least = int(row["residence_ns"]) - int(row["asked_ns"])
    return least, least + int(row["send_ns"])


def first_sent(rows):
    """Return when each user sent its first request, by user number; if unknown, when its connection was ready."""
    return {user: int(row["sentNs"]) or int(row["connectedNs"]) for row in rows for user, number in [id_of(row["URL"]).split(".")] if number == "1"}


def closed_truth(logged, load, end_ns, seed, sent):
    """Return arrivals and times of the same users without the tool, with the site's own delays. These include the delay
    of a first request that waited for its connection to be accepted.

    A seed other than 0 gives another possible outcome: users begin within 50 µs of their time, and the site's delays
    come in another order. On a pool, such small differences decide the order of the users for the whole run.
    """
    users = {}
    for row in logged:
        user, number = urllib.parse.unquote(row["id"]).split(".")
        users.setdefault(user, []).append((int(number), int(row["arrival_ns"]), own_delays(row)))
    own = [delays for requests in users.values() for _, _, delays in requests]
    draw, pool = random.Random(seed), Pool(load["pool"], load["service"] * 1_000_000)
    planned = {user: load["ramp"] * SECOND * (int(user) - 1) // load["users"] for user in users}
    begun = min(sent[user] - planned[user] for user in users)
    due = []
    for place, (user, requests) in enumerate(users.items()):
        requests.sort()
        # The plan decides when a user starts.
        start = begun + planned[user] + max(0, requests[0][1] - sent[user])
        delays = [delay for _, _, delay in requests]
        if seed:
            start += draw.randrange(50_000)
            draw.shuffle(delays)
        due.append((start, place, 0, delays))
    heapq.heapify(due)
    times = []
    while due:
        at, place, number, delays = heapq.heappop(due)
        if at >= end_ns:
            continue
        least, most = delays[number] if number < len(delays) else draw.choice(own)
        answered = pool.answer(at)
        done = answered + (least + most) // 2
        times.append((answered + least - at, answered + most - at, number, at))
        heapq.heappush(due, (done + load["pause"] * 1_000_000, place, number + 1, delays))
    return times


def cycles(logged):
    """Yield the time from each request of a user to the next, by the site's stamps, and the response time. Anything beyond
    the response time and the pause is the tool's delay."""
    users = {}
    for row in logged:
        user, number = urllib.parse.unquote(row["id"]).split(".")
        answer_ns = int(row["residence_ns"]) + int(row["send_ns"]) // 2
        users.setdefault(user, []).append((int(number), int(row["arrival_ns"]), answer_ns))
    for requests in users.values():
        requests.sort()
        yield from ((after[1] - before[1], before[2]) for before, after in zip(requests, requests[1:]))


def open_truth(logged, load):
    """Return the slots of an even schedule, aligned with the least late arrival."""
    rows = sorted((int(row["arrival_ns"]), own_delays(row)) for row in logged)
    gap = SECOND / load["rate"]
    begun = min(at - place * gap for place, (at, _) in enumerate(rows))
    pool, times = Pool(load["pool"], load["service"] * 1_000_000), []
    for place, (_, (least, most)) in enumerate(rows):
        at = int(begun + place * gap)
        answered = pool.answer(at)
        times.append((answered + least - at, answered + most - at, 1, at))
    return times


def lengths_of(times):
    """Return the shortest and the longest possible times of all requests but the first of each user."""
    return [[both[side] for both in times if both[2] > 0] for side in (0, 1)]


def wrong_in_all(told, truths, what):
    """Return figures that differ from every reference, with the difference from the first."""
    wrong = [wrong_figures(told, *lengths, what) for lengths in truths]
    return {name: value for name, value in wrong[0].items() if all(name in other for other in wrong)}


def wrong_figures(told, shortest, longest, what):
    """Return figures outside the known range of the times, with the difference."""
    ordered, above = sorted(shortest), sorted(longest)
    true = {"mean_ms": ms(mean(ordered))} | {name: ms(quantile(ordered, part)) for name, part in QUANTILES.items() if len(ordered) >= LEAST[name]}
    wrong = {}
    for name, value in true.items():
        by = told[name] - value
        allowed = max(PART * value, LEAST_MS)
        # Where the distribution jumps, the quantile can be at either side: chance decides which sample it is.
        near = [value, ms(mean(above))]
        if name in QUANTILES:
            part = QUANTILES[name]
            side = max(0.004, 0.5 * math.sqrt(part * (1 - part) / len(ordered)))
            near = [ms(quantile(of, min(1, max(1e-9, at)))) for of, at in ((ordered, part - side), (above, part + side))]
        if near[0] - allowed - WIRE_MS <= told[name] <= near[1] + allowed + WIRE_MS:
            continue
        wrong[f"{what} {name[:-3]}"] = [round(told[name], 3), round(value, 3), round(by, 3)]
    return wrong


def without_first(ran):
    """Return the figures of samples that opened no connection, in the form of a summary."""
    took = sorted(int(row["endNs"]) - int(row["startNs"]) for row in rows_of(ran.jtl) if row["connectedNs"] == "0")
    return {"mean_ms": ms(mean(took))} | {name: ms(quantile(took, part)) for name, part in QUANTILES.items()}


def summary_of(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout)


def one(args, kind, number, folder):
    draw = random.Random(f"{kind} {args.seed} {number}")
    load, hindrance = draw_load(draw), draw_hindrance(draw, kind)
    route = f"pool?workers={load['pool']}&service={load['service']}ms" if load["pool"] else f"delay/{load['service']}ms?"
    inside = ["nice", "-n", "-10"]
    with Site(args.swell, "--log", "1000000", inside=inside) as site, Hindrance(hindrance) as hinders:
        swell = hinders.wrapper(folder, args.swell)
        if load["loop"] == "open":
            # Enough users, even if some wait for the site's own delays.
            users = max(50, load["rate"] * load["service"] // 250)
            url = site.url + route + ("&" if load["pool"] else "") + "id=x"
            summary = summary_of([swell, "hit", url, "-c", str(users), "-r", str(load["rate"]), "-d", f"{args.seconds}s", "--json"])
            logged = list(site_rows(site))
            truths = [open_truth(logged, load)]
        else:
            path = "/" + route + ("&" if load["pool"] else "")
            ran = run_plan(swell, folder, site.port, users=load["users"], pause=load["pause"], ramp=load["ramp"],
                           seconds=args.seconds + load["ramp"], path=path)
            summary = ran.summary
            logged = list(site_rows(site))
            end_ns = min(int(row["arrival_ns"]) for row in logged) + (args.seconds + load["ramp"]) * SECOND
            sent = first_sent(rows_of(ran.jtl))
            outcome = lambda seed: closed_truth(logged, load, end_ns, seed, sent)
            truths = [outcome(seed) for seed in range(TRUTHS)]
    total = summary["total"]
    told = total if load["loop"] == "open" else without_first(ran)
    lengths = [lengths_of(times) for times in truths]
    wrong = wrong_in_all(told, lengths, "service")
    if wrong and load["loop"] == "closed" and load["pool"]:
        wrong = wrong_in_all(told, lengths + [lengths_of(outcome(seed)) for seed in range(TRUTHS, MORE_TRUTHS)], "service")
    first = set() if load["loop"] == "open" else {row["id"] for row in logged if urllib.parse.unquote(row["id"]).endswith(".1")}
    record = [int(row["residence_ns"]) for row in logged if row["id"] not in first]
    with_send = [int(row["residence_ns"]) + int(row["send_ns"]) for row in logged if row["id"] not in first]
    recorded = wrong_figures(told, record, with_send, "record")
    if load["loop"] == "open":
        if total.get("response"):
            wrong |= wrong_in_all(total["response"], lengths, "response")
    else:
        # In a short run, the count depends on whether the last requests of users in step are included, so the rate is
        # derived from cycles. A cycle is compared with the response that began it. A user's last response has no
        # cycle, and it differs from the others while a pool fills or drains.
        both = list(cycles(logged))
        ended = mean([ms(cycle) for cycle, _ in both])
        meant = mean([ms(answer) for _, answer in both]) + load["pause"]
        if ended - meant > max(PART * meant, LEAST_MS + WIRE_MS):
            wrong["rate"] = [round(ended, 3), round(meant, 3), round(meant / ended - 1, 4)]
    gates = {gate["criterion"]: [round(gate["value"], 4), gate["level"]] for gate in summary["verdict"]["gates"]}
    late = [total["start_delay"]["p99_ms"], total["start_delay"]["max_ms"]]
    result = {"kind": kind, "seed": args.seed, "number": number} | load | hindrance | {
        "samples": total["samples"], "verdict": summary["verdict"]["level"], "wrong": wrong, "off_record": recorded, "late": [round(figure, 2) for figure in late], "gates": gates}
    reasons = [gate["reason"] for gate in summary["verdict"]["gates"] if gate["reason"]]
    print({**load, **hindrance}, summary["verdict"]["level"], "late", result["late"], "wrong", wrong, "record", recorded, reasons, flush=True)
    return result


def section(kind, rows):
    flagged = lambda row: row["verdict"] != "VALID"
    counts = []
    for name, of in [("figures right", [row for row in rows if not row["wrong"] and not row["off_record"]]),
                     ("a figure wrong", [row for row in rows if row["wrong"] or row["off_record"]])]:
        counts.append([name, sum(not flagged(row) for row in of), sum(row["verdict"] == "DEGRADED" for row in of), sum(row["verdict"] == "INVALID" for row in of)])
    text = f"## {len(rows)} {kind} runs\n\n" + table(["", "VALID", "DEGRADED", "INVALID"], counts) + "\n"
    late = [row for row in rows if not flagged(row) and row["late"][0] > 1]
    text += f"{len(late)} of the VALID runs had a p99 of late starts of more than 1 ms, which was the earlier limit.\n\n"
    for row in rows:
        shown = {name: value for name, value in row.items() if name not in ("kind", "seed", "number", "gates", "wrong", "off_record", "samples")}
        if (row["wrong"] or row["off_record"]) and not flagged(row):
            text += f"- Missed: {shown}: {row['wrong']} {row['off_record']}\n"
        elif flagged(row) and not row["wrong"] and not row["off_record"] and kind == "clean":
            gates = ", ".join(f"{name} {value:g}" for name, (value, level) in row["gates"].items() if level != "VALID")
            text += f"- False alarm: {shown}: {gates}\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--kind", choices=["clean", "spoiled"], default="clean")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with scratch() as folder:
        found = [one(args, args.kind, number, folder) for number in range(args.first, args.first + args.runs)]
    rows = kept("effect.json", found, lambda row: (row["kind"], row["seed"], row["number"]))
    of = {kind: [row for row in rows if row["kind"] == kind] for kind in ["clean", "spoiled"]}
    text = "\n".join(section(kind, rows) for kind, rows in of.items() if rows)
    print(text)
    write("effect.md", f"# Runs with wrong figures, and flagged runs\n\n{text}")


main()
