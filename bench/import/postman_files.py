#!/usr/bin/env python3
"""Compares requests of imported Postman collections with those of newman, at a recording server on loopback.

    postman_files.py FILE|FOLDER…    all collections of formats 2.0 and 2.1 among the files, or below the folders

Needs newman (`npm install newman`; NEWMAN names its program) and Swell (SWELL). Hosts in the files become the server's address;
variables without a value become `v`, or the address where a URL begins with them. Scripts are taken out, since newman would
run them. No other host is called. README.md names the public files and has the figures.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl

from compare import differences, without_boundary, without_client
from recorder import Recorder, start

SWELL = os.environ.get("SWELL", "swell")
NEWMAN = os.environ.get("NEWMAN", "newman")
ENV = dict(os.environ, SWELL_RUNS="off")
LOG = []

# What newman adds to each request, and JMeter does not.
OF_NEWMAN = {"user-agent", "postman-token", "accept-encoding", "cache-control"}


class Answering(Recorder):
    """Answers everything with an empty object."""

    def answer(self, request):
        LOG.append(request)
        body = b"" if request.method == "HEAD" else b"{}"
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n" + body


def items(node):
    for item in node.get("item") or []:
        if isinstance(item, dict) and "item" in item:
            yield from items(item)
        elif isinstance(item, dict) and "request" in item:
            yield item


def prepared(collection, address):
    """The collection with all requests to the address and without scripts, and its variables."""
    collection = json.loads(json.dumps(collection))

    def without_scripts(node):
        node.pop("event", None)
        for item in node.get("item") or []:
            without_scripts(item)

    without_scripts(collection)
    values = {}
    for variable in collection.get("variable") or []:
        values[variable.get("key") or variable.get("id")] = str(variable.get("value", ""))
    for item in items(collection):
        request = item["request"]
        if isinstance(request, str):
            item["request"] = request = {"method": "GET", "url": request}
        url = request.get("url")
        if isinstance(url, str) or not url or not url.get("host"):
            raw = url if isinstance(url, str) else (url or {}).get("raw", "")
            path = re.sub(r"^(https?://)?([^/?]*)", "", raw.strip())
            request["url"] = f"http://{address}{path}"
            continue
        host, _, port = address.partition(":")
        url["protocol"], url["host"], url["port"] = "http", host.split("."), port
        url.pop("auth", None)
    # Random values are never equal.
    text = re.sub(r"\{\{\$[^{}]*\}\}", "random", json.dumps(collection))
    collection = json.loads(text)
    for name in re.findall(r"\{\{([^{}$]+)\}\}", text):
        values.setdefault(name.strip(), "v")
    values = {name: "v" if "{{" in value or "://" in value else value for name, value in values.items()}
    collection["variable"] = [{"key": name, "value": value} for name, value in values.items()]
    return collection


def form(request):
    """Fields of a form, as both ways of writing a space are the same."""
    mime = dict(request[2]).get("content-type", "")
    if mime.startswith("application/x-www-form-urlencoded"):
        pairs = parse_qsl(request[3].decode("utf-8", "replace"), keep_blank_values=True)
        return (*request[:3], repr(pairs).encode())
    return request


def seen(request):
    method, target, headers, body = request
    headers, body = without_boundary(headers, body)
    headers = [(n, v) for n, v in without_client(headers) if n not in OF_NEWMAN]
    return form((method, target, headers, body))


def compare(path, address, total, shown):
    try:
        collection = json.loads(path.read_text("utf-8-sig"))
        collection = collection.get("collection", collection)
        wanted = list(items(collection))
        is_known = "v1" not in collection.get("info", {}).get("schema", "")
    except (ValueError, AttributeError, OSError):
        return
    if not wanted or not is_known:
        return
    total["files"] += 1
    with tempfile.TemporaryDirectory() as folder:
        source = prepared(collection, address)
        for file in re.findall(r'"src": *\[?"([^"]+)"', json.dumps(source)):
            # Import takes files from the folder of the plan.
            for name in {file, file.rsplit("/", 1)[-1]}:
                if not name.startswith("/") and ".." not in name:
                    Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, name).write_text("content of a file")
        Path(folder, "c.json").write_text(json.dumps(source))
        LOG.clear()
        command = [NEWMAN, "run", "c.json", "--timeout-request", "5000", "--timeout", "60000", "--color", "off", "--silent", "--disable-unicode"]
        subprocess.run(command, cwd=folder, env=ENV, capture_output=True, timeout=90)
        want = [seen(request) for request in LOG]
        command = [SWELL, "import", "c.json", "-o", "p.jmx", "-f", "--keep-secrets", "--json", "--lossy"]
        ran = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, timeout=120)
        if ran.returncode != 0:
            total["not imported"] += 1
            shown.append((path, ran.stderr.decode(errors="replace")[-300:]))
            return
        notes = [note for note in json.loads(ran.stdout)["notes"] if note["outcome"] == "left out"]
        total["parts left out"] += len(notes)
        LOG.clear()
        ran = subprocess.run([SWELL, "run", "p.jmx", "-f"], cwd=folder, env=ENV, capture_output=True, timeout=300)
        got = [seen(request) for request in LOG]
    reported = [note["what"] for note in notes]
    for one in want:
        same = next((other for other in got if not differences(one, other)), None)
        if same:
            got.remove(same)
            total["equal"] += 1
            continue
        near = next((other for other in got if other[:2] == one[:2]), None)
        if any("authorization" in name for name, _ in one[2]) and any("authorization" in what for what in reported):
            total["authorization that is left out"] += 1
            continue
        added = [("content-type", "application/x-www-form-urlencoded; charset=UTF-8")]
        bare = next((other for other in got if other[:2] == one[:2] and not one[3] and other[2] == sorted(one[2] + added)), None)
        if bare:
            got.remove(bare)
            total["equal but for the type that JMeter adds"] += 1
            continue
        total["differs"] += 1
        found = differences(one, near) if near else [("not sent", ran.stderr.decode(errors="replace")[-200:])]
        shown.append((path, one[0], one[1][:80], found, reported[:2]))


def main():
    port = start(Answering)
    total, shown = collections.Counter(), []
    paths = [Path(name) for name in sys.argv[1:]]
    files = [file for path in paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    for file in files:
        print(file, dict(total), file=sys.stderr, flush=True)
        try:
            compare(file, f"127.0.0.1:{port}", total, shown)
        except subprocess.TimeoutExpired:
            total["timed out"] += 1
    for one in shown:
        print(str(one)[:700])
    compared = total["equal"] + total["differs"]
    print(dict(total))
    print(f"{total['equal']} of {compared} requests are equal ({100 * total['equal'] / max(1, compared):.1f} %)")


if __name__ == "__main__":
    main()
