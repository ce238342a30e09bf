#!/usr/bin/env python3
"""Check that a search finds known limits and names their causes.

    bench/search.py --swell target/release/swell [--tomcat FOLDER] [--rows pool10 pool25 pool60 users none admit lost queue backlog dies hog seed]

Each row starts a server with a known limit as a separate process on loopback, searches for the limit with `swell search`,
which does not know it, and compares. Rows, with the wanted result:
- pool10, pool25, pool60: a pool of that size, 20 ms of service: rate within 3 % of size / 20 ms, "pool of about" that
  size within 8 %;
- tomcat10, tomcat25, tomcat60: the same with a real Tomcat, within 5 %. FOLDER is where `examples/tomcat/run.sh` builds
  it (/tmp/swell-example-tomcat); left out if it does not exist;
- users: a pool of 25, varied by users, mean below 30 ms: 37.5 users (R = N S / P) within 10 %;
- none: a site without delay on the same processors: the cause is this machine, never the server;
- admit: status 503 beyond 500 requests a second: rate within 3 %, "admission control";
- lost: each 200th request fails and 0.3 % may: no load holds;
- queue: an M/M/1 queue of 2 ms, mean below 10 ms: 400 a second (R = S / (1 - rate S)) within 10 %;
- backlog: a server that accepts slowly, with a backlog of 10: "accept queue";
- descriptors: a server limited to 64 file descriptors that keeps connections open: its descriptor limit;
- hangs: a server that hangs for good above 40 concurrent requests: reported as hanging, and restarted;
- dies: a server that is killed during a trial: restarted, and the search continues to the right limit;
- hog: one busy process per processor for 10 s during the search: the limit is still within 5 %;
- seed: two searches with the same seed and short trials: the same loads until the first outcome that differs. The rate
  that an overloaded server reached is part of the outcome, since it guides the search.
Takes about 20 minutes on an otherwise idle machine. Prints a Markdown table and writes it to bench/results/search.md.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from support import Site, keep

TRIAL = ["--trial", "4s", "--warm-up", "1s", "--budget", "4min"]
SHORT = ["--trial", "2s", "--warm-up", "0.5s", "--budget", "75s"]


def search(args, url, *options, trial=TRIAL, meanwhile=None):
    """Run a search; return `search.json`. `meanwhile` is called with each line of standard error."""
    command = [args.swell, "search", url, "--json", "--seed", "7", *trial, *options]
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
        said = []
        for line in process.stderr:
            said.append(line)
            if meanwhile:
                meanwhile(line)
        process.wait()
        out.seek(0)
        try:
            return json.load(out)
        except ValueError:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}: {''.join(said)}")


class Row:
    """What was wanted and what was found, as text; `ok` if every check passed."""

    def __init__(self, wanted):
        self.wanted, self.found, self.ok = wanted, [], True

    def check(self, holds, words):
        self.ok = self.ok and bool(holds)
        self.found.append(words)
        return self

    def limit(self, found, true, share, unit="/s"):
        """Check that the interval contains a value within `share` of the true one."""
        answer = found["answer"] or {}
        low, high = answer.get("holds"), answer.get("fails")
        ends = " to ".join("?" if end is None else f"{end:,.0f}{unit}" for end in (low, high))
        near = low is not None and high is not None and low <= true * (1 + share) and high >= true * (1 - share) and high <= low * 1.1
        return self.check(near, ends)

    def cause(self, found, wanted):
        limit = (found["answer"] or {}).get("limit") or {}
        return self.check(limit.get("cause") in wanted, limit.get("words", "no cause"))


def took(found):
    return f"{len(found['trials'])} trials in {found['took_s']:.0f} s"


def pool(args, size):
    per_s = size / 0.020
    row = Row(f"{per_s:,.0f}/s within 3 %, a pool of {size} within 8 %")
    with Site(args.swell) as site:
        found = search(args, f"{site.url}pool?workers={size}&service=20ms", "--rate", f"20..{per_s * 8:.0f}", "--slo", "p(99)<100ms")
    row.limit(found, per_s, 0.03).cause(found, {"pool"})
    seen = ((found["answer"] or {}).get("limit") or {}).get("pool")
    return row.check(seen and abs(seen / size - 1) <= 0.08, took(found))


def tomcat(args, size):
    per_s = size / 0.020
    row = Row(f"{per_s:,.0f}/s within 5 %, a pool of {size} within 8 %")
    built = os.path.join(args.tomcat, "target")
    if not os.path.exists(os.path.join(built, "tomcat-site-1.jar")):
        return row.check(True, f"left out: {built}/tomcat-site-1.jar not found; examples/tomcat/run.sh builds it")
    with tempfile.TemporaryDirectory() as base:
        server = f"exec java -Xms64m -Xmx256m -Xss256k -cp '{built}/tomcat-site-1.jar:{built}/lib/*' -DmaxThreads={size} -Ddelay=20 -Dbase={base} Site"
        found = search(args, "http://127.0.0.1:{port}/", "--rate", f"50..{per_s * 8:.0f}", "--slo", "p(99)<100ms", "--server", server,
                       "--ready", r"line:ready (\d+)")
    row.limit(found, per_s, 0.05).cause(found, {"pool"})
    seen = ((found["answer"] or {}).get("limit") or {}).get("pool")
    return row.check(seen and abs(seen / size - 1) <= 0.08 and found["took_s"] < 300, took(found))


def users(args):
    row = Row("37.5 users within 10 %")
    with Site(args.swell) as site:
        found = search(args, f"{site.url}pool?workers=25&service=20ms", "--users", "1..500", "--slo", "mean<30ms")
    return row.limit(found, 37.5, 0.10, " users").check(True, took(found))


def none(args):
    row = Row("this machine is the limit")
    with Site(args.swell) as site:
        found = search(args, site.url, "--rate", "1000..2000000", "--max-rate", "2000000", "--slo", "p(99)<100ms")
    return row.cause(found, {"generator", "resources"}).check(True, took(found))


def admit(args):
    row = Row("500/s within 3 %, admission control")
    with Site(args.swell) as site:
        found = search(args, f"{site.url}admit?rate=500", "--rate", "50..5000", "--slo", "errors<1%")
    return row.limit(found, 500, 0.03).cause(found, {"admission_control"}).check(True, took(found))


def lost(args):
    row = Row("not even the lowest load holds, because of errors that do not depend on the load")
    with Site(args.swell) as site:
        found = search(args, f"{site.url}fail?every=200", "--rate", "200..2000", "--slo", "errors<0.3%")
    answer = found["answer"] or {}
    row.check(answer.get("holds") is None, answer.get("words", "no answer"))
    return row.cause(found, {"errors"}).check(True, took(found))


def queue(args):
    row = Row("400/s within 10 %")
    with Site(args.swell) as site:
        found = search(args, f"{site.url}pool?workers=1&service=exp:2ms", "--rate", "50..2000", "--slo", "mean<10ms")
    return row.limit(found, 400, 0.10).check(True, took(found))


def serve_slowly(writer):
    """Accept a connection every 20 ms and answer one request on it; others wait in a backlog of 10."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=10)
    os.write(writer, f"http://127.0.0.1:{listener.getsockname()[1]}/".encode())
    while True:
        connection, _ = listener.accept()
        time.sleep(0.02)
        with contextlib.suppress(OSError), connection:
            if connection.recv(65536):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")


