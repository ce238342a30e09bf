#!/usr/bin/env python3
"""Stage faults one after the other, and check that `swell hit`, `run` and `search` name the right culprit.

    bench/staged_faults.py SWELL [--only PATTERN] [--output bench/results/staged_faults.md]

For each fault, each command must print one of the expected texts and none of the forbidden ones: it must not blame a
server for a neighbour, for example. Faults that need namespaces (few ports, a full disk, names that hang) are left out
if this user may not create one, and faults of agents if nats-server is missing.
"""

import argparse
import contextlib
import ctypes
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from support import Broker

SERVER = r"the server's accept queue|processors of the server|a pool of about|memory of the server"
NETWORK = r"the network loses|the network: "
OTHERS = r"other programs took"
BLAME_SERVER = r"the server under test, |" + SERVER
BLAME_ALL = SERVER + "|" + NETWORK + "|generator or shared machine"

PLAN = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="staged"/><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="users">
<stringProp name="ThreadGroup.on_sample_error">continue</stringProp>
<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><intProp name="LoopController.loops">-1</intProp></elementProp>
<stringProp name="ThreadGroup.num_threads">{users}</stringProp><stringProp name="ThreadGroup.ramp_time">0</stringProp>
<boolProp name="ThreadGroup.scheduler">true</boolProp><stringProp name="ThreadGroup.duration">{seconds}</stringProp>
</ThreadGroup><hashTree>
<ConstantTimer guiclass="ConstantTimerGui" testclass="ConstantTimer" testname="t"><stringProp name="ConstantTimer.delay">{pause}</stringProp></ConstantTimer><hashTree/>
<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="request">
<stringProp name="HTTPSampler.protocol">{scheme}</stringProp><stringProp name="HTTPSampler.domain">{host}</stringProp>
<stringProp name="HTTPSampler.port">{port}</stringProp><stringProp name="HTTPSampler.path">{path}</stringProp>
<stringProp name="HTTPSampler.method">GET</stringProp><boolProp name="HTTPSampler.use_keepalive">{keep}</boolProp>
<stringProp name="HTTPSampler.connect_timeout">{timeout}</stringProp><stringProp name="HTTPSampler.response_timeout">{timeout}</stringProp>
</HTTPSamplerProxy><hashTree/></hashTree></hashTree></hashTree></jmeterTestPlan>
"""


def answer(body=b"hello", status="200 OK", more=""):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def lossy(connection, part=0.08):
    """Make the kernel drop this share of the segments that reach a connection, by a socket filter with random numbers."""
    code = [(0x20, 0, 0, 0xFFFFF000 + 56), (0x35, 0, 1, int(part * 2**32)), (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    connection.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", len(code), ctypes.addressof(program)))


class Server:
    """A server process that calls `serve(connection)` on a thread per connection, for the duration of a `with` block."""

    def __init__(self, serve, backlog=128, accept_each=0.0):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(backlog)
        self.port = self.listener.getsockname()[1]
        self.serve, self.accept_each = serve, accept_each

    def __enter__(self):
        self.pid = os.fork()
        if self.pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            with contextlib.suppress(OSError):
                while True:
                    if self.accept_each:
                        time.sleep(self.accept_each)
                    connection, _ = self.listener.accept()
                    threading.Thread(target=self.one, args=(connection,), daemon=True).start()
            os._exit(0)
        self.listener.close()
        return self

    def one(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.serve(connection)

    def kill(self, how=signal.SIGKILL):
        os.kill(self.pid, how)

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.kill(signal.SIGCONT)
            self.kill()
        os.waitpid(self.pid, 0)


def requests(connection):
    """Yield once for each complete request."""
    held = b""
    while True:
        while b"\r\n\r\n" not in held:
            more = connection.recv(65536)
            if not more:
                return
            held += more
        held = held.split(b"\r\n\r\n", 1)[1]
        yield


def replies(reply, pause=0.0, then=None):
    """Return a server function that sends this reply to each request after a pause, then calls `then` with the connection."""

    def serve(connection):
        for _ in requests(connection):
            if pause:
                time.sleep(pause)
            connection.sendall(reply() if callable(reply) else reply)
            if then:
                then(connection)
                return

    return serve


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def resets(connection):
    for _ in requests(connection):
        reset(connection)
        return


def closes(connection):
    for _ in requests(connection):
        return


def silent(connection):
    for _ in requests(connection):
        pass


def speaks_first(reply):
    def serve(connection):
        connection.recv(65536)
        connection.sendall(reply)

    return serve


def pool(size, service):
    places = threading.Semaphore(size)

    def serve(connection):
        for _ in requests(connection):
            with places:
                time.sleep(service)
            connection.sendall(answer())

    return serve


def admission(most_at_a_time):
    """Reject requests while more than this many are in progress."""
    places = threading.Semaphore(most_at_a_time)

    def serve(connection):
        for _ in requests(connection):
            if places.acquire(blocking=False):
                time.sleep(0.05)
                places.release()
                connection.sendall(answer())
            else:
                connection.sendall(answer(status="503 Service Unavailable"))

    return serve


def every(number, bad):
    count = iter(range(10**9))
    return replies(lambda: bad if next(count) % number == number - 1 else answer(), 0.002)


def with_loss(connection):
    lossy(connection)
    replies(answer(bytes(4000)), 0.001)(connection)


@contextlib.contextmanager
def programs(*commands):
    """Run other programs during the test."""
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


FLOOD = """
import socket, time
full = socket.socket(); full.bind(("127.0.0.1", 0)); full.listen(0)
while True:
    asked = []
    for _ in range(60):
        one = socket.socket(); one.setblocking(False); one.connect_ex(full.getsockname()); asked.append(one)
    time.sleep(0.2)
