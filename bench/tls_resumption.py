#!/usr/bin/env python3
"""Count the client's instructions of cryptography per HTTPS connection by callgrind: full handshakes and resumed ones, TLS 1.2 and 1.3.

`swell hit` makes a new connection for each request to nginx on loopback. Two runs of different length; the difference of the
instructions in `ring`, divided by the difference of their requests, is that of a connection. The whole process does other work each
second, which is much under valgrind. nginx gives session tickets or none, and counts how many sessions were resumed.

    bench/tls_resumption.py --swell target/release/swell [--requests 40,140] [--keep DIR]

Needs valgrind, nginx and openssl, and a program with symbols (`cargo rustc --release -p swell -- -C strip=none`). Prints a Markdown table; --keep writes callgrind's files to DIR.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from cpu_per_request import free_port

NGINX = """
worker_processes 1; daemon off; pid {dir}/nginx.pid; error_log {dir}/error.log;
events {{ worker_connections 900; }}
http {{
  log_format reused "$ssl_session_reused"; access_log {dir}/reused.log reused;
  client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem;
    ssl_protocols {protocol}; ssl_session_tickets {tickets}; ssl_session_cache off;
    location / {{ return 200 "{body}"; }}
  }}
}}
"""


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"], check=True, capture_output=True)


def start(folder, port, protocol, tickets):
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(NGINX.format(dir=folder, port=port, protocol=protocol, tickets=tickets, body="x" * 100))
    process = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"])
    for _ in range(500):
        if os.path.exists(f"{folder}/nginx.pid") and os.path.getsize(f"{folder}/nginx.pid"):
            return process
        time.sleep(0.02)
    sys.exit("nginx does not respond")


def counted(args, port, requests, folder):
    out = f"{folder}/callgrind.{requests}"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", args.swell, "hit", f"https://127.0.0.1:{port}/", "-c", "1", "-w", "1",
                    "-n", str(requests), "--no-keepalive", "--json"], check=True, capture_output=True)
    shown = subprocess.run(["callgrind_annotate", "--threshold=100", out], check=True, capture_output=True, text=True).stdout
    lines = [line for line in shown.splitlines() if re.match(r" *[\d,]+ \(", line) and re.search(r"/ring-\d|ring_core", line)]
    return sum(int(line.split()[0].replace(",", "")) for line in lines)


def measured(args, protocol, tickets):
    folder = args.keep and f"{args.keep}/{protocol}-{tickets}" or tempfile.mkdtemp(prefix="swell-tls-")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    make_certificate(folder)
    port = free_port()
    nginx = start(folder, port, protocol, tickets)
    try:
        few, many = (int(number) for number in args.requests.split(","))
        difference = counted(args, port, many, folder) - counted(args, port, few, folder)
    finally:
        nginx.terminate()
        nginx.wait()
    with open(f"{folder}/reused.log", encoding="utf-8") as file:
        lines = file.read().split()
    if not args.keep:
        shutil.rmtree(folder)
    return difference / (many - few), lines.count("r") / max(1, len(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--requests", default="40,140", help="requests of the two runs")
    parser.add_argument("--keep")
    args = parser.parse_args()
    print("| protocol | tickets | resumed | instructions of cryptography per connection | full = 1 |\n|---|---|--:|--:|--:|")
    for protocol in ("TLSv1.2", "TLSv1.3"):
        full = None
        for tickets in ("off", "on"):
            instructions, reused = measured(args, protocol, tickets)
            full = full or instructions
            print(f"| {protocol} | {tickets} | {reused:.0%} | {instructions:,.0f} | {instructions / full:.2f} |", flush=True)


main()
