#!/usr/bin/env python3
"""Compare the CPU time per request of a Hurl file with that of plans that do the same.

    bench/import/hurl_cost.py --swell target/release/swell [--rounds 5] [--requests 40000]

Three ways send the same requests to `swell target`: the file, the plan that `swell import` makes of it, and a plan as a
person writes it: a sampler with an assertion of the status and a JSON Extractor, and one with the captured value in its
path. Each runs with one worker and 20 users, short and long; the difference of the user and system time, divided by the
difference of the requests, excludes start and end. Ways alternate within a round; the result is the median over the
rounds of the ratio to the written plan. The goal is at most 1.2. Prints a Markdown table.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import Site

HURL = """GET http://{address}/anything/items?q=shoes
HTTP 200
[Captures]
method: jsonpath "$.method"

GET http://{address}/bytes/{{{{method}}}}
HTTP *
"""

SAMPLER = """<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="{name}" enabled="true">
<elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
<stringProp name="HTTPSampler.domain">{host}</stringProp><stringProp name="HTTPSampler.port">{port}</stringProp>
<stringProp name="HTTPSampler.path">{path}</stringProp><stringProp name="HTTPSampler.method">GET</stringProp>
<boolProp name="HTTPSampler.use_keepalive">true</boolProp></HTTPSamplerProxy><hashTree>{below}</hashTree>"""

BELOW = """<ResponseAssertion guiclass="AssertionGui" testclass="ResponseAssertion" testname="200" enabled="true">
<collectionProp name="Asserion.test_strings"><stringProp name="0">200</stringProp></collectionProp>
<stringProp name="Assertion.test_field">Assertion.response_code</stringProp><intProp name="Assertion.test_type">8</intProp></ResponseAssertion><hashTree/>
<JSONPostProcessor guiclass="JSONPostProcessorGui" testclass="JSONPostProcessor" testname="method" enabled="true">
<stringProp name="JSONPostProcessor.referenceNames">method</stringProp><stringProp name="JSONPostProcessor.jsonPathExprs">$.method</stringProp>
<stringProp name="JSONPostProcessor.match_numbers">1</stringProp><stringProp name="JSONPostProcessor.defaultValues">NOT_FOUND</stringProp></JSONPostProcessor><hashTree/>"""

PLAN = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree><TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="p" enabled="true"/><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="g" enabled="true"><stringProp name="ThreadGroup.num_threads">${{__P(users,1)}}</stringProp>
<stringProp name="ThreadGroup.ramp_time">0</stringProp><elementProp name="ThreadGroup.main_controller" elementType="LoopController">
<stringProp name="LoopController.loops">${{__P(loops,1)}}</stringProp><boolProp name="LoopController.continue_forever">false</boolProp></elementProp></ThreadGroup><hashTree>
<CookieManager guiclass="CookiePanel" testclass="CookieManager" testname="c" enabled="true"><collectionProp name="CookieManager.cookies"/>
<boolProp name="CookieManager.clearEachIteration">true</boolProp></CookieManager><hashTree/>
{samplers}</hashTree></hashTree></hashTree></jmeterTestPlan>
"""

USERS = 20


def cpu_s(command, folder):
    """Return the user and system time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(swell, folder, address):
    host, port = address.split(":")
    Path(folder, "a.hurl").write_text(HURL.format(address=address))
    sampler = lambda name, path, below: SAMPLER.format(name=name, host=host, port=port, path=path, below=below)
    samplers = sampler("items", "/anything/items?q=shoes", BELOW) + sampler("bytes", "/bytes/${method}", "")
    Path(folder, "written.jmx").write_text(PLAN.format(samplers=samplers))
    subprocess.run([swell, "import", "a.hurl", "-o", "imported.jmx", "-f"], cwd=folder, check=True, capture_output=True)


def per_request_us(swell, way, requests, folder):
    run = [swell, "run", "-w", "1"]
    times = []
    for number in (requests // 8, requests):
        loops = str(number // USERS // 2)
        load = ["--users", str(USERS), "--loops", loops] if way.endswith(".hurl") else [f"-Jusers={USERS}", f"-Jloops={loops}"]
        times.append((cpu_s([*run, way, *load], folder), int(loops) * USERS * 2))
    (short, few), (long, many) = times
    return 1e6 * (long - short) / (many - few)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swell", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=40_000)
    args = parser.parse_args()
    swell = os.path.abspath(args.swell)
    with Site(swell) as site:
        address = f"127.0.0.1:{site.port}"
        ways = {"written.jmx": [], "imported.jmx": [], "a.hurl": []}
        with tempfile.TemporaryDirectory() as folder:
            write(swell, folder, address)
            for _ in range(args.rounds):
                for way, times in ways.items():
                    times.append(per_request_us(swell, way, args.requests, folder))
        print("| way | CPU µs per request | ratio to the written plan (lowest to highest) |\n|---|--:|--:|")
        for way, times in ways.items():
            ratios = [one / base for one, base in zip(times, ways["written.jmx"])]
            print(f"| {way} | {statistics.median(times):.2f} | {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) |")
        print(f"\nLoad average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors.")


if __name__ == "__main__":
    main()
