#!/usr/bin/env node
"use strict";
// Starts the program of the package for this platform, which npm installed as an optional dependency.
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { constants } = require("node:os");

const PACKAGES = { "linux x64": "swell-load-linux-x64", "linux arm64": "swell-load-linux-arm64" };
// What starts a program with glibc; the kernel's message on a system without it names the program instead.
const LOADERS = { x64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" };

function fail(message, hint) {
  console.error(`swell: ${message}\nhint: ${hint}`);
  process.exit(104);
}

function program() {
  const platform = `${process.platform} ${process.arch}`;
  const name = PACKAGES[platform];
  if (!name) {
    const other = process.platform === "linux" ? "build it from source with Rust" : "run it in a Linux container or WSL2";
    fail(`there is no program for ${platform}; there is one for ${Object.keys(PACKAGES).join(" and ")}`, other);
  }
  try {
    return require.resolve(`${name}/bin/swell`);
  } catch {
    fail(`the package ${name} is not installed`, "npm leaves it out with --omit=optional or --no-optional; install without these");
  }
}

function run(path, args) {
  const child = spawn(path, args, { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  for (const signal of signals) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => fail(`cannot start ${path}: ${error.message}`, "install the package again"));
  child.on("exit", (code, signal) => {
    if (signal) {
      signals.forEach((name) => process.removeAllListeners(name));
      process.kill(process.pid, signal);
      // A signal that Node ignores ends it as a shell would.
      process.exit(128 + (constants.signals[signal] ?? 0));
    }
    process.exit(code);
  });
}

const path = program();
const args = process.argv.slice(2);
if (!existsSync(LOADERS[process.arch])) {
  fail(`the program needs glibc (${LOADERS[process.arch]}), which this system does not have`, "use the static tarball of a release");
}
if (typeof process.execve === "function") {
  // Node becomes the program: no process of Node shares the processors with the test (Node 22.15, 23.11).
  process.execve(path, [path, ...args], process.env);
}
run(path, args);
