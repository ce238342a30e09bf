#!/usr/bin/env python3
"""Change the load of a run by `swell ctl`, and check by its samples that the load is what was requested.

    bench/live_control.py --swell target/release/swell [--jmeter ~/.cache/swell/jmeter-5.6.3] [--rows users rate …]

Plans run against the built-in site, which responds after 50 ms. The rows of their results files are judged:
- users: 100, a linear rise to 300 over 10 s, then 50 at once. Each second of the rise is within 2 % of the line; surplus
  users are gone one sample and 100 ms after the change; no sample fails; no thread number is used for two users;
- rate: 500, 2,000 and 500 arrivals a second. Each tenth of a second after a change is within 10 % of the rate. The total
  equals the rates times their durations, within 2 per change, because the time of a change is known to 1 ms only;
- closed pause: 20 users with 100 loops each and a pause of 5 s: the same number of samples, 5 s longer;
- open pause: 200 arrivals a second for 10 s, including a pause of 3 s: no arrivals during the pause, and no catching up;
- property: a Constant Throughput Timer on `${__P(tpm)}`: the new rate is reached in the second after the change;
- jmeter: the same plan in JMeter, whose property is set by its BeanShell server: both reach a higher and a lower rate at
  the same time, within a second. Left out without --jmeter.
Prints a Markdown table and writes it to bench/results/live_control.md. Takes two minutes on an otherwise idle machine.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from xml.sax.saxutils import escape

from support import Site, rows, show

DELAY_MS = 50


def prop(name, value):
    return f'<stringProp name="{name}">{escape(str(value))}</stringProp>'


def element(kind, name, properties, below=""):
    return f'<{kind} guiclass="G" testclass="{kind}" testname="{name}" enabled="true">{properties}</{kind}><hashTree>{below}</hashTree>'


def users_group(users, loops, below):
    loop = ('<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><boolProp name="LoopController.continue_forever">false</boolProp>'
            f'<intProp name="LoopController.loops">{loops}</intProp></elementProp>')
    return element("ThreadGroup", "G", prop("ThreadGroup.num_threads", users) + prop("ThreadGroup.ramp_time", 0) + loop, below)


def arrivals_group(per_s, hold_s, below):
    fields = {"TargetLevel": per_s, "RampUp": 0, "Steps": 0, "Hold": hold_s, "Unit": "S", "ConcurrencyLimit": ""}
    return element("com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup", "G", "".join(prop(*field) for field in fields.items()), below)


class Run:
    """A run with live control, for the duration of a `with` block; its rows are available afterwards."""

    def __init__(self, swell, groups, *options):
        self.swell, self.options = swell, options
        self.folder = tempfile.TemporaryDirectory()
        self.plan, self.jtl = (os.path.join(self.folder.name, name) for name in ("plan.jmx", "rows.jtl"))
        root = element("TestPlan", "Live control", "", groups)
        with open(self.plan, "w", encoding="utf-8") as file:
            file.write(f'<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>{root}</hashTree></jmeterTestPlan>')

    def __enter__(self):
        environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder.name, "SWELL_RUNS": os.path.join(self.folder.name, "runs")}
        self.process = subprocess.Popen([self.swell, "run", self.plan, "-l", self.jtl, "--live", "-j", os.devnull, *self.options],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
        self.url = next(line.split("Live page:")[1].split()[0] for line in self.process.stderr if "Live page:" in line)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        return self

    def control(self, *words):
        """Make a change; return when it was requested and when it was done, in seconds of the clock."""
        before = time.time()
        subprocess.run([self.swell, "ctl", "--url", self.url, *words], check=True, stdout=subprocess.DEVNULL)
        return before, time.time()

    def __exit__(self, *_):
        self.process.wait()
        self.rows = rows(self.jtl)
        self.folder.cleanup()


class JmeterRun(Run):
    """The same run in JMeter 5.6.3. `control` sets a property, or stops the run, through JMeter's BeanShell server."""

    def __init__(self, home, groups, *options):
        super().__init__(None, groups, *options)
        self.home = os.path.expanduser(home)

    def __enter__(self):
        # The server accepts sessions at the port after the one it is given.
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1] + 1
            two.bind(("127.0.0.1", self.port))
        command = ["java", "-Xmx512m", "-jar", os.path.join(self.home, "bin", "ApacheJMeter.jar"), "-n", "-t", self.plan, "-l", self.jtl,
                   "-j", os.path.join(self.folder.name, "jmeter.log"), f"-Jbeanshell.server.port={self.port - 1}",
                   # Without this, the BeanShell server would keep the process running for ever.
                   "-Jjmeterengine.force.system.exit=true", *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.session = socket.create_connection(("127.0.0.1", self.port))
                return self
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"JMeter ended with {self.process.returncode}")
                time.sleep(0.1)

    def control(self, *words):
        before = time.time()
        script = "org.apache.jmeter.engine.StandardJMeterEngine.stopEngineNow();"
        if words[0] == "set":
            name, value = words[1].split("=")
            script = f'org.apache.jmeter.util.JMeterUtils.getJMeterProperties().setProperty("{name}", "{value}");'
        self.session.sendall(f'{script} print("done");\n'.encode())
        said = b""
        while b"done" not in said:
            more = self.session.recv(4096)
            if not more:
                sys.exit(f"JMeter's BeanShell server closed the connection: {said}")
            said += more
        return before, time.time()


