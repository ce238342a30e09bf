#!/usr/bin/env python3
"""Compares requests of imported plans with their source, at a recording server on loopback.

    compare.py har FOLDER…     all .har files below the folders: the source is the file itself
    compare.py curl FOLDER…    all .sh files below the folders: curl is the source

Prints how many requests are equal in method, target, headers and body, and each that is not. Nothing of a file is run by a
shell, and no host but this machine is called. README.md names the public files.
"""

import base64
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote, quote_plus, urlsplit

from recorder import Recorder, start

SWELL = os.environ.get("SWELL", "swell")
ENV = dict(os.environ, SWELL_RUNS="off")

# Headers that every client makes for itself.
CLIENT = {"host", "connection", "content-length", "proxy-connection", "keep-alive", "expect", "te", "transfer-encoding", "http2-settings", "upgrade"}

LOG = []

# Recorded answers by method and target, in order; what has none is answered with 200.
ANSWERS = collections.defaultdict(list)


class Answering(Recorder):
    """Answers each request as the recording does, or with 200."""

    def answer(self, request):
        LOG.append(request)
        recorded = ANSWERS[request.method, request.target]
        status, fields, answer = recorded.pop(0) if recorded else (200, [], b"ok")
        head = [f"HTTP/1.1 {status} x", *(f"{n}: {v}" for n, v in fields), f"Content-Length: {len(answer)}", "", ""]
        has_body = request.method != "HEAD" and status not in (204, 304)
        return "\r\n".join(head).encode("latin1", "replace") + (answer if has_body else b"")


def sent_by_plan(plan, folder, port):
    """Runs a plan against the recording server and gives what it sent."""
    LOG.clear()
    command = [SWELL, "run", plan, "-f", "-l", "r.jtl", "-j", "r.log"]
    for name, value in (("domain", "127.0.0.1"), ("port", port), ("protocol", "http")):
        command += ["--set", f"/**/HTTPSampler.{name}={value}"]
    # curl is called without proxies, too.
    if '"HTTPSampler.proxyHost"' in Path(folder, plan).read_text(errors="replace"):
        command += ["--set", "/**/HTTPSampler.proxyHost="]
    ran = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, timeout=120)
    return list(LOG), ran.stderr.decode(errors="replace")[-300:]


def imported(source, folder, *options):
    command = [SWELL, "import", source, "-o", "p.jmx", "-f", "--keep-secrets", "--json", "--lossy", *options]
    ran = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, timeout=120)
    if ran.returncode != 0:
        return None, ran.stderr.decode(errors="replace")
    return json.loads(ran.stdout), ""


def without_client(headers):
    agents = ("Apache-HttpClient", "curl/")
    kept = [(n, v) for n, v in headers if n not in CLIENT and not (n == "user-agent" and v.startswith(agents))]
    return sorted(kept)


def without_boundary(headers, body):
    """Boundaries are random."""
    kind = next((v for n, v in headers if n == "content-type" and "boundary=" in v), None)
    if not kind:
        return headers, body
    boundary = kind.split("boundary=")[1].split(";")[0].strip('"')
    headers = [(n, v.split(";")[0] if n == "content-type" else v) for n, v in headers]
    return headers, body.replace(boundary.encode("latin1"), b"B")


def differences(want, got):
    found = []
    if want[0] != got[0]:
        found.append(("method", want[0], got[0]))
    if want[1] != got[1]:
        found.append(("target", want[1][:100], got[1][:100]))
    missing = [h for h in want[2] if h not in got[2]]
    extra = [h for h in got[2] if h not in want[2]]
    if missing or extra:
        found.append(("headers", missing[:3], extra[:3]))
    if want[3] != got[3]:
        found.append(("body", want[3][:80], got[3][:80]))
    return found


# --- HAR


def encoded(target):
    """What a client makes of characters that a URL cannot have."""
    return re.sub(r'[ "<>\\^`{|}]|[^\x00-\x7f]', lambda m: quote(m[0], safe=""), target)


def form_encoded(text):
    """Parameters are recorded decoded by some browsers, and as they were sent by others."""
    is_encoded = re.search("[+%]", text) and text.isascii() and not re.search("[ &=#]", text)
    return text if is_encoded else quote_plus(text, safe="*")


def recorded_answer(entry):
    """What the site answered, for this machine: redirects by path; no cookies, as all hosts are one here."""
    response = entry.get("response") or {}
    status = response.get("status") or 200
    content = response.get("content") or {}
    text = content.get("text") or ""
    body = base64.b64decode(text) if content.get("encoding") == "base64" else text.encode()
    fields = []
    for header in response.get("headers") or []:
        name, value = header.get("name", ""), str(header.get("value") or "")
        if name.lower() == "location":
            fields.append((name, re.sub(r"^https?://[^/]*", "", value) or "/"))
        elif name.lower() == "content-type" or name.lower().startswith("x-"):
            fields.append((name, value.replace("\n", " ")))
    return (status if 200 <= status < 600 else 200), fields, body