"""

ECHO = """
import socket, threading
one = socket.socket(); one.bind(("127.0.0.1", 0)); one.listen(64)
def sink(c):
    while c.recv(1 << 20): pass
def fill():
    while True:
        c, _ = one.accept(); threading.Thread(target=sink, args=(c,), daemon=True).start()
threading.Thread(target=fill, daemon=True).start()
while True:
    c = socket.create_connection(one.getsockname())
    for _ in range(200): c.sendall(bytes(1 << 18))
    c.close()
"""


class Fault:
    """A fault: how it is staged, the expected texts and the forbidden ones. Without `server`, nothing listens."""

    def __init__(self, name, says, never=BLAME_ALL, server=None, url=None, scheme="http", beside=None, **how):
        self.name, self.says, self.never, self.server, self.url = name, says, never, server, url
        self.scheme, self.beside, self.how = scheme, beside, how

    def words(self, command):
        return self.says.get(command) if isinstance(self.says, dict) else self.says


def faults():
    good = replies(answer())
    busy = [sys.executable, "-c", "while True: pass"]
    forks = ["sh", "-c", "while :; do /bin/true; done"]
    return [
        Fault("closed port", "connection refused by 127.0.0.1", url=lambda: f"http://127.0.0.1:{closed_port()}/"),
        Fault("unknown name", "name not found: nosuch.invalid", url=lambda: "http://nosuch.invalid/"),
        Fault("404", "status 404", server=replies(answer(status="404 Not Found"))),
        Fault("503 always", "status 503", server=replies(answer(status="503 Service Unavailable"))),
        Fault("500 in a tenth", {"hit": "got 500", "run": "got 500", "search": "errors that do not depend on the load|the server fails a part|500"},
              server=every(10, answer(status="500 Internal Server Error")), never=NETWORK + "|accept queue|generator or"),
        Fault("TLS on a plain port", "TLS failed", server=speaks_first(answer(status="400 Bad Request")), scheme="https"),
        Fault("plain on a TLS port", "not HTTP|closed early|connection reset", server=speaks_first(b"\x15\x03\x01\x00\x02\x02\x46")),
        Fault("silent server", "response timeout|nothing answered", server=silent, timeout=1),
        Fault("server closes before it answers", "closed early", server=closes),
        Fault("server resets", "connection reset", server=resets),
        Fault("no HTTP", "not HTTP", server=speaks_first(b"SSH-2.0-OpenSSH_9.6\r\n")),
        Fault("body cut short", "closed early", server=replies(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", then=lambda c: None)),
        Fault("body that cannot be decoded", "cannot be decoded", server=replies(answer(b"no gzip at all", more="Content-Encoding: gzip\r\n"))),
        Fault("slow server", {"hit": r"Measurement: ", "run": r"Measurement: ", "search": r"does not hold|holds"}, server=replies(answer(), 0.3),
              slo="mean<100ms", never=NETWORK + "|accept queue|generator or|other programs took"),
        Fault("pool of four", {"search": "a pool of about [345] "}, server=pool(4, 0.02), vary="users", range="1..16", slo="mean<40ms",
              never=NETWORK + "|accept queue", only=("search",)),
        Fault("admission control", {"hit": "got 503", "run": "got 503", "search": "admission control|turns requests down"},
              server=admission(2), range="10..160", users=12, slo="errors<5%", never=NETWORK + "|accept queue"),
        Fault("full accept queue", {"hit": "the server's accept queue|no connection to", "run": "the server's accept queue|no connection to",
              "search": "the server's accept queue"}, server=replies(answer(), then=lambda c: None), backlog=1, accept_each=0.04,
              users=16, keep=False, vary="users", range="1..16", slo="mean<300ms", never=NETWORK + "|" + OTHERS + "|generator or"),
        Fault("nobody accepts", "no connection to|accept queue|nothing answered|response timeout", server=good, backlog=0, accept_each=99, users=4, timeout=2,
              never=NETWORK + "|" + OTHERS),
        Fault("loss", {"hit": "the network loses them", "run": "the network loses them", "search": "the network: it loses segments"}, server=with_loss,
              slo="p(95)<20ms", users=6, vary="users", range="4..8", never="accept queue|processors of the server|a pool of|" + OTHERS),
        Fault("four busy programs", {"hit": OTHERS, "run": OTHERS, "search": OTHERS}, server=good, rate=400, seconds=4, users=20,
              beside=lambda: programs(*[busy] * 4), slo="p(50)<0.05ms", never=BLAME_SERVER + "|" + NETWORK),
        Fault("short programs, one after the other", {"hit": OTHERS, "run": OTHERS, "search": OTHERS}, server=good, rate=400, seconds=4, users=20,
              beside=lambda: programs(*[forks] * 4), slo="p(50)<0.05ms", never=BLAME_SERVER + "|" + NETWORK),
        Fault("neighbour floods another listener", {"hit": "Measurement: ", "run": "Measurement: "}, server=good, rate=50, users=5, seconds=3,
              beside=lambda: programs([sys.executable, "-c", FLOOD]), never="accept queue|the network loses", only=("hit", "run")),
        Fault("neighbour floods, and the server is slow", {"search": "does not hold"}, server=replies(answer(), 0.2), slo="mean<100ms",
              beside=lambda: programs([sys.executable, "-c", FLOOD]), never="accept queue|the network", only=("search",)),
        Fault("neighbour sends much on loopback", {"hit": "Measurement: ", "run": "Measurement: "}, server=good, rate=50, users=5, seconds=3,
              beside=lambda: programs([sys.executable, "-c", ECHO]), never="accept queue|the network loses|the server under test",
              only=("hit", "run")),
        Fault("few descriptors", "descriptors|resource limit of this machine|ulimit", server=good, descriptors=70, users=200, vary="users", range="150..200"),
        Fault("few ports", "resource limit of this machine|local port|descriptors, ports", server=good, ports="40000 40007", users=60, vary="users", range="50..60"),
        Fault("no route", "unreachable|no connection|Network is unreachable", url=lambda: "http://192.0.2.1/", empty_network=True),
        Fault("names that hang", "name not found|no connection|nothing answered|unresolved|resolve", url=lambda: "http://hung.example/", hung_names=True),
        Fault("full disk", {"run": "could not be written|cannot write|No space"}, server=good, full_disk=True, only=("run",), seconds=4, users=4, pause=0),
        Fault("slow disk", {"run": r"\(INVALID\)[^\n]*\n(.*\n)*?  INVALID +slow disk: "}, server=replies(answer(b"x" * 50_000, more="Content-Type: text/plain\r\n")), slow_disk=200_000,
              settings=["output_format=xml", "response_data=true"], only=("run",), seconds=5, users=8, pause=0, never=BLAME_SERVER + "|" + NETWORK),
        Fault("server ends half-way", {"hit": "connection refused", "run": "connection refused", "search": "the server does not answer|nothing answered|went away|connection refused"},
              server=good, seconds=3, ends=(1.2, signal.SIGKILL), never=NETWORK + "|generator or|" + OTHERS),
        Fault("server stops half-way", {"hit": "response timeout|no connection", "run": "response timeout|no connection", "search": "no response|hangs|in time|does not answer|does not hold|not sure yet|timeout"},
              server=good, seconds=4, timeout=1, ends=(1.2, signal.SIGSTOP), never=NETWORK + "|generator or|" + OTHERS),
        Fault("killed agent", {"run": "of the load was missing"}, server=good, agents=signal.SIGKILL, seconds=14, only=("run",), never=BLAME_ALL),
        Fault("stopped agent", {"run": "of the load was missing"}, server=good, agents=signal.SIGSTOP, seconds=14, only=("run",), never=BLAME_ALL),
        Fault("dead broker", {"run": "broker|of the load was missing"}, server=good, agents="broker", seconds=14, only=("run",), never=BLAME_ALL),
    ]


def line_of(command, fault, swell, url, folder):
    """Return the command with its arguments."""
    how = fault.how
    seconds, users, timeout = how.get("seconds", 2), how.get("users", 4), how.get("timeout", 3)
    if command == "hit":
        rate = ["-r", str(how["rate"])] if "rate" in how else []
        close = [] if how.get("keep", True) else ["-H", "Connection: close"]
        return [swell, "hit", url, "-c", str(users), "-d", f"{seconds}s", "--timeout", f"{timeout}s", *rate, *close]
    if command == "search":
        load = how.get("range", "10..40")
        rule = how.get("slo", "p(99)<500ms")
        close = [] if how.get("keep", True) else ["--header=Connection: close"]
        host = re.sub(r"^\w+://([^/:]+).*", r"\1", url)
        return [swell, "search", url, f"--{how.get('vary', 'rate')}", load, "--trial", "2s", "--warm-up", "0s", "--budget", "25s", "--recovery", "2s",
                "--timeout", f"{timeout}s", "--slo", rule, "--i-may-load", host, *close]
    parts = re.fullmatch(r"(\w+)://([^/:]+):?(\d*)(/.*)", url)
    plan = PLAN.format(scheme=parts[1], host=parts[2], port=parts[3], path=parts[4], users=users, seconds=seconds, timeout=1000 * timeout,
                       pause=how.get("pause", 20), keep=str(how.get("keep", True)).lower())
    with open(f"{folder}/plan.jmx", "w", encoding="utf-8") as file:
        file.write(plan)
    results = how.get("results", f"{folder}/out.jtl")
    settings = [f"-Jjmeter.save.saveservice.{setting}" for setting in how.get("settings", [])]
    return [swell, "run", f"{folder}/plan.jmx", "-l", results, "-f", *settings]


def confined(fault, line, folder):
    """Wrap the command in the namespaces and limits that the fault needs."""
    how = fault.how
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in line)
    if "ports" in how:
        return None
    if how.get("empty_network"):
        return ["unshare", "-n", "sh", "-c", f"ip link set lo up; exec {quoted}"]
    if how.get("hung_names"):
        with open(f"{folder}/resolv.conf", "w", encoding="utf-8") as file:
            file.write(f"nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        return ["unshare", "-n", "-m", "sh", "-c", f"ip link set lo up; mount --bind {folder}/resolv.conf /etc/resolv.conf; "
                f"{sys.executable} -c 'import socket,time; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.bind((\"127.0.0.1\",53)); time.sleep(60)' & "
                f"sleep 0.3; {quoted}; code=$?; kill $!; exit $code"]
    if how.get("full_disk"):
        inside = quoted.replace(f"{folder}/out.jtl", f"{folder}/small/out.jtl")
        return ["unshare", "-m", "sh", "-c", f"mkdir -p {folder}/small; mount -t tmpfs -o size=64k none {folder}/small; exec {inside}"]
    return line


def read_slowly(path, bytes_per_s, seconds):
    """Reads a pipe, slowly at first: what writes to it waits as for a disk."""
    with open(path, "rb", buffering=0) as pipe:
        until = time.monotonic() + seconds
        while time.monotonic() < until and pipe.read(bytes_per_s // 20):
            time.sleep(0.05)
        while pipe.read(1 << 20):
            pass


def run_line(fault, line, folder, server):
    """Run the command while the fault is staged; return its output."""
    how = fault.how
    limit = how.get("descriptors")
    if "slow_disk" in how:
        os.mkfifo(f"{folder}/out.jtl")
    before = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))) if limit else None
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, preexec_fn=before)
    if "slow_disk" in how:
        threading.Thread(target=read_slowly, args=(f"{folder}/out.jtl", how["slow_disk"], how["seconds"]), daemon=True).start()
    if "ends" in how:
        after, how_it_ends = how["ends"]
        threading.Timer(after, server.kill, (how_it_ends,)).start()
    try:
        said, _ = process.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
        said += "\n(it did not end within 90 s)"
    return said


def run_agents(fault, line, swell, how):
    """Run on two agents; kill or stop one of them half-way, or kill the broker."""
    with Broker() as broker:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        agents = [subprocess.Popen([swell, "agent", broker.url, "--once", "--quiet", "--name", name], **quiet) for name in ("one", "two")]
        line = [*line, "--agents", "2", "--nats", broker.url]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        reader = threading.Thread(target=lambda: said.extend(process.stdout), daemon=True)
        reader.start()
        until = time.monotonic() + 30
        while sum("has joined" in line for line in said) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(fault.how["seconds"] / 2)
        if how == "broker":
            broker.kill()
        else:
            agents[0].send_signal(how)
        try:
            process.wait(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            said.append("(it did not end within 90 s)")
        reader.join(timeout=5)
        for agent in agents:
            agent.kill()
            agent.wait()
    return "".join(said)


def in_network_with_few_ports(fault, command, swell, folder):
    """Run the server and the command in a separate network with few ports."""
    script = os.path.abspath(__file__)
    line = ["unshare", "-n", "sh", "-c", f"ip link set lo up; echo {fault.how['ports']} >/proc/sys/net/ipv4/ip_local_port_range; "
            f"exec {sys.executable} {script} {swell} --inside '{fault.name}' --command {command}"]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120).stdout


def stage(fault, command, swell, inside=False):
    """Stage a fault; return the command's output."""
    how = fault.how
    with tempfile.TemporaryDirectory(prefix="staged-") as folder, contextlib.ExitStack() as stack:
        if "ports" in how and not inside:
            return in_network_with_few_ports(fault, command, swell, folder)
        server = None
        if fault.server:
            server = stack.enter_context(Server(fault.server, how.get("backlog", 128), how.get("accept_each", 0.0)))
            url = f"{fault.scheme}://127.0.0.1:{server.port}/"
        else:
            url = fault.url()
        if fault.beside:
            stack.enter_context(fault.beside())
        line = line_of(command, fault, swell, url, folder)
        if "agents" in how:
            return run_agents(fault, line, swell, how["agents"])
        line = line if inside else confined(fault, line, folder)
        return run_line(fault, line, folder, server)


