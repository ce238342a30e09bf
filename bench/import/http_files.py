#!/usr/bin/env python3
"""Compares requests of imported .http files with those of httpyac, at a recording server on loopback.

    http_files.py FOLDER…      all .http and .rest files below the folders

Needs httpyac (`npm install httpyac`; HTTPYAC names its program) and Swell (SWELL). Hosts in the files become the server's
address, variables without a value become `v`, or the address where a URL begins with them. Scripts are taken out, since
httpyac would run them. No other host is called.

Public files that were used: those of rest-nvim/rest.nvim, servicex-sh/httpx, Azure-Samples/azure-search-rest-samples,
ardalis/CleanArchitecture, jasontaylordev/CleanArchitecture, fullstackhero/dotnet-starter-kit, 01Rian/product-api,
0GiS0/integration-tests-demos, 1995parham/koochooloo, 1995parham-teaching/fandogh, 1gnatov/proglog, 4msar/adonisjs-app.

On 27 November 2026, 245 of 275 requests of 47 files were equal, and 13 more but for a Content-Type that JMeter adds where the
file has none. The others: httpyac sends a cookie of the file twice (7), adds `operationName` to queries of GraphQL (4),
takes a query on further lines for a body (1), knows a file that is absent (2), and sends `//` at the beginning of a path
(2); one is an HTTP/2 preface.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

from recorder import Recorder, start

SWELL = os.environ.get("SWELL", "swell")
HTTPYAC = os.environ.get("HTTPYAC", "httpyac")
ENV = dict(os.environ, SWELL_RUNS="off")
# Headers that clients make for themselves.
CLIENT = {"host", "connection", "content-length", "keep-alive", "transfer-encoding"}
# What a client sends without being asked.
DEFAULTS = {"accept": {"*/*"}, "accept-encoding": {"gzip, deflate, br"}, "user-agent": {"httpyac"}}
ANSWER = b'{"token": "t", "id": "1", "name": "n"}'
LOG = []


class Answering(Recorder):
    """Answers each request with the same JSON."""

    def answer(self, request):
        LOG.append(request)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
        return head.encode() + (b"" if request.method == "HEAD" else ANSWER)


def local(text, address):
    """The file with the server's address instead of all others, and without scripts."""
    text = re.sub(r"\{%.*?%\}", "{% %}", text, flags=re.S)
    text = re.sub(r"^[<>] \{% %\}\s*$", "", text, flags=re.M)
    text = re.sub(r"^[<>] \S+\.(js|lua)\s*$", "", text, flags=re.M)
    text = re.sub(r"https?://[\w.\[\]-]+(:\d+)?", f"http://{address}", text)
    text = re.sub(r"https?://\{\{([^}$]+)\}\}(:\d+)?", f"http://{address}", text)
    text = re.sub(r"^(?i:(host):).*$", rf"\1: {address}", text, flags=re.M)
    # A variable that a URL begins with, whose value is only a place for one.
    for name in re.findall(r"^(?:[A-Z]+ +)?\{\{\s*([\w-]+)\s*\}\}", text, flags=re.M):
        text = re.sub(rf"^(\s*@{name}\s*=\s*)(?!http|\{{\{{).*$", rf"\1http://{address}", text, flags=re.M)
    return re.sub(r"^([A-Z]+) (?!http)([\w-]+\.[\w.-]+|localhost)(:\d+)?/", rf"\1 http://{address}/", text, flags=re.M)


def values(text, address):
    """Values of variables that the file does not set."""
    known = set(re.findall(r"^\s*@([\w.-]+)\s*=", text, flags=re.M))
    names = {name for name in re.findall(r"\{\{\s*([\w-]+)\s*\}\}", text) if name not in known}
    first = set(re.findall(r"^(?:[A-Z]+ )?\{\{\s*([\w-]+)\s*\}\}", text, flags=re.M))
    first |= set(re.findall(r"^\s*@[\w.-]+\s*=\s*\{\{\s*([\w-]+)\s*\}\}", text, flags=re.M))
    return {name: f"http://{address}" if name in first else "v" for name in sorted(names)}


def plain(request, text):
    """What is compared."""
    method, target, headers, body = request
    is_own = lambda name, value: name not in CLIENT and value not in DEFAULTS.get(name, ()) and "Apache-HttpClient/" not in value
    own = {name: value for name, value in headers if is_own(name, value)}
    kind = own.get("content-type", "")
    if "boundary=" in kind:
        boundary = kind.split("boundary=")[1].strip('"')
        body = body.replace(boundary.encode(), b"BOUNDARY")
        own["content-type"] = "multipart"
    body = body.decode("utf-8", "replace").replace("\r\n", "\n").strip()
    if "x-www-form-urlencoded" in kind:
        body = unquote(body.replace("+", " "))
    target = unquote(target.replace("+", " "))
    if "{{$" in text:
        made = lambda value: re.sub(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\d+|[A-Za-z]{10,}", "*", value)
        target = made(target)
        body = made(body)
        own = {name: made(value) for name, value in own.items()}
    return method, target, tuple(sorted(own.items())), body


def without_type(request):
    """Without Content-Type: JMeter sends one with each POST, PUT and DELETE."""
    return request[0], request[1], tuple(field for field in request[2] if field[0] != "content-type"), request[3]


def run(command, folder):
    LOG.clear()
    try:
        done = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        said = "it did not end"
    return list(LOG), said


def tally(file, tool, wanted, found, counts):
    """Counts the requests of a tool that Swell sent, too, and prints those that only one of them sent."""
    rest = list(found)
    missing = []
    for request in wanted:
        if request in rest:
            rest.remove(request)
            counts["equal"] += 1
        else:
            missing.append(request)
    for request in missing:
        same = [other for other in rest if without_type(other) == request]
        if same:
            rest.remove(same[0])
            counts["but for the type"] += 1
        else:
            print(f"{file}: {tool} sent {request}")
    for request in rest:
        print(f"{file}: swell sent {request}")


def main():
    address = f"127.0.0.1:{start(Answering)}"
    counts = collections.Counter()
    files = [file for folder in sys.argv[1:] for kind in ("*.http", "*.rest") for file in sorted(Path(folder).rglob(kind))]
    for file in files:
        text = local(file.read_text("utf-8", "replace"), address)
        given = values(text, address)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.http"
            path.write_text(text)
            variables = [part for name, value in given.items() for part in ("--var", f"{name}={value}")]
            theirs, said = run([HTTPYAC, "send", "a.http", "--all", "--silent", *variables], folder)
            _, importing = run([SWELL, "import", "a.http", "--from", "http", "-o", "plan.jmx", "--lossy", "--keep-secrets"], folder)
            settings = [f"-J{name}={value}" for name, value in given.items()]
            ours, running = run([SWELL, "run", "plan.jmx", "-j", "log", *settings], folder)
        wanted = [plain(request, text) for request in theirs]
        found = [plain(request, text) for request in ours]
        counts["files"] += 1
        counts["requests"] += len(wanted)
        tally(file, "httpyac", wanted, found, counts)
        if not wanted and not found:
            print(f"{file}: nothing was sent: {said[-200:]!r} {importing[-200:]!r} {running[-200:]!r}")
    print(f"{counts['equal']} of {counts['requests']} requests of {counts['files']} files are equal,")
    print(f"{counts['but for the type']} more but for a Content-Type that JMeter adds where the file has none")


if __name__ == "__main__":
    main()
