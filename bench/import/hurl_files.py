#!/usr/bin/env python3
"""Compares requests of Hurl files that Swell runs with those of hurl, at a recording server on loopback.

    hurl_files.py FOLDER…      all .hurl files below the folders

Needs hurl 6.1 (`cargo install hurl --version 6.1.1 --locked`; HURL names its program) and Swell (SWELL). First each file is
read by both: what hurl refuses has to be refused, and what it reads has to be read. Then requests are compared: hosts in the
files become the server's address, responses are taken out, since the server does not know what they have to be, and each
variable gets a value. No other host is called. README.md names the public files and has the figures.
"""

import collections
import os
import re
import sys
import tempfile
from pathlib import Path

from http_files import Answering, SWELL, plain, run, tally
from recorder import start

HURL = os.environ.get("HURL", "hurl")
REQUEST = re.compile(r"^[A-Z]+ +(http|\{\{|/)")
RESPONSE = re.compile(r"^HTTP(/\S*)? +(\d+|\*)")


def local(text, address):
    """The file with the server's address instead of all others."""
    text = re.sub(r"https?://[\w.\[\]-]+(:\d+)?", f"http://{address}", text)
    return re.sub(r"https?://\{\{[\w-]+\}\}(:\d+|:\{\{[\w-]+\}\})?", f"http://{address}", text)


def without_responses(text):
    """The file with its requests only."""
    kept, in_response = [], False
    for line in text.split("\n"):
        if REQUEST.match(line):
            in_response = False
        elif RESPONSE.match(line):
            in_response = True
        if not in_response:
            kept.append(line)
    return "\n".join(kept)


def values(text, address):
    """Values of variables; one that a URL begins with is the address."""
    first = set(re.findall(r"^[A-Z]+ +\{\{\s*([\w-]+)\s*\}\}", text, flags=re.M))
    names = set(re.findall(r"\{\{\s*([\w-]+)\s*\}\}", text)) - {"newUuid", "newDate"}
    return {name: f"http://{address}" if name in first else "v" for name in sorted(names)}


def compared(requests, text):
    """What is compared of requests, without the name of the client."""
    is_client = lambda field: field[0] == "user-agent" and field[1].startswith("hurl/")
    # UUIDs and times differ each time.
    plains = [plain(request, "{{$" if "{{new" in text else "") for request in requests]
    return [(method, target, tuple(f for f in fields if not is_client(f)), body) for method, target, fields, body in plains]


def is_read(folder):
    """Whether hurl and Swell read a file."""
    _, theirs = run([HURL, "--connect-timeout", "1", "--max-time", "1", "a.hurl"], folder)
    _, ours = run([SWELL, "import", "a.hurl", "-o", "p.jmx", "-f", "--lossy"], folder)
    return "error: Parsing" not in theirs, "request" in ours and " taken" in ours, ours


def main():
    address = f"127.0.0.1:{start(Answering)}"
    counts = collections.Counter()
    for file in (file for folder in sys.argv[1:] for file in sorted(Path(folder).rglob("*.hurl"))):
        text = local(file.read_text("utf-8", "replace"), address)
        counts["files"] += 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.hurl"
            path.write_text(text)
            theirs, ours, said = is_read(folder)
            counts["read alike"] += theirs == ours
            if theirs != ours:
                print(f"{file}: hurl reads it: {theirs}, Swell: {ours}: {said[-200:]!r}")
            if not (theirs and ours):
                continue
            text = without_responses(text)
            path.write_text(text)
            given = [part for name, value in values(text, address).items() for part in ("--variable", f"{name}={value}")]
            theirs, _ = run([HURL, "--continue-on-error", "--no-output", *given, "a.hurl"], folder)
            ours, said = run([SWELL, "run", "a.hurl", "-j", "log", *given], folder)
        wanted = compared(theirs, text)
        found = compared(ours, text)
        counts["requests"] += len(wanted)
        tally(file, "hurl", wanted, found, counts)
        if wanted and not found:
            print(f"{file}: {said[-300:]!r}")
    print(f"{counts['read alike']} of {counts['files']} files are read or refused as by hurl;")
    print(f"{counts['equal']} of {counts['requests']} requests are equal,")
    print(f"{counts['but for the type']} more but for a Content-Type that JMeter adds where the file has none")


if __name__ == "__main__":
    main()