def is_quiet():
    """Return whether the machine is otherwise idle: only then must no command mention other programs."""

    def ticks():
        with open("/proc/stat", encoding="ascii") as file:
            numbers = [int(number) for number in file.readline().split()[1:9]]
        return sum(numbers), numbers[3] + numbers[4]

    before = ticks()
    time.sleep(0.5)
    after = ticks()
    return after[1] - before[1] > 0.7 * (after[0] - before[0])


def judged(fault, command, said, quiet):
    """Return whether the output names the right culprit, and the text that does. On a busy machine, naming other programs
    as well is right, and so is naming them instead if they took too much processor time from a search."""
    found = re.search(fault.words(command), said)
    never = fault.never
    if not quiet:
        never = "|".join(word for word in never.split("|") if word not in OTHERS)
        if command == "search" and not found and fault.server:
            found = re.search("other programs on this machine", said)
    blamed = re.search(never, said) if never else None
    lines = said.splitlines()
    shown = next((line.strip() for line in lines if found and found[0] in line), "")
    if blamed:
        shown = next((line.strip() for line in lines if blamed[0] in line), "")
    return bool(found) and not blamed, re.sub(r":\d{4,5}\b", ":PORT", shown)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("swell")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--output")
    arguments.add_argument("--verbose", action="store_true")
    arguments.add_argument("--inside", help=argparse.SUPPRESS)
    arguments.add_argument("--command", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    swell = os.path.abspath(given.swell)
    if given.inside:
        fault = next(fault for fault in faults() if fault.name == given.inside)
        print(stage(fault, given.command, swell, inside=True))
        return
    rows, busy = [], 0
    for fault in faults():
        if not re.search(given.only, fault.name):
            continue
        cells = []
        for command in ("hit", "run", "search"):
            if fault.words(command) is None or command not in fault.how.get("only", ("hit", "run", "search")):
                continue
            try:
                quiet = is_quiet()
                said = stage(fault, command, swell)
            except (OSError, subprocess.SubprocessError, SystemExit) as error:
                print(f"{fault.name}, {command}: left out, {error}", file=sys.stderr)
                continue
            # Detect work that began after the first check by its name: the programs that this script starts have other names.
            quiet = quiet and not re.search(r"other programs took[^:]*: (?!python3|sh )", said)
            is_right, shown = judged(fault, command, said, quiet)
            busy += not quiet
            cells.append((command, is_right, shown))
            print(f"{'ok ' if is_right else 'BAD'} {fault.name:42} {command:7} {shown[:110]}", flush=True)
            if given.verbose or not is_right:
                print("    " + "\n    ".join(said.splitlines()[-25:]), flush=True)
        if cells:
            rows.append((fault.name, cells))
    right = sum(all(cell[1] for cell in cells) for _, cells in rows)
    print(f"right culprit in {right} of {len(rows)} faults")
    if given.output:
        write(given.output, rows, right, busy)
    sys.exit(right != len(rows))


def write(path, rows, right, busy):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Staged faults\n\nWritten by `bench/staged_faults.py`: what `hit`, `run` and `search` print for each fault.\n\n")
        if busy:
            file.write(f"Other programs kept the machine busy in {busy} of {sum(len(cells) for _, cells in rows)} trials; naming them is also right then.\n\n")
        file.write(f"The right culprit was named in {right} of {len(rows)} faults.\n\n| fault | command | right | output |\n|---|---|---|---|\n")
        for name, cells in rows:
            for command, is_right, shown in cells:
                words = shown.replace("|", "/")
                words = words if len(words) <= 110 else words[:109] + "…"
                file.write(f"| {name} | `{command}` | {'yes' if is_right else 'NO'} | {words} |\n")


if __name__ == "__main__":
    main()
