"""What the benchmarks share: the site under test as a process, figures of processes, rows of results."""

import csv
import json
import os
import subprocess
import urllib.request


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
