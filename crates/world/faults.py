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
import shutil
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
    # lease
    ("a lease lasts two seconds longer than the broker's", "fleet/src/lease.rs",
     "(LEASE.as_nanos() - SAFETY.as_nanos())", "(LEASE.as_nanos() + 2 * SAFETY.as_nanos())"),
    ("an answer after the end restores a lease", "fleet/src/lease.rs",
     "        if self.due(now_ns) != LeaseAction::Over {\n            self.answered_ns", "        if now_ns > 0 {\n            self.answered_ns"),
    ("a lease counts from the answer to a sign", "fleet/src/lease/held.rs",
     "held.lease.answered(sent_ns, now_ns);", "held.lease.answered(now_ns, now_ns);\n                    let _ = sent_ns;"),
    ("a sign without an answer counts as answered", "fleet/src/lease/held.rs",
     "Some((slice, sent_ns, true)) => {", "Some((slice, sent_ns, true | false)) => {"),
    ("the longest of several leases counts", "fleet/src/lease/held.rs",
     "held.lease.until_ns()).min()", "held.lease.until_ns()).max()"),
    ("a lease that has ended is still held", "fleet/src/lease/held.rs",
     "        self.held.retain(|held| !over.contains(&held.slice));\n        over", "        over.clear();\n        over"),
    ("signs are sent every 20 s", "fleet/src/lease.rs",
     "SIGN_EVERY: Duration = Duration::from_secs(1)", "SIGN_EVERY: Duration = Duration::from_secs(20)"),
    ("a share gives back what another share has", "fleet/src/lease/held.rs",
     "held.share == share && slices.contains(&held.slice)", "!share.is_empty() && slices.contains(&held.slice)"),
    ("slices that are done are given back", "fleet/src/lease/held.rs",
     "            if done {", "            if done && slices.is_empty() {"),
    ("a claim counts from the answer of the controller", "fleet/src/claims.rs",
     "        let grant = serde_json::from_slice(&answer).ok()?;", "        let signed_ns = signed_ns.max(boot_ns() + 5_000_000_000);\n        let grant = serde_json::from_slice(&answer).ok()?;"),
    ("a slice is claimed without a sign to the broker", "fleet/src/claims.rs",
     "        if !message.progress().await {\n            continue;\n        }\n", ""),
    ("the controller grants a slice for an epoch that has passed", "fleet/src/coordinator/slices.rs",
     "if claim.epoch <= slice.epoch && !repeated {", "if claim.epoch < slice.epoch.saturating_sub(99) && !repeated {"),
    ("the controller grants a finished slice again", "fleet/src/coordinator/slices.rs",
     "        if slice.done {", "        if slice.done && claim.epoch == 0 {"),
    ("the former holder of a slice is not told to stop", "fleet/src/coordinator/slices.rs",
     "        if first {\n            self.actions.push(Action::Send(ControllerMessage::Evict { share: share.to_owned() }));\n        }\n", "        let _ = first;\n"),
    ("a slice that moves is granted to any agent", "fleet/src/coordinator/rebalancing.rs",
     "                self.moving = Some(moving);\n                true", "                self.moving = Some(moving);\n                false"),
    # ledger
    ("a message that came before its turn counts again", "fleet/src/ledger.rs",
     "if seq < self.next || !self.ahead.insert(seq) {", "if seq < self.next || (!self.ahead.insert(seq) && seq == 0) {"),
    ("a message that comes twice counts twice", "fleet/src/coordinator/counting.rs",
     "        if !self.ledger.message(&up.agent, up.seq) {\n            return;\n        }\n", "        self.ledger.message(&up.agent, up.seq);\n"),
    ("the numbers of all agents are one series", "fleet/src/ledger.rs",
     "self.seen.entry(agent.to_owned()).or_default().note(seq)", "self.seen.entry(agent[..5.min(agent.len())].to_owned()).or_default().note(seq)"),
    ("counts of a second replace those of another share", "fleet/src/coordinator/counting.rs",
     "self.pending.entry(at_s).or_default().merge(&snapshot);", "self.pending.insert(at_s, snapshot);"),
    ("a second that comes late is dropped", "fleet/src/coordinator/counting.rs",
     "                self.pending.entry(at_s)", "                if at_s <= self.closed_s {\n                    return;\n                }\n                self.pending.entry(at_s)"),
    ("the last seconds are not counted", "fleet/src/coordinator/ending.rs",
     "        while let Some((at_s, counted)) = self.pending.pop_first() {", "        while let Some((at_s, counted)) = self.pending.pop_first().filter(|_| false) {"),
    ("third digits count before their figures", "fleet/src/ledger.rs",
     "seq == 0 || self.seen.get(agent).is_some_and(|seen| seen.next >= seq)", "seq == 0 || self.seen.contains_key(agent)"),
    ("third digits are counted twice", "fleet/src/coordinator/counting.rs",
     "        self.ledger.refine(share, row.stats.samples);", "        self.ledger.refine(share, 2 * row.stats.samples);"),
    ("an agent forgets a second at its end", "fleet/src/reporting.rs",
     "        self.tell_so_far(&mut send);\n        self.tell_fine", "        self.tell_fine"),
    ("an agent reports a second twice", "fleet/src/reporting.rs",
     "            let (at_s, counted) = entry.remove_entry();", "            let (at_s, counted) = (*entry.key(), entry.get().clone());\n            if self.samples % 3 != 1 {\n                entry.remove();\n            }"),
    ("a message that the broker refused is dropped", "fleet/src/outbox.rs",
     "                self.waiting.put_back(message);\n", "                drop(message);\n"),
    ("a repeated message has another number at the broker", "fleet/src/outbox.rs",
     'let id = format!("{}/{}", self.prefix, message.seq);', 'let id = format!("{}/{}/{}", self.prefix, message.seq, boot_ns());'),
    ("lost load is not reported", "fleet/src/coordinator/lost_load.rs",
     "        if gaps.is_empty() {", "        if gaps.len() < 99 {"),
    ("load that moved counts as lost", "fleet/src/coordinator/lost_load.rs",
     "const MOVE_NS: i64 = 3 * S;", "const MOVE_NS: i64 = 0;"),
    ("a controller that takes over forgets who was granted what", "fleet/src/coordinator/counting.rs",
     "            if is_new && self.has_taken_over {", "            if is_new && self.has_taken_over && epoch > 99 {"),
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
    root = pathlib.Path(target) / "sources"
    shutil.rmtree(root, ignore_errors=True)
    if True:
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
