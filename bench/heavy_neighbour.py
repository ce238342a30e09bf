#!/usr/bin/env python3
"""Check that users keep their schedule next to a user whose checks are heavy.

    bench/heavy_neighbour.py --swell target/release/swell [--seconds 10] [--users 20] [--limit-ms 1]

All users share one worker. The normal users send a request to `swell target` every 20 ms. One more user repeatedly gets
a body made to be expensive for its extractor. The p99 of the normal users' late starts must stay below the limit (exit
status 1 if not). The first row has no heavy user.

The bodies come from a separate server process that stands for another machine, so it must not disturb the worker: it
runs with niceness 10 and SCHED_BATCH. Otherwise it interrupts the worker for 1.3 ms at each request of the heavy user, and
the normal users wait for that (seen with perf). It sends in pieces, because the kernel does not preempt a thread during
a send call.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support import Site, show

NESTED = 500_000
PIECE = 32 * 1024
BODIES = {
    "regex": b"a" * 5_000_000,
    "json": b"[" + b'{"a":{"b":1}},' * 250_000 + b"{}]",
    "xpath": b"<a>" * NESTED + b"x" + b"</a>" * NESTED,
    "page": b"<html><body>" + b"".join(b'<p>text<img src="/i/%d.png"></p>' % i for i in range(150_000)) + b"</body></html>",
    "listener": b"<p>a & b</p>\r\n" * 350_000,
}


def prop(name, value):
    return f'<stringProp name="{name}">{value}</stringProp>'


def element(kind, name, properties, below=""):
    return f'<{kind} guiclass="G" testclass="{kind}" testname="{name}" enabled="true">{properties}</{kind}><hashTree>{below}</hashTree>'


EXTRACTORS = {
    "regex": ("(a), match -1, 5 MB", element("RegexExtractor", "check", prop("RegexExtractor.regex", "(a)") + prop("RegexExtractor.refname", "v")
                                             + prop("RegexExtractor.match_number", "-1") + prop("RegexExtractor.template", "$1$"))),
    "json": ("$..*, 500,000 objects", element("JSONPostProcessor", "check", prop("JSONPostProcessor.referenceNames", "v") + prop("JSONPostProcessor.jsonPathExprs", "$..*")
                                              + prop("JSONPostProcessor.defaultValues", "NO") + prop("JSONPostProcessor.match_numbers", "-1"))),
    "xpath": ("//a, 500,000 nested elements", element("XPathExtractor", "check", prop("XPathExtractor.xpathQuery", "//a") + prop("XPathExtractor.refname", "v")
                                                      + prop("XPathExtractor.matchNumber", "-1"))),
    "page": ("resources of a page, 150,000 images, all excluded, 5 MB", ""),
    "listener": ("XML listener with response data, 5 MB", element("ResultCollector", "write", prop("filename", "/dev/null") + (
        '<objProp><name>saveConfig</name><value class="SampleSaveConfiguration"><xml>true</xml><responseData>true</responseData></value></objProp>'))),
}
EMBEDDED = '<boolProp name="HTTPSampler.image_parser">true</boolProp>' + prop("HTTPSampler.embedded_url_re", "none of them")


class Bodies(BaseHTTPRequestHandler):
    """Serve each body under its name."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = BODIES[self.path.strip("/")]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for start in range(0, len(body), PIECE):
            self.wfile.write(body[start:start + PIECE])

    def log_message(self, *_):
        pass


def serve(port):
    """Report a free port, then serve bodies until the process is ended. Runs in a separate process."""
    os.nice(10)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bodies)
    port.send(server.server_port)
    server.serve_forever()


def http(name, port, path, below="", more=""):
    return element("HTTPSamplerProxy", name, prop("HTTPSampler.domain", "127.0.0.1") + prop("HTTPSampler.port", port) + prop("HTTPSampler.path", path)
                   + prop("HTTPSampler.method", "GET") + '<boolProp name="HTTPSampler.use_keepalive">true</boolProp>' + more, below)


def group(name, users, seconds, below):
    loop = ('<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><boolProp name="LoopController.continue_forever">false</boolProp>'
            '<intProp name="LoopController.loops">-1</intProp></elementProp>')
    schedule = f'<boolProp name="ThreadGroup.scheduler">true</boolProp>{prop("ThreadGroup.duration", seconds)}'
    return element("ThreadGroup", name, prop("ThreadGroup.num_threads", users) + prop("ThreadGroup.ramp_time", 1) + schedule + loop, below)


def plan(args, light_port, heavy_port, attack):
    pause = element("ConstantTimer", "pause", prop("ConstantTimer.delay", 20))
    groups = group("Light", args.users, args.seconds, pause + http("light", light_port, "/bytes/100"))
    if attack:
        groups += group("Heavy", 1, args.seconds, http("heavy", heavy_port, f"/{attack}", EXTRACTORS[attack][1], EMBEDDED if attack == "page" else ""))
    root = element("TestPlan", "Heavy neighbour", "", groups)
    return f'<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>{root}</hashTree></jmeterTestPlan>'


def measure(args, light_port, heavy_port, attack):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.jmx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(plan(args, light_port, heavy_port, attack))
        # A long check may block the worker; that is what this measures, so the run may exceed its schedule.
        ran = subprocess.run([args.swell, "run", path, "--json", "-w", "1", "-j", os.path.join(folder, "log")], capture_output=True, text=True, timeout=args.seconds + 300)
    rows = {row["label"]: row for row in json.loads(ran.stdout)["labels"]}
    heavy = rows.get("heavy", {}).get("samples", 0)
    light = rows["light"]["start_delay"]
    return {"attack": EXTRACTORS[attack][0] if attack else "none", "heavy": heavy, "light": rows["light"]["samples"], "p50": light["p50_ms"], "p99": light["p99_ms"], "max": light["max_ms"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--limit-ms", type=float, default=1)
    args = parser.parse_args()
    port, told = multiprocessing.Pipe(duplex=False)
    multiprocessing.Process(target=serve, args=(told,), daemon=True).start()
    bodies_port = port.recv()
    with Site(args.swell) as site:
        rows = [measure(args, site.port, bodies_port, attack) for attack in [None, *BODIES]]
    lines = ["# Users next to one with heavy checks", "", f"`bench/heavy_neighbour.py --swell SWELL --seconds {args.seconds} --users {args.users}`, one worker, {os.cpu_count()} processors.", "",
             "| check of the heavy user | its samples | samples of normal users | late starts: p50 ms | p99 ms | max ms |", "|---|---|---|---|---|---|"]
    lines += [f"| {row['attack']} | {row['heavy']} | {row['light']} | {row['p50']} | {row['p99']} | {row['max']} |" for row in rows]
    text = "\n".join(lines) + "\n"
    show("heavy_neighbour.md", text)
    return 1 if any(row["p99"] is None or row["p99"] >= args.limit_ms for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
