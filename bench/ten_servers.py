#!/usr/bin/env python3
"""Count failed requests of `swell hit`, hey and k6 against servers that close connections, redirect, stay silent or are slow.

Each server is a few lines of this file on a free loopback port, and counts the requests that it answered. A request that
a tool repeats is counted twice there.

    bench/ten_servers.py --swell target/release/swell [--swell ANOTHER …] [--hey hey] [--k6 k6] [--only NAME,…]

hey: go install github.com/rakyll/hey@latest; k6: go install go.k6.io/k6@latest. Tools that are not installed are left
out. Prints a Markdown table.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

OPEN, CLOSED = "open", "closed"


class Case:
    """A server and its load. `idle_s`: idle connections are closed after this; `most`: requests per connection; `delay_s`: delay before a response."""

    def __init__(self, name, load=CLOSED, idle_s=None, most=None, delay_s=0.0, path="/", method="GET", silent=False):
        self.name, self.load, self.idle_s, self.most, self.delay_s = name, load, idle_s, most, delay_s
        self.path, self.method, self.silent = path, method, silent
        self.answered = 0


CASES = [
    *[Case(f"closes after {s} s idle", OPEN, idle_s=s) for s in (0.5, 1, 2, 5)],
    Case("closes after 1 s idle (POST)", OPEN, idle_s=1, method="POST"),
    *[Case(f"closes after {n} requests", most=n) for n in (1, 10, 100)],
    Case("redirects with 307 (POST)", path="/r", method="POST"),
    Case("is silent", silent=True),
    Case("answers after 300 ms", delay_s=0.3),
]

# Open load: 10 requests a second by 25 users for 12 s. Closed load: 10 users with 1000 requests, or 20 with a timeout of
# 2 s for the silent server.
RATE, USERS, SECONDS, CLOSED_USERS, REQUESTS, SILENT_REQUESTS, TIMEOUT_S = 10, 25, 12, 10, 1000, 20, 2


async def serve(case, reader, writer):
    try:
        served = 0
        while True:
            head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), case.idle_s)).decode("latin1")
            length = re.search(r"^content-length: *(\d+)", head, re.I | re.M)
            await reader.readexactly(int(length[1]) if length else 0)
            if case.silent:
                await asyncio.sleep(3600)
            if case.delay_s:
                await asyncio.sleep(case.delay_s)
            if head.split(" ")[1] == "/r":
                writer.write(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
            else:
                case.answered += 1
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await writer.drain()
            served += 1
            # Close without notice: `Connection: close` would tell the client.
            if case.most and served >= case.most:
                break
    except (asyncio.TimeoutError, asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


class Server:
    """The server of a case on a separate thread, for the duration of a `with` block."""

    def __init__(self, case):
        self.case, self.loop, self.ready = case, asyncio.new_event_loop(), threading.Event()

    def run(self):
        asyncio.set_event_loop(self.loop)

        async def start():
            server = await asyncio.start_server(lambda r, w: serve(self.case, r, w), "127.0.0.1", 0, backlog=1024)
            self.port = server.sockets[0].getsockname()[1]
            self.ready.set()

        self.loop.run_until_complete(start())
        self.loop.run_forever()
        # Cancel tasks that still serve, so that none outlives the loop.
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    def __enter__(self):
        self.case.answered = 0
        threading.Thread(target=self.run, daemon=True).start()
        self.ready.wait()
        return f"http://127.0.0.1:{self.port}{self.case.path}"

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)


def requests_of(case):
    return SILENT_REQUESTS if case.silent else 200 if case.delay_s else REQUESTS


def hit(program, case, url, _folder):
    words = [program, "hit", url, "--json"]
    words += ["-r", str(RATE), "-c", str(USERS), "-d", f"{SECONDS}s"] if case.load == OPEN else ["-c", str(CLOSED_USERS), "-n", str(requests_of(case))]
    words += ["-X", "POST", "-b", "p=v"] if case.method == "POST" else []
    words += ["-L"] if case.path == "/r" else []
    words += ["--timeout", f"{TIMEOUT_S}s"] if case.silent else []
    total = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)["total"]
    return total["samples"], total["errors"]


def hey(program, case, url, _folder):
    words = [program, "-t", str(TIMEOUT_S if case.silent else 20)]
    # hey takes the rate per worker.
    words += ["-q", str(RATE / USERS), "-c", str(USERS), "-z", f"{SECONDS}s"] if case.load == OPEN else ["-c", str(CLOSED_USERS), "-n", str(requests_of(case))]
    words += ["-m", "POST", "-d", "p=v"] if case.method == "POST" else []
    out = subprocess.run([*words, url], capture_output=True, text=True).stdout
    statuses = [(int(status), int(count)) for status, count in re.findall(r"\[(\d+)\]\t(\d+) responses", out)]
    failed = sum(int(count) for count in re.findall(r"^ *\[(\d+)\]\t(?!\d+ responses)", out, re.M))
    good = sum(count for status, count in statuses if status < 400)
    return sum(count for _, count in statuses) + failed, failed + sum(count for _, count in statuses) - good


K6 = """
import http from 'k6/http';
export const options = { scenarios: { s: %s } };
export default function () { http.request('%s', '%s', %s, { timeout: '%ds' }); }
"""


def k6(program, case, url, folder):
    scenario = {"executor": "constant-arrival-rate", "rate": RATE, "timeUnit": "1s", "duration": f"{SECONDS}s", "preAllocatedVUs": USERS}
    if case.load != OPEN:
        scenario = {"executor": "shared-iterations", "vus": CLOSED_USERS, "iterations": requests_of(case)}
    body = "'p=v'" if case.method == "POST" else "null"
    script, summary = f"{folder}/script.js", f"{folder}/k6.json"
    with open(script, "w", encoding="utf-8") as file:
        file.write(K6 % (json.dumps(scenario), case.method, url, body, TIMEOUT_S if case.silent else 60))
    subprocess.run([program, "run", "--quiet", "--no-usage-report", "--summary-export", summary, script], capture_output=True, text=True)
    with open(summary, encoding="utf-8") as file:
        metrics = json.load(file)["metrics"]
    return metrics["iterations"]["count"], metrics["http_req_failed"]["passes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", action="append", required=True)
    parser.add_argument("--hey", default="hey")
    parser.add_argument("--k6", default="k6")
    parser.add_argument("--only", default="", help="comma-separated names of cases")
    args = parser.parse_args()
    tools = [(f"`{os.path.basename(path)} hit`", hit, path) for path in args.swell]
    tools += [(name, run, shutil.which(path)) for name, run, path in (("hey", hey, args.hey), ("k6", k6, args.k6)) if shutil.which(path)]
    wanted = [name for name in args.only.split(",") if name]
    print(f"| server | {' | '.join(name for name, _, _ in tools)} |")
    print("|---|" + "--:|" * len(tools))
    with tempfile.TemporaryDirectory(prefix="swell-bench-") as folder:
        for case in (case for case in CASES if not wanted or case.name in wanted):
            cells = []
            for _, run, program in tools:
                with Server(case) as url:
                    samples, errors = run(program, case, url, folder)
                    cells.append(f"{errors} of {samples} ({case.answered})")
            print(f"| {case.name} | {' | '.join(cells)} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