def starts(run):
    return sorted(int(row["timeStamp"]) / 1e3 for row in run.rows)


def between(times, low, high):
    return sum(low <= at < high for at in times)


def running(run, begin, end):
    """Return the average number of running samples: the number of users, if none waits between samples."""
    spans = ((int(row["timeStamp"]) / 1e3, (int(row["timeStamp"]) + int(row["elapsed"])) / 1e3) for row in run.rows)
    return sum(max(0.0, min(stop, end) - max(start, begin)) for start, stop in spans) / (end - begin)


def http(site, below="", path=f"/delay/{DELAY_MS}ms"):
    return element("HTTPSamplerProxy", "a", prop("HTTPSampler.domain", "127.0.0.1") + prop("HTTPSampler.port", site.port) + prop("HTTPSampler.path", path)
                   + prop("HTTPSampler.method", "GET") + '<boolProp name="HTTPSampler.use_keepalive">true</boolProp>', below)


def users(args, site):
    with Run(args.swell, users_group(100, -1, http(site))) as run:
        time.sleep(3)
        _, line = run.control("load", "--users", "300", "--over", "10s")
        time.sleep(11)
        _, cut = run.control("load", "--users", "50")
        time.sleep(2)
        run.control("load", "--users", "60")
        time.sleep(1)
        run.control("stop")
    off = [abs(running(run, line + second, line + second + 1) / (110 + 20 * second) - 1) for second in range(10)]
    left = cut + DELAY_MS / 1e3 + 0.1
    late = running(run, left, left + 0.2)
    failed = sum(row["success"] != "true" for row in run.rows)
    # A user never waits longer than this between two samples, so a longer gap means a second user with that name.
    names = {}
    for row in sorted(run.rows, key=lambda row: int(row["timeStamp"])):
        names.setdefault(row["threadName"], []).append(int(row["timeStamp"]))
    twice = sum(any(b - a > 1000 for a, b in zip(all_of, all_of[1:])) for all_of in names.values())
    holds = max(off) <= 0.02 and late <= 50.5 and failed == 0 and twice == 0 and len(names) == 310
    return "users 100, to 300 over 10 s, 50", f"a second of the line off by {100 * max(off):.1f} % at most; {late:.1f} users from 150 ms after the cut on; {failed} failed; {len(names)} users, {twice} names used twice", holds


def rate(args, site):
    with Run(args.swell, arrivals_group(500, 12, http(site))) as run:
        time.sleep(4)
        asked_up, up = run.control("load", "--rate", "2000")
        time.sleep(3)
        asked_down, down = run.control("load", "--rate", "500")
    times = starts(run)
    off = 0.0
    for begin, end, per_s in ((times[0], asked_up, 500), (up, asked_down, 2000), (down, times[0] + 11.9, 500)):
        at = begin
        while at + 0.1 <= end:
            off, at = max(off, abs(between(times, at, at + 0.1) / (0.1 * per_s) - 1)), at + 0.1
    least, most = (500 * 12 + 1500 * length for length in (asked_down - up, down - asked_up))
    holds = off <= 0.1 and least - 4 <= len(times) <= most + 4
    return "rate 500, 2,000, 500/s", f"a tenth of a second off by {100 * off:.1f} % at most; {len(times):,} arrivals, {least:,.0f} to {most:,.0f} wanted", holds


def closed_pause(args, site):
    def ran(pause):
        with Run(args.swell, users_group(20, 100, http(site))) as run:
            if pause:
                time.sleep(2)
                before, paused = run.control("pause")
                time.sleep(5)
                run.pause = (paused, run.control("resume")[0])
                run.length = (run.pause[1] - before)
        return run
    plain, paused = ran(False), ran(True)
    inside = between(starts(paused), paused.pause[0] + 0.1, paused.pause[1])
    longer = (starts(paused)[-1] - starts(paused)[0]) - (starts(plain)[-1] - starts(plain)[0])
    holds = len(plain.rows) == len(paused.rows) == 2000 and inside == 0 and abs(longer - paused.length) < 0.3
    return "20 users × 100 loops, 5 s of pause", f"{len(paused.rows):,} samples ({len(plain.rows):,} without); {inside} began in the pause; {longer:.2f} s longer after {paused.length:.2f} s", holds


