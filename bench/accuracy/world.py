"""Helpers of the accuracy benchmarks: the site with its log, runs of Swell and JMeter, figures, tables."""

import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support import Site, resident_bytes  # noqa: E402

PLAN = os.path.join(HERE, "..", "plans", "accuracy.jmx")
RESULTS = os.path.join(HERE, "..", "results", "accuracy")
TIME_LINE = "-Jjmeter.save.saveservice.time_line=true"


def site_rows(site):
    """Return the site's record: a dictionary for each request that had an id."""
    with urllib.request.urlopen(site.url + "stats/log") as answer:
        yield from csv.DictReader(io.TextIOWrapper(answer, "utf-8"))


def log_of(site):
    """Return the site's record by id: (arrival, residence) in nanoseconds."""
    return {urllib.parse.unquote(row["id"]): (int(row["arrival_ns"]), int(row["residence_ns"])) for row in site_rows(site)}


def rows_of(jtl):
    with open(jtl, newline="") as file:
        yield from csv.DictReader(file)


def id_of(url):
    return urllib.parse.unquote(url.rsplit("id=", 1)[1])


class Ran:
    """A finished run of a plan: its summary, and the path of its samples."""

    def __init__(self, summary, jtl, cpu_s):
        self.summary, self.jtl, self.cpu_s = summary, jtl, cpu_s
        self.verdict = summary["verdict"]["level"]

    def worst(self):
        gates = [gate for gate in self.summary["verdict"]["gates"] if gate["level"] != "VALID"]
        return "; ".join(f"{gate['criterion']} {gate['value']:.3g}" for gate in gates)


def run_plan(swell, folder, port, plan=PLAN, jtl=True, nice=None, io=None, **properties):
    """Run the plan to its end with these properties and this kernel interface (epoll, uring)."""
    path = os.path.join(folder, "samples.jtl")
    command = [swell, "run", plan, "--json", "-f", "-j", os.path.join(folder, "log"), TIME_LINE, f"-Jport={port}"]
    command += ["-l", path] if jtl else []
    command += [f"-J{name}={value}" for name, value in properties.items()]
    command += ["--io", io] if io else []
    if nice is not None:
        command = ["nice", "-n", str(nice), *command]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return Ran(json.loads(text), path, usage.ru_utime + usage.ru_stime)


def run_jmeter(home, folder, port, plan=PLAN, **properties):
    """Run the plan in JMeter with a heap of 2 GB; return the path of its samples."""
    path = os.path.join(folder, "jmeter.jtl")
    if os.path.exists(path):
        os.remove(path)
    command = ["java", "-Xmx2g", "-jar", os.path.join(home, "bin", "ApacheJMeter.jar"), "-n", "-t", plan, "-l", path, "-j", os.path.join(folder, "jmeter.log"), f"-Jport={port}"]
    command += [f"-J{name}={value}" for name, value in properties.items()]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return path


def quantile(ordered, part):
    """Return the smallest value such that at least this part of the values is at or below it."""
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


def mean(values):
    return sum(values) / len(values)


def ms(ns):
    return ns / 1e6


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if at == 0 else "--:" for at in range(len(head))) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write(name, text):
    os.makedirs(RESULTS, exist_ok=True)
    with open(os.path.join(RESULTS, name), "w") as file:
        file.write(text)


def kept(name, fresh, key):
    """Merge fresh rows into those stored under this name, replacing rows with the same key; store and return them in key order."""
    path = os.path.join(RESULTS, name)
    rows = {}
    if os.path.exists(path):
        with open(path) as file:
            rows = {key(row): row for row in json.load(file)}
    rows |= {key(row): row for row in fresh}
    ordered = [rows[at] for at in sorted(rows)]
    write(name, "[\n" + ",\n".join(json.dumps(row) for row in ordered) + "\n]\n")
    return ordered


def scratch():
    return tempfile.TemporaryDirectory()


__all__ = ["Ran", "Site", "id_of", "kept", "run_jmeter", "site_rows", "log_of", "mean", "ms", "quantile", "resident_bytes", "rows_of", "run_plan", "scratch", "table", "write"]
