"""Helpers of the benchmarks: the site under test as a process, figures of processes, rows of results files."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request


def nats_server():
    """Return the path of nats-server, looked up as `swell` does."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    places = [os.environ.get("SWELL_NATS_SERVER", ""), shutil.which("nats-server") or "", os.path.join(cache, "swell/bin/nats-server")]
    found = next((place for place in places if place and os.path.isfile(place)), None)
    if not found:
        sys.exit("nats-server not found: `swell fleet install` installs it (needs Go)")
    return found


class Broker:
    """nats-server with JetStream on a free port, for the duration of a `with` block. It can be killed and started again with its data."""

    def __enter__(self):
        self.program, self.folder, self.port = nats_server(), tempfile.mkdtemp(prefix="swell-bench-nats-"), -1
        self.start()
        return self

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", self.folder, "--ports_file_dir", self.folder,
             "-l", f"{self.folder}/log"])
        file = f"{self.folder}/nats-server_{self.process.pid}.ports"
        for _ in range(1000):
            if os.path.exists(file) and os.path.getsize(file):
                with open(file, encoding="utf-8") as ports:
                    self.port = int(json.load(ports)["nats"][0].rstrip("/").rsplit(":", 1)[1])
                return
            time.sleep(0.01)
        sys.exit("nats-server did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder)


class Site:
    """`swell target` on a free port, for the duration of a `with` block. `inside` is a prefix of the command."""

    def __init__(self, swell, *options, inside=()):
        self.command = [*inside, swell, "target", "--port", "0", "--until-stdin-ends", *options]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def tls_port(self):
        """The HTTPS port, which the site prints on its second line if `--tls-port` was given."""
        return int(self.process.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])

    def stats(self):
        with urllib.request.urlopen(self.url + "stats") as answer:
            return json.load(answer)


def resident_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def rows(jtl):
    """Return the rows of a CSV results file, each as a dictionary by column."""
    with open(jtl, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def result_file(name):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)


def keep(name, text):
    """Write a file to the results folder."""
    with open(result_file(name), "w", encoding="utf-8") as file:
        file.write(text)


def show(name, text):
    """Print the result of a benchmark and write it to the results folder."""
    print(text)
    keep(name, text)
