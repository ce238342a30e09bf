#!/usr/bin/env python3
"""Measure peak resident memory while many users read hostile bodies at the same time.

    bench/hostile_bodies.py --swell target/release/swell [--users 20 100] [--seconds 8]

Each user repeatedly requests the same kind of body, which an extractor reads. All users together have the budget of
`response.max_bytes_total`: 256 MiB plus 1 MiB per user. Exit status 1 if a peak exceeds the budget by more than 128 MiB
(the process itself, and freed memory that the allocator still holds) plus 1 MiB per user.
"""

import argparse
import gzip
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from heavy_neighbour import element, group, http, prop
from support import keep

MIB = 1 << 20
BOMB = gzip.compress(bytes(MIB), 9) * 600
PIECE = b"x" * MIB
HIGH = b"\xff" * MIB
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def answer(connection, path):
    """Send one body; return true if the connection can be used again."""
    if path == "bomb":
        connection.sendall(f"{HEAD}Content-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n".encode() + BOMB)
        return True
    if path == "json":
        body = b"[" + b'{"a":1},' * 600_000 + b"1]"
        connection.sendall(f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return True
    connection.sendall(f"{HEAD}Connection: close\r\n\r\n".encode())
    for _ in range(300):
        connection.sendall(HIGH if path == "high" else PIECE)
    return False


def serve(connection):
    try:
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            head, _, data = data.partition(b"\r\n\r\n")
            if not answer(connection, head.split()[1].decode().strip("/")):
                return
    except OSError:
        pass
    finally:
        connection.close()


def site(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


REGEX = element("RegexExtractor", "reader", prop("RegexExtractor.regex", "(y)") + prop("RegexExtractor.refname", "v") + prop("RegexExtractor.match_number", "1")
                + prop("RegexExtractor.template", "$1$"))
WHOLE = element("RegexExtractor", "reader", prop("RegexExtractor.regex", "(?s)(.*)") + prop("RegexExtractor.refname", "v") + prop("RegexExtractor.match_number", "1")
                + prop("RegexExtractor.template", "$1$"))
JSON = element("JSONPostProcessor", "reader", prop("JSONPostProcessor.referenceNames", "v") + prop("JSONPostProcessor.jsonPathExprs", "$..*")
               + prop("JSONPostProcessor.defaultValues", "NO") + prop("JSONPostProcessor.match_numbers", "-1"))
CASES = {
    "endless body, a regular expression": ("endless", REGEX),
    "endless body of bytes that are no UTF-8, a regular expression": ("high", REGEX),
    "gzip bomb, a regular expression": ("bomb", REGEX),
    "endless body, the whole of it in a variable": ("endless", WHOLE),
    "1,200,000 values of JSON, each in a variable": ("json", JSON),
}


def plan(port, users, path, reader):
    below = group("Readers", users, 3600, http("get", port, f"/{path}", reader))
    root = element("TestPlan", "Hostile bodies", "", below)
    return f'<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>{root}</hashTree></jmeterTestPlan>'


def measure(args, port, users, case):
    path, reader = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "plan.jmx")
        with open(file, "w", encoding="utf-8") as out:
            out.write(plan(port, users, path, reader))
        run = subprocess.Popen([args.swell, "run", file, "--grace", "1s", "-j", os.path.join(folder, "log")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(args.seconds)
        with open(f"/proc/{run.pid}/status", encoding="utf-8") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        run.send_signal(signal.SIGTERM)
        said = run.communicate(timeout=60)[0]
    cut = next((line.strip() for line in said.splitlines() if "bodies were cut" in line), "")
    return peak / 1024, cut


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--users", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--seconds", type=float, default=8)
    args = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = multiprocessing.Process(target=site, args=(listener,), daemon=True)
    server.start()
    lines = ["# Memory of users that read hostile bodies", "", f"`bench/hostile_bodies.py --swell SWELL --users {' '.join(map(str, args.users))} --seconds {args.seconds:g}`", "",
             "| body and its reader | users | budget MiB | peak resident MiB |", "|---|---|---|---|"]
    above = False
    for case in CASES:
        for users in args.users:
            budget = 256 + users
            peak, cut = measure(args, listener.getsockname()[1], users, case)
            print(f"{case}, {users} users: {peak:.0f} MiB; {cut}", flush=True)
            lines.append(f"| {case} | {users} | {budget} | {peak:.0f} |")
            above |= peak > budget + 128 + users
    server.terminate()
    keep("hostile_bodies.md", "\n".join(lines) + "\n")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