def backlog(args):
    row = Row("the server's accept queue")
    reader, writer = os.pipe()
    server = multiprocessing.get_context("fork").Process(target=serve_slowly, args=(writer,), daemon=True)
    server.start()
    url = os.read(reader, 100).decode()
    found = search(args, url, "--users", "1..500", "--slo", "p(95)<500ms")
    server.kill()
    return row.cause(found, {"accept_queue"}).check(True, took(found))


# A server with one thread per connection and 20 ms per request; `sys.argv[1]` selects its defect.
FAULTY = '''
import os, resource, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
inside, lock, stuck = 0, threading.Lock(), threading.Event()
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    def log_message(self, *_): pass
    def do_GET(self):
        global inside
        with lock:
            inside += 1
            if sys.argv[1] == "hangs" and inside > 40: stuck.set()
        time.sleep(0.02)
        while stuck.is_set(): time.sleep(1)
        with lock: inside -= 1
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
class Server(ThreadingHTTPServer):
    request_queue_size, daemon_threads = 1024, True
if sys.argv[1] == "descriptors": resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
server = Server(("127.0.0.1", 0), Handler)
print("ready", server.server_address[1], flush=True)
server.serve_forever()
'''


def faulty(args, fault, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(FAULTY)
        script.flush()
        return search(args, "http://127.0.0.1:{port}/", *options, "--server", f"exec {sys.executable} {script.name} {fault}", "--ready",
                      r"line:ready (\d+)", "--recovery", "10s")


def descriptors(args):
    row = Row("the descriptor limit of the server, below 64 users")
    found = faulty(args, "descriptors", "--users", "1..500", "--slo", "p(95)<500ms")
    holds = (found["answer"] or {}).get("holds")
    return row.check(holds and 48 <= holds < 64, f"{holds} users").cause(found, {"descriptor_limit"}).check(True, took(found))


def hangs(args):
    row = Row("the server hangs with more than 40 users")
    found = faulty(args, "hangs", "--users", "1..500", "--slo", "p(95)<500ms")
    return row.limit(found, 40, 0.05, " users").cause(found, {"hang"}).check(True, took(found))


def server_of(swell):
    """Return the site under test that the search started: the youngest process with that command."""
    found = subprocess.run(["pgrep", "-n", "-f", f"^{re.escape(swell)} target --port 0 --workers 1$"], capture_output=True, text=True, check=False)
    return int(found.stdout) if found.stdout.strip() else None


def dies(args):
    row = Row("500/s within 5 %, one server more")
    killed = []

    def kill_once(line):
        if not killed and re.match(r"3\. ", line):
            pid = server_of(args.swell)
            if pid:
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

    found = search(args, "http://127.0.0.1:{port}/pool?workers=10&service=20ms", "--rate", "50..4000", "--slo", "p(99)<100ms", "--server",
                   f"{args.swell} target --port 0 --workers 1", "--ready", r"line:listening at http://127.0.0.1:(\d+)", meanwhile=kill_once)
    row.check(killed, "killed after its third trial" if killed else "nothing was killed")
    return row.limit(found, 500, 0.05).check(True, "; ".join(found["notes"]) or "no notes").check(True, took(found))


def spin(until):
    while time.monotonic() < until:
        pass


def hog(args):
    row = Row("500/s within 5 % although others take the processors for 10 s")
    busy = []

    def begin(line):
        if not busy and re.match(r"4\. ", line):
            busy.extend(multiprocessing.get_context("fork").Process(target=spin, args=(time.monotonic() + 10,)) for _ in range(os.cpu_count()))
            for process in busy:
                process.start()

    with Site(args.swell) as site:
        found = search(args, f"{site.url}pool?workers=10&service=20ms", "--rate", "50..4000", "--slo", "p(99)<100ms", meanwhile=begin)
    for process in busy:
        process.join()
    void = sum(trial["outcome"] == "void" for trial in found["trials"])
    return row.check(busy, f"{void} void trials").limit(found, 500, 0.05).check(True, took(found))


def seed(args):
    row = Row("the same loads until outcomes, or the rates that an overload reached, differ")
    found = []
    with Site(args.swell) as site:
        for _ in range(2):
            answer = search(args, f"{site.url}pool?workers=10&service=20ms", "--rate", "50..4000", "--slo", "p(99)<100ms", trial=SHORT)
            found.append([(trial["load"], trial["outcome"], trial["outcome"] == "fail" and trial["level"]["per_s"]) for trial in answer["trials"]])
    same = 0
    for (load, *outcome), (load_too, *outcome_too) in zip(*found):
        if load != load_too:
            return row.check(False, f"trial {same + 1} is of {load:.1f} and of {load_too:.1f}/s after {same} that were the same")
        same += 1
        if outcome != outcome_too:
            break
    overloads = sum(one[1] == "fail" for one in found[0][:same])
    return row.check(same > 3, f"{same} loads are the same, {overloads} of them an overload; {len(found[0])} and {len(found[1])} trials")


ROWS = {"pool10": lambda args: pool(args, 10), "pool25": lambda args: pool(args, 25), "pool60": lambda args: pool(args, 60),
        "tomcat10": lambda args: tomcat(args, 10), "tomcat25": lambda args: tomcat(args, 25), "tomcat60": lambda args: tomcat(args, 60), "users": users,
        "none": none, "admit": admit, "lost": lost, "queue": queue, "backlog": backlog,
        "descriptors": descriptors, "hangs": hangs, "dies": dies, "hog": hog, "seed": seed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--tomcat", default="/tmp/swell-example-tomcat")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    args = parser.parse_args()
    args.swell = os.path.abspath(args.swell)
    lines = ["| server | wanted | found | holds |", "|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    failed = 0
    for name in args.rows:
        row = ROWS[name](args)
        failed += not row.ok
        lines.append(f"| {name} | {row.wanted} | {'; '.join(row.found)} | {'yes' if row.ok else 'NO'} |")
        print(lines[-1], flush=True)
    keep("search.md", "# Does a search find known limits?\n\n`bench/search.py`, everything on the same two processors\n\n" + "\n".join(lines) + "\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