def open_pause(args, site):
    with Run(args.swell, arrivals_group(200, 10, http(site))) as run:
        time.sleep(3)
        before, paused = run.control("pause")
        time.sleep(3)
        resumed, after = run.control("resume")
    times = starts(run)
    inside = between(times, paused + 0.1, resumed)
    least, most = (200 * (10 - length) for length in (after - before, resumed - paused))
    burst = max((between(times, after + at / 10, after + at / 10 + 0.1) for at in range(10)), default=0)
    holds = inside == 0 and least - 4 <= len(times) <= most + 4 and burst <= 23
    return "200/s for 10 s, 3 s of pause", f"{inside} began in the pause; {len(times):,} arrivals, {least:,.0f} to {most:,.0f} wanted; most in a tenth of a second after it: {burst}", holds


def throttled(site):
    """Return a plan of 20 users whose starts per minute are the property `tpm`."""
    timer = element("ConstantThroughputTimer", "t", prop("throughput", "${__P(tpm)}") + '<intProp name="calcMode">4</intProp>')
    return users_group(20, -1, http(site, path="/") + timer)


def property_of_timer(args, site):
    with Run(args.swell, throttled(site), "-Jtpm=1200") as run:
        time.sleep(4)
        before, changed = run.control("set", "tpm=6000")
        time.sleep(4)
        run.control("stop")
    times = starts(run)
    slow, fast = between(times, before - 3, before) / 3, between(times, changed + 1, changed + 3) / 2
    holds = abs(slow / 20 - 1) <= 0.05 and abs(fast / 100 - 1) <= 0.05
    return "Constant Throughput Timer, 20 to 100/s by a property", f"{slow:.1f}/s before, {fast:.1f}/s from a second after it on", holds


def reached(times, changed, per_s):
    """Return the seconds until the rate is reached: from then on each second has it, within 5 % and one sample."""
    off = lambda begin: abs(between(times, begin, begin + 1) - per_s) > 0.05 * per_s + 1
    late = [tenth for tenth in range(40) if off(changed + tenth / 10)]
    return (late[-1] + 1) / 10 if late else 0.0


def as_jmeter(args, site):
    wanted = "the same, 20 to 100 to 20/s, compared with JMeter's BeanShell server"
    if not args.jmeter:
        return wanted, "left out: no --jmeter", True
    found = {}
    for name, made in (("Swell", Run(args.swell, throttled(site), "-Jtpm=1200")), ("JMeter", JmeterRun(args.jmeter, throttled(site), "-Jtpm=1200"))):
        with made as run:
            time.sleep(6)
            _, up = run.control("set", "tpm=6000")
            time.sleep(6)
            _, down = run.control("set", "tpm=1200")
            time.sleep(6)
            run.control("stop")
        times = starts(run)
        each = lambda changed: " ".join(str(between(times, changed + at, changed + at + 1)) for at in range(-2, 4))
        found[name] = (reached(times, up, 100), reached(times, down, 20), f"{each(up)} and {each(down)}")
    apart = max(abs(found["Swell"][at] - found["JMeter"][at]) for at in (0, 1))
    words = "; ".join(f"{name}: there after {up:.1f} s and {down:.1f} s (starts in each second from 2 s before: {each})" for name, (up, down, each) in found.items())
    return wanted, f"{words}; at most {apart:.1f} s apart", apart <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases = {"users": users, "rate": rate, "closed_pause": closed_pause, "open_pause": open_pause, "property": property_of_timer,
             "jmeter": as_jmeter}
    parser.add_argument("--swell", required=True)
    parser.add_argument("--jmeter", help="home of JMeter 5.6.3")
    parser.add_argument("--rows", nargs="+", choices=cases, default=list(cases))
    args = parser.parse_args()
    args.swell = os.path.abspath(args.swell)
    with Site(args.swell) as site:
        found = [cases[row](args, site) for row in args.rows]
    lines = ["# Load changed during a run", "", "`bench/live_control.py --swell SWELL --jmeter HOME`; response times of 50 ms, judged by the rows of results files.", "",
             "| load | found | holds |", "|---|---|---|"]
    lines += [f"| {wanted} | {words} | {'yes' if holds else 'NO'} |" for wanted, words, holds in found]
    text = "\n".join(lines) + "\n"
    show("live_control.md", text)
    return 0 if all(holds for *_, holds in found) else 1


if __name__ == "__main__":
    sys.exit(main())
