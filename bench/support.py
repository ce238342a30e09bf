"""What the benchmarks share: the site under test as a process, figures of processes, rows of results."""

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
    """The program, as `swell` looks for it."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    places = [os.environ.get("SWELL_NATS_SERVER", ""), shutil.which("nats-server") or "", os.path.join(cache, "swell/bin/nats-server")]
    found = next((place for place in places if place and os.path.isfile(place)), None)
    if not found:
        sys.exit("nats-server not found: `swell fleet install` installs it (needs Go)")
    return found


class Broker:
    """nats-server with JetStream on a free port, for the length of a `with`; it can be killed and started again with what it kept."""

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
        sys.exit("nats-server does not start")

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
    """`swell target` on a free port, for the length of a `with`. `inside`: what to put before the command."""

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
        """The port for https, which is told in the second line where `--tls-port` was given."""
        return int(self.process.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])

    def stats(self):
        with urllib.request.urlopen(self.url + "stats") as answer:
            return json.load(answer)


def resident_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def rows(jtl):
    """The rows of a results file in CSV, each a dictionary by column."""
    with open(jtl, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def result_file(name):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)


def keep(name, text):
    """Writes a file among the results."""
    with open(result_file(name), "w", encoding="utf-8") as file:
        file.write(text)


def show(name, text):
    """The end of a benchmark: what it found, to be read now and later."""
    print(text)
    keep(name, text)
