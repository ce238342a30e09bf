#!/usr/bin/env python3
"""Checks the requests of imported OpenAPI documents against the documents, with openapi-core as an independent judge.

    contracts.py FILE|FOLDER…    all OpenAPI 3.0 and 3.1 documents among the files, or below the folders

Needs openapi-core (`pip install openapi-core`), PyYAML and Swell (SWELL). Each plan runs against a recording server on loopback.
A request is valid if openapi-core finds its operation and accepts path, query, headers and body. README.md names the public
files and has the figures.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import yaml
from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

from recorder import Recorder, start

SWELL = os.environ.get("SWELL", "swell")
ENV = dict(os.environ, SWELL_RUNS="off")
LOG = []
MOST_SHOWN = 3


class Answering(Recorder):
    """Answers everything with an empty object."""

    def answer(self, request):
        LOG.append(request)
        body = b"" if request.method == "HEAD" else b"{}"
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n" + body


class Seen:
    """A recorded request in the form that openapi-core reads."""

    def __init__(self, request, host):
        target = urlsplit(request.target)
        self.host_url, self.path, self.full_url_pattern = host, target.path, host + target.path
        self.method, self.body = request.method.lower(), request.body
        self.content_type = dict(request.headers).get("content-type", "")
        pairs = parse_qsl(target.query, keep_blank_values=True)
        cookies = dict(part.strip().partition("=")[::2] for part in dict(request.headers).get("cookie", "").split(";") if "=" in part)
        headers = Headers([(name, value) for name, value in request.headers])
        self.parameters = RequestParameters(query=ImmutableMultiDict(pairs), header=headers, cookie=ImmutableMultiDict(cookies))


def document(path):
    text = path.read_text("utf-8-sig", errors="replace")
    try:
        found = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except Exception:
        return None
    is_contract = isinstance(found, dict) and str(found.get("openapi", "")).startswith("3.") and found.get("paths")
    return json.loads(json.dumps(found, default=str)) if is_contract else None


def on_loopback(found, host):
    """The document with the server that requests are sent to, and without security, whose properties are empty."""
    def replaced(servers):
        url = (servers or [{"url": ""}])[0]["url"]
        for variable, value in ((servers or [{}])[0].get("variables") or {}).items():
            url = url.replace("{" + variable + "}", str(value.get("default", "")))
        path = urlsplit(url).path
        return [{"url": host + path.rstrip("/")}]

    found["servers"] = replaced(found.get("servers"))
    found.pop("security", None)
    for item in found["paths"].values():
        for operation in [item, *item.values()]:
            if isinstance(operation, dict):
                operation.pop("security", None)
                if operation.get("servers"):
                    operation["servers"] = replaced(operation["servers"])
    return found


def check(path, port, total, why, shown):
    found = document(path)
    if found is None:
        return
    host = f"http://127.0.0.1:{port}"
    total["documents"] += 1
    found["paths"] = {path: item for path, item in found["paths"].items() if isinstance(item, dict)}
    operations = sum(method in ("get", "put", "post", "delete", "options", "head", "patch", "trace")
                     for item in found["paths"].values() for method in item)
    total["operations"] += operations
    with tempfile.TemporaryDirectory() as folder:
        found = on_loopback(found, host)
        Path(folder, "api.json").write_text(json.dumps(found))
        command = [SWELL, "import", "api.json", "-o", "p.jmx", "-f", "--keep-secrets", "--json", "--lossy", "--from", "openapi"]
        ran = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, timeout=120)
        if ran.returncode != 0:
            total["documents not imported"] += 1
            shown.append((path.name, ran.stderr.decode(errors="replace")[-300:]))
            return
        told = json.loads(ran.stdout)
        total["parts left out"] += sum(note["outcome"] == "left out" for note in told["notes"])
        LOG.clear()
        ran = subprocess.run([SWELL, "run", "p.jmx", "-f"], cwd=folder, env=ENV, capture_output=True, timeout=300)
    try:
        judge = OpenAPI.from_dict(found)
    except Exception as error:
        total["documents that openapi-core refuses"] += 1
        total["requests not judged"] += len(LOG)
        shown.append((path.name, "refused:", str(error)[:120]))
        return
    total["requests"] += len(LOG)
    total["requests missing"] += operations - len(LOG)
    bad = 0
    for request in LOG:
        try:
            judge.validate_request(Seen(request, host))
            total["valid"] += 1
        except Exception as error:
            cause = error.__cause__ or error
            if type(cause).__name__ == "DeserializeError":
                # Its reader of styles lacks this one (`deepObject` lists, parts of forms).
                total["requests that openapi-core cannot judge"] += 1
                total["requests"] -= 1
                continue
            details = [str(one)[:120] for one in getattr(cause, "schema_errors", [])][:2]
            why[type(error).__name__ + "/" + type(cause).__name__] += 1
            bad += 1
            if bad <= MOST_SHOWN:
                shown.append((path.name, request.method, request.target[:80], type(error).__name__, str(cause)[:100], details, request.body[:160]))


def main():
    port = start(Answering)
    total, why, shown = collections.Counter(), collections.Counter(), []
    paths = [Path(name) for name in sys.argv[1:]]
    endings = (".json", ".yaml", ".yml")
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.suffix in endings]
    for file in files:
        print(file, dict(total), file=sys.stderr, flush=True)
        try:
            check(file, port, total, why, shown)
        except subprocess.TimeoutExpired:
            total["documents that timed out"] += 1
        except (KeyError, TypeError, AttributeError) as error:
            total["documents that this program cannot read"] += 1
            shown.append((file.name, repr(error)))
    for one in shown:
        print(str(one)[:700])
    print(dict(total))
    print(f"not valid: {dict(why)}")
    print(f"{total['valid']} of {total['requests']} requests are valid ({100 * total['valid'] / max(1, total['requests']):.1f} %)")


if __name__ == "__main__":
    main()
