#!/usr/bin/env python3
"""Measure the time from the start of the process until the first request of a small plan reaches the server.

    bench/startup.py --swell target/release/swell [--rounds 11]
"""

import argparse
import os
import socket
import statistics
import subprocess
import tempfile
import time

from support import show

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def once(args, plan, folder):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        began = time.monotonic()
        run = subprocess.Popen([args.swell, "run", plan, f"-Jport={port}", "-Jusers=1", "-Jseconds=1", "-j", f"{folder}/log"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        connection, _ = server.accept()
        connection.recv(4096)
        took = time.monotonic() - began
        connection.sendall(ANSWER)
        connection.close()
        run.kill()
        run.wait()
    return took * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=11)
    args = parser.parse_args()
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plans", "one-sampler.jmx")
    with tempfile.TemporaryDirectory() as folder:
        times = [once(args, plan, folder) for _ in range(args.rounds)]
    text = f"process start to first request: median {statistics.median(times):.1f} ms of {args.rounds} runs, {min(times):.1f} to {max(times):.1f} ms\n"
    show("startup.md", text)


main()
