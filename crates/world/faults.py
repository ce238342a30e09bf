#!/usr/bin/env python3
"""Plants bugs into the program, one at a time, and counts those that a swarm of worlds finds.

usage: crates/world/faults.py [--seconds 60] [NAME...]

Works on a copy of the last commit in a temporary folder; the sources here stay as they are. The target folder is that of cargo
(CARGO_TARGET_DIR) with `-faults` added, so that builds for the next bug are short. Prints a line for each bug.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

# name, file, what is there, what is planted. Each has to build, and to break something that a user would see.
FAULTS = [
    ("end of the peer forgotten after a short read", "net/src/runtime/sources.rs",
     "slot.read.ready = slot.ended;", "slot.read.ready = false;"),
    ("readable event wakes nobody where the side was ready", "net/src/runtime/sources.rs",
     "        self.ready = true;\n        if let", "        if std::mem::replace(&mut self.ready, true) {\n            return;\n        }\n        if let"),
    ("writable event wakes nobody", "net/src/runtime/sources.rs",
     "            slot.write.mark();", "            slot.write.ready = true;"),
    ("events of an old descriptor reach a new one", "net/src/runtime/sources.rs",
     "if u64::from(slot.generation & GENERATION) != key >> 32 {", "if false {"),
    ("readiness to write is never cleared", "net/src/tcp.rs",
     "            sources.clear(self.source, Direction::Write);\n            sources.poll(self.source, Direction::Write, cx);\n            drop(sources);\n            if self.adopted",
     "            sources.poll(self.source, Direction::Write, cx);\n            drop(sources);\n            if self.adopted"),
    ("a partial send counts one byte too many", "net/src/tcp.rs",
     "                Ok(count) => *sent += count,\n", "                Ok(count) => *sent = (*sent + count + 1).min(bytes.len()),\n"),
    ("a send without room is not tried again", "net/src/tcp.rs",
     "                    self.await_room(cx);\n", ""),
    ("a deadline that was moved later is lost", "net/src/tcp.rs",
     "            timers.arm(timer, self.deadline_ns);\n        }\n        false", "            return false;\n        }\n        false"),
    ("a deadline that is moved earlier is not armed", "net/src/tcp.rs",
     "if self.deadline_ns < self.armed_ns.get() {", "if self.deadline_ns < self.armed_ns.get() && self.timer.is_none() {"),
    ("a deadline passes a millisecond early", "net/src/tcp.rs",
     "            if self.deadline_ns <= crate::now_ns() {", "            if self.deadline_ns - 1_000_000 <= crate::now_ns() {"),
    ("the time of a read is that of the read, not of the arrival", "net/src/tcp.rs",
     "    let kernel_ns = kernel_ns.unwrap_or(read_ns);", "    let kernel_ns = kernel_ns.map_or(read_ns, |_| read_ns);"),
    ("an idle connection that has ended counts as usable", "net/src/tcp.rs",
     "            (false, core.sources().is_readable(self.source))", "            (false, false)"),
    ("a timer that was moved later fires never", "net/src/runtime/timers.rs",
     "                self.heap.push(Reverse(HeapEntry { at_ns: slot.at_ns, ..*entry }));", "                let _ = entry;"),
    ("timers fire 1 ns early", "net/src/runtime/timers.rs",
     "            && entry.at_ns <= now_ns", "            && entry.at_ns <= now_ns + 1"),
    ("timers fire a millisecond late", "net/src/runtime/timers.rs",
     "            && entry.at_ns <= now_ns", "            && entry.at_ns + 1_000_000 <= now_ns"),
    ("a released timer keeps its waker and fires for the next owner", "net/src/runtime/timers.rs",
     "        slot.generation = slot.generation.wrapping_add(1);\n        slot.waker = None;\n        slot.at_ns = i64::MAX;", "        slot.at_ns = i64::MAX;"),
    ("the timer of the loop is not armed again after it fired", "net/src/runtime/mod.rs",
     "                TIMER_KEY => self.armed_ns.set(i64::MAX),", "                TIMER_KEY => {}"),
    ("the timer of the loop is armed only for the first deadline", "net/src/runtime/mod.rs",
     "next_ns != self.armed_ns.get() {", "self.armed_ns.get() == i64::MAX {"),
    ("a task woken during its poll is not queued", "net/src/runtime/tasks.rs",
     "slot.generation == key.generation && !slot.queued {", "slot.generation == key.generation && !slot.queued && slot.future.is_some() {"),
    ("a task that ended wakes the next one in its place", "net/src/runtime/tasks.rs",
     "        slot.alive = false;\n        slot.generation = slot.generation.wrapping_add(1);", "        slot.alive = false;"),
    ("the correction of stamps is never refreshed", "net/src/clock.rs",
     "        if now_ns - self.seen_ns < REFRESH_NS {", "        if now_ns > self.seen_ns {"),
    ("stamps are converted without the anchor of the process", "net/src/clock.rs",
     "        wall_ns - self.offset_ns + anchor_ns()", "        wall_ns - self.offset_ns + anchor_ns() - anchor_ns() % 1_000_000"),
    ("accept takes one connection for each event", "net/src/listener.rs",
     "                        Ok((fd, peer)) => {\n", "                        Ok((fd, peer)) => {\n                            core.sources().clear(self.source, Direction::Read);\n"),
    ("a head cut between two reads loses its first part", "http1/src/client/response.rs",
     "                    self.pending.extend_from_slice(&bytes[from..]);", "                    self.pending.extend_from_slice(&bytes[from.max(bytes.len() / 2)..]);"),
    ("a delay of the site counts from the read", "target/src/serve/connection.rs",
     "                        read = Job::read(bytes, arrival.at_ns, state);", "                        read = Job::read(bytes, arrival.read_ns, state);"),
    ("a delay of the site ends 1 us early", "target/src/serve/connection.rs",
     "sleep_until(job.facts.arrival_ns + job.facts.asked_ns)", "sleep_until(job.facts.arrival_ns + job.facts.asked_ns - 1_000)"),
    ("a lease never ends", "net/src/context.rs",
     "until_ns == i64::MAX || crate::boot_ns() < until_ns", "until_ns == i64::MAX || crate::boot_ns() < i64::MAX"),
    ("a lease counts on a clock that rests while the machine is suspended", "net/src/context.rs",
     "crate::boot_ns() < until_ns", "crate::now_ns() - crate::clock::anchor_ns() < until_ns"),
    ("a session that breaks leaves its requests waiting", "connect/src/session/mod.rs",
     "        self.streams.fail_all(error);\n", ""),
    ("the site sends what follows a request to nobody", "target/src/serve/leftover.rs",
     "        self.taken += count;", "        self.taken += count.min(self.bytes.len() / 2 + 1);"),
]


def plant(root, file, old, new):
    path = root / "crates" / file
    text = path.read_text()
    if text.count(old) < 1:
        return None
    path.write_text(text.replace(old, new, 1))
    return lambda: path.write_text(text)


def first_words(output):
    lines = [line for line in output.splitlines() if line.startswith(("P", "life", "turns", "panic"))]
    return lines[0][:110] if lines else ""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("names", nargs="*")
    options = options.parse_args()
    top = pathlib.Path(__file__).resolve().parents[2]
    target = os.environ.get("CARGO_TARGET_DIR", str(top / "target")) + "-faults"
    environment = dict(os.environ, CARGO_TARGET_DIR=target)
    found = planted = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "swell"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(top), str(root)], check=True)
        for name, file, old, new in FAULTS:
            if options.names and not any(word in name for word in options.names):
                continue
            undo = plant(root, file, old, new)
            if undo is None:
                print(f"GONE      {name}: {file} has other text now", flush=True)
                continue
            build = ["cargo", "build", "--quiet", "-p", "swell-world", "--example", "simulate"]
            built = subprocess.run(build, cwd=root, env=environment, capture_output=True, text=True)
            if built.returncode:
                print(f"NO BUILD  {name}: {built.stderr.strip().splitlines()[0]}", flush=True)
                undo()
                continue
            program = f"{target}/debug/examples/simulate"
            began = time.monotonic()
            try:
                ran = subprocess.run([program, "swarm", str(options.seconds), "1"], capture_output=True, text=True,
                                     timeout=options.seconds + 60)
                failed, output = ran.returncode != 0, ran.stdout
            except subprocess.TimeoutExpired as ended:
                failed, output = True, "life: the program itself hangs"
            planted += 1
            found += failed
            worlds = output.split(" worlds", 1)[0].splitlines()[-1] if " worlds" in output else "?"
            print(f"{'found' if failed else 'NOT FOUND':9} {name}: {worlds} worlds, {time.monotonic() - began:.1f} s  {first_words(output)}", flush=True)
            undo()
    print(f"{found} of {planted} found, {options.seconds} s each at most")


if __name__ == "__main__":
    main()
