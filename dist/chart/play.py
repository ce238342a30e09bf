#!/usr/bin/env python3
"""Runs the commands of a rendered chart as processes of this machine: broker, agents and controller, on loopback.

Usage: play.py PROGRAM MANIFESTS

ConfigMaps become folders of links, as Kubernetes mounts them. The test is against `swell target`, whose port takes the place of PORT.
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

LIMIT = 120  # seconds, for anything here


class Pods:
    """The manifests, and where their mounts are on this machine."""

    def __init__(self, documents, folder):
        self.folder = folder
        self.by_kind = {}
        for document in documents:
            self.by_kind.setdefault(document["kind"], []).append(document)

    def one(self, kind, ending):
        return next(found for found in self.by_kind[kind] if found["metadata"]["name"].endswith(ending))

    def config(self, name, folder):
        """Writes the files of a ConfigMap as Kubernetes does: links to a folder that is a link."""
        data = folder / "..2026"
        data.mkdir(parents=True)
        (folder / "..data").symlink_to("..2026")
        for key, text in self.one("ConfigMap", name)["data"].items():
            (data / key).write_text(text)
            (folder / key).symlink_to(f"..data/{key}")

    def pod(self, document):
        return document["spec"]["template"]["spec"]

    def container(self, document):
        (container,) = self.pod(document)["containers"]
        return container

    def mounts(self, document):
        """Makes the volumes of a pod; answers with their places by mount path."""
        root = self.folder / document["metadata"]["name"]
        volumes = {volume["name"]: volume for volume in self.pod(document)["volumes"]}
        places = {}
        for mount in self.container(document)["volumeMounts"]:
            place = root / mount["name"]
            places[mount["mountPath"]] = place
            if "configMap" in volumes[mount["name"]]:
                self.config(volumes[mount["name"]]["configMap"]["name"], place)
            else:
                place.mkdir(parents=True)
        return places


def on_this_machine(text, places):
    """An argument with the places of mounts; in one pass, since a place may be below the path of another mount."""
    paths = "|".join(map(re.escape, places))
    return re.sub(rf"(?<![\w/.-])({paths})(?=/|$)", lambda match: str(places[match[1]]), text)


def variables(pods, container, broker):
    """The environment of a container; `$(NAME)` in values stands for an earlier variable."""
    found = {}
    for variable in container.get("env", []):
        if "value" in variable:
            found[variable["name"]] = expand(variable["value"], found)
        else:
            reference = variable["valueFrom"]["secretKeyRef"]
            secret = pods.one("Secret", reference["name"])["data"][reference["key"]]
            found[variable["name"]] = base64.b64decode(secret).decode()
    return {name: value.replace("trial-broker:4222", broker) for name, value in found.items()}


def expand(text, values):
    return re.sub(r"\$\((\w+)\)", lambda match: values[match[1]], text)


def start_broker(pods, started):
    document = pods.one("Deployment", "-broker")
    places = pods.mounts(document)
    settings = places["/etc/nats"] / "nats.conf"
    text = settings.read_text()
    assert 'listen: "0.0.0.0:4222"' in text, text
    # Any free port of loopback.
    text = text.replace("0.0.0.0:4222", "127.0.0.1:-1").replace('"/data"', f'"{places["/data"]}"')
    (settings.parent / "..data/nats.conf").write_text(text)
    arguments = [on_this_machine(argument, places) for argument in pods.container(document)["args"]]
    environment = os.environ | variables(pods, pods.container(document), "")
    ports = pods.folder / "ports"
    ports.mkdir()
    log = (pods.folder / "broker.log").open("w")
    broker = subprocess.Popen(["nats-server", *arguments, "--ports_file_dir", ports], env=environment, stdout=log, stderr=log)
    started.append(broker)
    deadline = time.monotonic() + LIMIT
    while True:
        for file in ports.glob("*.ports"):
            return json.loads(file.read_text())["nats"][0].removeprefix("nats://")
        assert broker.poll() is None, (pods.folder / "broker.log").read_text()
        assert time.monotonic() < deadline, "the broker does not start"
        time.sleep(0.01)


def call(pods, document, program, broker, port):
    """The command line and environment of a pod of this document."""
    container = pods.container(document)
    places = pods.mounts(document)
    environment = os.environ | {"SWELL_RUNS": "off"} | variables(pods, container, broker)
    arguments = [expand(argument, environment).replace("trial-broker:4222", broker) for argument in container["args"]]
    arguments = [on_this_machine(argument, places).replace("PORT", port) for argument in arguments]
    return [program, *arguments], environment, places


def play(program, documents, folder, started):
    pods = Pods(documents, folder)
    broker = start_broker(pods, started)
    target = subprocess.Popen([program, "target", "--port", "0", "--until-stdin-ends"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    started.append(target)
    port = next(match[1] for line in target.stdout if (match := re.search(r"http://127\.0\.0\.1:(\d+)", line)))
    agents = pods.one("Job", "-agents")
    running = []
    for number in range(agents["spec"]["completions"]):
        document = json.loads(json.dumps(agents))
        document["metadata"]["name"] += f"-{number}"
        command, environment, places = call(pods, document, program, broker, port)
        # A pod has its own host name, which is the agent's name.
        command += ["--name", document["metadata"]["name"]]
        running.append(subprocess.Popen(command, env=environment, cwd=places["/work"]))
    started.extend(running)
    controller = pods.one("Job", "-controller")
    command, environment, places = call(pods, controller, program, broker, port)
    status = subprocess.run(command, env=environment, cwd=places["/work"], timeout=LIMIT).returncode
    assert status == 0, f"the controller ended with {status}"
    for agent in running:
        assert agent.wait(LIMIT) == 0, "an agent failed"
    results = places["/results"]
    for name in ["results.jtl", "summary.json", "junit.xml", "report/index.html", "run/run.json"]:
        assert (results / name).stat().st_size > 0, name
    samples = json.loads((results / "summary.json").read_text())["total"]["samples"]
    assert samples > 0, "no samples"
    print(f"the commands of the chart's pods ran a plan: {samples} samples from {len(running)} agents")


def main():
    program, manifests = sys.argv[1:]
    started = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            with open(manifests) as text:
                play(program, [found for found in yaml.safe_load_all(text) if found], pathlib.Path(folder), started)
        finally:
            for process in started:
                process.kill()
                process.wait()


if __name__ == "__main__":
    main()