def har_requests(path):
    """The requests of a file as they were on the wire, and why others are none."""
    log = json.loads(path.read_text("utf-8-sig", errors="replace")).get("log", {})
    ANSWERS.clear()
    counts = collections.Counter()
    wanted = []
    cookies = set()
    for entry in log.get("entries") or []:
        request = entry.get("request") or {}
        method, url = request.get("method", ""), request.get("url", "")
        if not re.match("https?:", url, re.I) or method in ("", "CONNECT"):
            counts["no HTTP"] += 1
            continue
        headers = [(h.get("name", "").lower(), str(h.get("value") or "").strip()) for h in request.get("headers") or []]
        headers = [(n, v) for n, v in headers if not n.startswith(":") and " " not in n]
        # HTTP/2 sends each cookie in a field, HTTP/1.1 all in one.
        joined = "; ".join(v for n, v in headers if n == "cookie")
        headers = [h for h in headers if h[0] != "cookie"] + ([("cookie", joined)] if joined else [])
        if (entry.get("response") or {}).get("status") == 304:
            # A new user has no cache: import takes the conditions out, and says so.
            headers = [h for h in headers if h[0] not in ("if-none-match", "if-modified-since")]
            counts["sent without conditions"] += 1
        if dict(headers).get("upgrade", "").lower() == "websocket":
            counts["WebSocket"] += 1
            continue
        if method == "OPTIONS" and "access-control-request-method" in dict(headers):
            counts["preflight"] += 1
            continue
        parts = urlsplit(url)
        if parts.path.endswith("/favicon.ico"):
            counts["favicon"] += 1
            continue
        post = request.get("postData") or {}
        mime = dict(headers).get("content-type") or post.get("mimeType") or ""
        params = post.get("params") or []
        body, is_multipart = b"", False
        if post.get("text"):
            body = base64.b64decode(post["text"]) if post.get("encoding") == "base64" else post["text"].encode()
        elif "multipart" in mime and params:
            if any(p.get("fileName") and not p.get("value") for p in params):
                counts["upload without the file"] += 1
                continue
            is_multipart = True
        elif params:
            body = "&".join(f"{p['name']}={p.get('value') or ''}" for p in params).encode()
        if body and "content-type" not in dict(headers) and mime:
            headers.append(("content-type", mime))
        if "cookie" not in dict(headers) and request.get("cookies"):
            headers.append(("cookie", "; ".join(f"{c['name']}={c.get('value') or ''}" for c in request["cookies"])))
        if body and not post.get("text"):
            body = "&".join(f"{form_encoded(p['name'])}={form_encoded(p.get('value') or '')}" for p in params).encode()
        # What a response has set is sent by the Cookie Manager, which gets nothing here.
        sent = {n: "; ".join(c.strip() for c in v.split(";") if c.split("=")[0].strip() not in cookies) for n, v in headers if n == "cookie"}
        headers = [(n, sent.get(n, v)) for n, v in headers if sent.get(n, v) or n != "cookie"]
        for header in (entry.get("response") or {}).get("headers") or []:
            if header.get("name", "").lower() == "set-cookie":
                cookies |= {line.split("=")[0].strip() for line in str(header.get("value")).split("\n")}
        target = encoded((parts.path or "/") + ("?" + parts.query if parts.query else ""))
        wanted.append((method, target, without_client(headers), body, is_multipart))
        ANSWERS[method, target].append(recorded_answer(entry))
    return wanted, counts


def compare_har(paths, port):
    total, why, shown = collections.Counter(), collections.Counter(), []
    for path in paths:
        try:
            wanted, counts = har_requests(path)
        except (ValueError, AttributeError, KeyError, TypeError):
            total["files that are not HAR"] += 1
            continue
        total["files"] += 1
        total.update(counts)
        with tempfile.TemporaryDirectory() as folder:
            told, error = imported(str(path.resolve()), folder, "--static", "keep", "--host", "*", "--pause", "none")
            if told is None:
                total["differs"] += len(wanted)
                shown.append((path, "not imported", error[-200:]))
                continue
            sent, error = sent_by_plan("p.jmx", folder, port)
        left = [(m, t, without_client(h), b) for m, t, h, b in sent]
        unequal = []
        for want in wanted:
            same = next((g for g in left if not want[4] and not differences(want, g)), None)
            if want[4]:
                bare = [h for h in want[2] if h[0] != "content-type"]
                same = next((g for g in left if g[:2] == want[:2] and [h for h in g[2] if h[0] != "content-type"] == bare), None)
            if same:
                left.remove(same)
                total["equal"] += 1
            else:
                unequal.append(want)
        for want in unequal:
            near = next((g for g in left if g[0] == want[0] and g[1].split("?")[0] == want[1].split("?")[0]), None)
            found = differences(want, near) if near else [("not sent", error[-160:])]
            total["differs"] += 1
            why[" ".join(sorted({d[0] for d in found}))] += 1
            shown.append((path, want[0], want[1][:60], found))
    return total, why, shown


