#!/usr/bin/env python3
"""Measure the CPU time of `swell check` and of a run of one iteration by the size of the plan.

    bench/plan_size.py --swell target/release/swell [--sizes 1000,10000] [--groups 1000,5000]

Plans have samplers side by side in one thread group (`flat`), the same with an assertion and an extractor below each
(`checked`), or one sampler in each of many thread groups (`groups`). The samplers request a closed
port of loopback, so that nearly all time of a run is compiling and failing. Prints a Markdown table of user and system CPU
seconds; a column that grows with the square of the size is a fault.
"""

import argparse
import os
import resource
import subprocess
import tempfile


def element(tag, name, gui, properties, below=""):
    return f'<{tag} guiclass="{gui}" testclass="{tag}" testname="{name}">{properties}</{tag}><hashTree>{below}</hashTree>'


def text_of(name, value):
    return f'<stringProp name="{name}">{value}</stringProp>'


def sampler(name, below=""):
    properties = text_of("HTTPSampler.domain", "127.0.0.1") + text_of("HTTPSampler.port", "1")
    properties += text_of("HTTPSampler.path", f"/{name}") + text_of("HTTPSampler.method", "GET")
    return element("HTTPSamplerProxy", name, "HttpTestSampleGui", properties, below)


def assertion():
    wanted = f'<collectionProp name="Asserion.test_strings">{text_of("1", "ok")}</collectionProp>'
    properties = wanted + text_of("Assertion.test_field", "Assertion.response_data") + '<intProp name="Assertion.test_type">2</intProp>'
    return element("ResponseAssertion", "says ok", "AssertionGui", properties)


def extractor(name):
    properties = text_of("RegexExtractor.refname", name) + text_of("RegexExtractor.regex", "(o)k")
    return element("RegexExtractor", name, "RegexExtractorGui", properties)


def group(name, below):
    loop = '<boolProp name="LoopController.continue_forever">false</boolProp>' + text_of("LoopController.loops", "1")
    properties = f'<elementProp name="ThreadGroup.main_controller" elementType="LoopController">{loop}</elementProp>'
    properties += text_of("ThreadGroup.num_threads", "1") + text_of("ThreadGroup.ramp_time", "0")
    return element("ThreadGroup", name, "ThreadGroupGui", properties, below)


def plan(below):
    tree = element("TestPlan", "plan size", "TestPlanGui", "", below)
    return f'<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2"><hashTree>{tree}</hashTree></jmeterTestPlan>'



def cpu(command):
    """Run a command and return its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def plans(sizes, groups):
    """Yield a name and the text of each plan."""
    for size in sizes:
        yield f"flat, {size:,} samplers", plan(group("users", "".join(sampler(f"S{n}") for n in range(size))))
        checked = "".join(sampler(f"S{n}", assertion() + extractor(f"v{n}")) for n in range(size))
        yield f"checked, {size:,} samplers", plan(group("users", checked))
    for size in groups:
        yield f"groups, {size:,}", plan("".join(group(f"G{n}", sampler("S")) for n in range(size)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swell", required=True)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--groups", default="1000,5000")
    args = parser.parse_args()
    sizes, groups = ([int(number) for number in text.split(",")] for text in (args.sizes, args.groups))
    print("| plan | `check`, s | `run`, s |\n|---|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.jmx")
        for name, text in plans(sizes, groups):
            with open(path, "w") as file:
                file.write(text)
            check = cpu([args.swell, "check", path])
            run = cpu([args.swell, "run", path, "--no-run-dir", "-j", os.path.join(folder, "run.log")])
            print(f"| {name} | {check:.2f} | {run:.2f} |", flush=True)


if __name__ == "__main__":
    main()