# --- curl


def ansi_c(text):
    """What Bash makes of a text in $'…'; bytes that are no UTF-8 stay bytes."""
    octets = bytearray()
    names = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "e": 27, "f": 12, "v": 11}
    for part in re.finditer(r"\\x([0-9a-fA-F]{1,2})|\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})|\\([0-7]{1,3})|\\(.)|([^\\])", text, re.S):
        octet, short, long, octal, letter, plain = part.groups()
        if octet or octal:
            octets.append(int(octet, 16) if octet else int(octal, 8) & 255)
        elif short or long:
            octets += chr(int(short or long, 16)).encode()
        elif letter:
            octets += bytes([names[letter]]) if letter in names else letter.encode()
        else:
            octets += plain.encode()
    return octets.decode(errors="surrogateescape")


def curl_words(path):
    """The words of a file with one command of curl that needs no shell; else why not."""
    text = path.read_text(errors="replace").replace("\\\n", " ")
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#")).strip()
    text = re.sub(r"\$'((?:[^'\\]|\\.)*)'", lambda quoted: shlex.quote(ansi_c(quoted[1])), text)
    if re.search(r"\$\(|<<|`|\$\{?[A-Za-z]|\|\s|<\s|\bcurl\b.*\n.*\bcurl\b|\$'", text):
        return None, "needs a shell"
    try:
        words = shlex.split(text)
    except ValueError:
        return None, "no words"
    return (words, "") if words[:1] == ["curl"] else (None, "not curl")


def files_named(words):
    """Files that a command sends; both get the same."""
    names = []
    for word in words:
        for name in re.findall(r"[@<]([\w./-]+)", word):
            names.append(name)
    for flag, name in zip(words, words[1:]):
        if flag in ("-T", "--upload-file"):
            names.append(name)
    return [n for n in names if n not in ("-", "") and ".." not in n and not n.startswith("/")]


def sent_by_curl(words, folder, port):
    LOG.clear()
    flags = ["-s", "-k", "-o", "/dev/null", "--max-time", "5", "--noproxy", "*", "--connect-to", f"::127.0.0.1:{port}"]
    before = [""] + words
    words = [w if b in ("-e", "--referer") else re.sub(r"^https://", "http://", w) for b, w in zip(before[1:], words[1:])]
    ran = subprocess.run(["curl", *flags, *words], cwd=folder, capture_output=True, timeout=20)
    return list(LOG), ran.returncode


def compare_curl(paths, port):
    total, why, shown = collections.Counter(), collections.Counter(), []
    for path in paths:
        words, reason = curl_words(path)
        if words is None:
            total[reason] += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            for name in files_named(words):
                file = Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                if not file.exists():
                    file.write_text("content of a file")
            want, status = sent_by_curl(words, folder, port)
            if not want:
                total[f"curl itself fails ({status})"] += 1
                continue
            Path(folder, "r.sh").write_text("curl " + shlex.join(words[1:]) + "\n")
            told, error = imported("r.sh", folder)
            lost = [n for n in (told or {"notes": []})["notes"] if n["outcome"] == "left out" and n["what"] == "a curl command"]
            if told is None or lost:
                total["left out"] += 1
                shown.append((path.name, "left out", (lost or [{"reason": error}])[0]["reason"]))
                continue
            got, error = sent_by_plan("p.jmx", folder, port)
        found = [] if len(want) == len(got) else [("requests", len(want), len(got), error[-200:])]
        for one, two in zip(want, got):
            sides = []
            for method, target, headers, body in (one, two):
                headers, body = without_boundary(headers, body)
                headers = [h for h in headers if h[0] != "accept-encoding"]
                sides.append((method, target, without_client(headers), body))
            found += differences(*sides)
        total["differs" if found else "equal"] += 1
        if found:
            why[" ".join(sorted({d[0] for d in found}))] += 1
            shown.append((path.name, found))
    return total, why, shown


def main():
    kind, folders = sys.argv[1], sys.argv[2:]
    ending = {"har": ".har", "curl": ".sh"}[kind]
    paths = sorted(p for f in folders for p in Path(f).rglob("*" + ending))
    total, why, shown = {"har": compare_har, "curl": compare_curl}[kind](paths, start(Answering))
    for one in shown:
        print(str(one)[:600])
    compared = total["equal"] + total["differs"]
    print(f"{len(paths)} files: {dict(total)}")
    print(f"different: {dict(why)}")
    print(f"{total['equal']} of {compared} requests are equal ({100 * total['equal'] / max(1, compared):.1f} %)")


if __name__ == "__main__":
    main()
