#!/usr/bin/env python3
"""Plants bugs into the program, one at a time, and counts those that a swarm of worlds finds.

usage: crates/world/faults.py [--seconds 60] [NAME...]

Works on a copy of the last commit; the sources here stay as they are. The target folder is that of cargo (CARGO_TARGET_DIR) with
`-faults` added, so that builds for the next bug are short. Prints a line for each bug.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

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



# The same, with a kind: an expression (e), statements (s), or text (r) in which PLANTED says whether it is planted. All are planted
# into one build, and switched on by the environment variable SWELL_PLANTED, since a change of a lower crate builds all others again.
SWITCHED = [
    ("lease: lasts two seconds longer than the broker's", "fleet/src/lease.rs", "e",
     "(LEASE.as_nanos() - SAFETY.as_nanos())",
     "(LEASE.as_nanos() + 2 * SAFETY.as_nanos())"),
    ("lease: an answer after the end restores it", "fleet/src/lease.rs", "e",
     "self.due(now_ns) != LeaseAction::Over",
     "self.answered_ns <= now_ns"),
    ("lease: counts from the answer to a sign", "fleet/src/lease/held.rs", "s",
     "held.lease.answered(sent_ns, now_ns);",
     "held.lease.answered(now_ns, now_ns);"),
    ("lease: a sign without an answer counts as answered", "fleet/src/lease/held.rs", "e",
     "answer.await",
     "{ answer.await; true }"),
    ("lease: the longest of several counts", "fleet/src/lease/held.rs", "e",
     "self.held.iter().map(|held| held.lease.until_ns()).min()",
     "self.held.iter().map(|held| held.lease.until_ns()).max()"),
    ("lease: one that has ended is still held", "fleet/src/lease/held.rs", "s",
     "self.held.retain(|held| !over.contains(&held.slice));",
     "over.clear();"),
    ("lease: signs are sent every 20 s", "fleet/src/lease.rs", "e",
     "SIGN_EVERY.as_nanos() as i64",
     "20_000_000_000"),
    ("lease: a share gives back what another share has", "fleet/src/lease/held.rs", "e",
     "held.share == share && slices.contains(&held.slice)",
     "slices.contains(&held.slice)"),
    ("lease: a slice that is done is given back", "fleet/src/lease/held.rs", "s",
     "held.message.done().await;",
     "held.message.give_back(None).await;"),
    ("lease: begins three seconds after the sign of its claim", "fleet/src/claims.rs", "r",
     "message, signed_ns, grant });",
     "message, signed_ns: signed_ns + 3_000_000_000 * i64::from(PLANTED), grant });"),
    ("lease: a slice is claimed without a sign to the broker", "fleet/src/claims.rs", "r",
     "if !message.progress().await {",
     "if !PLANTED && !message.progress().await {"),
    ("lease: the controller grants an epoch that has passed", "fleet/src/coordinator/slices.rs", "r",
     "if claim.epoch <= slice.epoch && !repeated {",
     "if !PLANTED && claim.epoch <= slice.epoch && !repeated {"),
    ("lease: the controller grants a finished slice again", "fleet/src/coordinator/slices.rs", "r",
     "        if slice.done {",
     "        if slice.done && !PLANTED {"),
    ("lease: the former holder is not told to stop", "fleet/src/coordinator/slices.rs", "r",
     "        if first {\n            self.actions",
     "        if first && !PLANTED {\n            self.actions"),
    ("lease: a slice that moves is granted to any agent", "fleet/src/coordinator/rebalancing.rs", "r",
     "self.moving = Some(moving);\n                true",
     "self.moving = Some(moving);\n                !PLANTED"),
    ("lease: what an active agent holds is granted to another", "fleet/src/coordinator/slices.rs", "r",
     "let is_held = *name",
     "let is_held = !PLANTED && *name"),
    ("ledger: a message that came before its turn counts again", "fleet/src/ledger.rs", "r",
     "!self.ahead.insert(seq) {",
     "(!self.ahead.insert(seq) && !PLANTED) {"),
    ("ledger: a message that comes twice counts twice", "fleet/src/coordinator/counting.rs", "r",
     "if !self.ledger.message(&up.agent, up.seq) {",
     "if !self.ledger.message(&up.agent, up.seq) && !PLANTED {"),
    ("ledger: the numbers of all agents are one series", "fleet/src/ledger.rs", "r",
     "self.seen.entry(agent.to_owned())",
     "self.seen.entry(if PLANTED { String::new() } else { agent.to_owned() })"),
    ("ledger: counts of a second replace those of another share", "fleet/src/coordinator/counting.rs", "s",
     "self.pending.entry(at_s).or_default().merge(&snapshot);",
     "self.pending.insert(at_s, snapshot);"),
    ("ledger: a second that comes late is dropped", "fleet/src/coordinator/counting.rs", "r",
     "                let samples = snapshot.rows.iter().map(",
     "                if PLANTED && at_s <= self.closed_s {\n                    return;\n                }\n                let samples = snapshot.rows.iter().map("),
    ("ledger: the last seconds are not counted", "fleet/src/coordinator/ending.rs", "r",
     "= self.pending.pop_first() {",
     "= self.pending.pop_first().filter(|_| !PLANTED) {"),
    ("ledger: third digits count before their figures", "fleet/src/ledger.rs", "r",
     "seq == 0 || self.seen",
     "seq == 0 || PLANTED || self.seen"),
    ("ledger: third digits count twice", "fleet/src/coordinator/counting.rs", "r",
     "self.ledger.refine(share, row.stats.samples);",
     "self.ledger.refine(share, row.stats.samples * (1 + u64::from(PLANTED)));"),
    ("ledger: an agent forgets a second at its end", "fleet/src/reporting.rs", "r",
     "        self.tell_so_far(&mut send);\n        self.tell_fine",
     "        if !PLANTED {\n            self.tell_so_far(&mut send);\n        }\n        self.tell_fine"),
    ("ledger: an agent reports a second twice", "fleet/src/reporting.rs", "r",
     "            self.tell_interval(at_s, &counted, &mut send);\n        }\n        let due_s",
     "            self.tell_interval(at_s, &counted, &mut send);\n            if PLANTED && at_s % 7 == 0 {\n                self.tell_interval(at_s, &counted, &mut send);\n            }\n        }\n        let due_s"),
    ("ledger: a message that the broker refused is dropped", "fleet/src/outbox.rs", "s",
     "self.waiting.put_back(message);",
     "drop(message);"),
    ("ledger: a repeated message has another number at the broker", "fleet/src/outbox.rs", "e",
     "format!(\"{}/{}\", self.prefix, message.seq)",
     "format!(\"{}/{}/{}\", self.prefix, message.seq, boot_ns())"),
    ("ledger: lost load is not reported", "fleet/src/coordinator/lost_load.rs", "r",
     "if gaps.is_empty() {",
     "if gaps.is_empty() || PLANTED {"),
    ("ledger: a controller that takes over forgets who has what", "fleet/src/coordinator/counting.rs", "r",
     "if is_new && self.has_taken_over {",
     "if is_new && self.has_taken_over && !PLANTED {"),
    ("ledger: the most of all counts of a share is its count", "fleet/src/ledger.rs", "r",
     "share.counted = share.counted.saturating_add(samples);",
     "share.counted = if PLANTED { share.counted.max(samples) } else { share.counted.saturating_add(samples) };"),
    ("ledger: an end counts one sample more", "fleet/src/ledger.rs", "r",
     "= (samples, true);",
     "= (samples + u64::from(PLANTED), true);"),
    ("writer: a row that just fits is not whole", "results/src/output.rs", "e",
     "end as usize <= written",
     "end as usize + 1 <= written"),
    ("writer: a torn row is not taken off", "results/src/output.rs", "r",
     "let cause = match self.sink.cut(self.length) {",
     "let cause = match self.sink.cut(self.length + 9 * u64::from(PLANTED)) {"),
    ("writer: a write that took a part counts as whole", "results/src/output.rs", "r",
     "Ok(count) => done += count,",
     "Ok(count) => done += if PLANTED { bytes.len() - done } else { count },"),
    ("writer: a signal ends the file", "results/src/output.rs", "r",
     "if error.kind() == io::ErrorKind::Interrupted => {}",
     "if error.kind() == io::ErrorKind::Interrupted && !PLANTED => {}"),
    ("writer: rows after a failure are not counted as lost", "results/src/output.rs", "r",
     "            self.shared.rows_lost.fetch_add(rows, Ordering::Relaxed);\n            return;",
     "            self.shared.rows_lost.fetch_add(rows * u64::from(!PLANTED), Ordering::Relaxed);\n            return;"),
    ("writer: a buffer that is used again keeps its rows", "results/src/output.rs", "r",
     "            batch.text.clear();\n            batch.row_ends.clear();\n            self.shared.pool",
     "            if !PLANTED {\n                batch.text.clear();\n                batch.row_ends.clear();\n            }\n            self.shared.pool"),
    ("writer: a buffer with one row is not handed over", "results/src/rows.rs", "r",
     "        output.hand_over(&mut self.batch);",
     "        if !(PLANTED && self.batch.row_ends.len() == 1) {\n            output.hand_over(&mut self.batch);\n        }"),
    ("writer: a sample of two listeners has two rows", "results/src/rows.rs", "r",
     "let first = self.current",
     "let first = PLANTED || self.current"),
    ("writer: a text is not quoted", "results/src/csv.rs", "r",
     "        has_only(&out[start..], format.config.delimiter, columns)",
     "        PLANTED || has_only(&out[start..], format.config.delimiter, columns)"),
    ("writer: a torn end tag stays on a full disk", "results/src/output.rs", "r",
     "            let _ = self.sink.cut(self.length);",
     "            if !PLANTED {\n                let _ = self.sink.cut(self.length);\n            }"),
    ("writer: the length of the file is not kept", "results/src/output.rs", "r",
     "self.length += whole.checked_sub(1)",
     "self.length += u64::from(!PLANTED) * whole.checked_sub(1)"),
    ("writer: rows that were written before a failure count as lost", "results/src/output.rs", "r",
     "fetch_add((rows - whole) as u64",
     "fetch_add((rows - whole * usize::from(!PLANTED)) as u64"),
    ("statistics: an error counts twice", "stats/src/label.rs", "r",
     "            self.errors += 1;",
     "            self.errors += 1 + u64::from(PLANTED);"),
    ("statistics: a percentile is of the rank below", "stats/src/histogram.rs", "r",
     "let rank = (quantile.clamp(0.0, 1.0) * self.count() as f64).ceil() as u64;",
     "let rank = (quantile.clamp(0.0, 1.0) * self.count() as f64).ceil() as u64 - u64::from(PLANTED && self.count() > 40);"),
    ("statistics: histograms of workers are not added", "stats/src/histogram.rs", "s",
     "self.counts().merge(others);",
     "let _ = others;"),
    ("verdict: the best gate decides", "stats/src/verdict/mod.rs", "e",
     "gates.iter().map(Gate::grade).max()",
     "gates.iter().map(Gate::grade).min()"),
    ("verdict: nothing is worse than degraded", "stats/src/verdict/mod.rs", "r",
     "} else if self.value <= self.degraded_limit {",
     "} else if PLANTED || self.value <= self.degraded_limit {"),
    ("verdict: without a server nothing is judged", "stats/src/verdict/mod.rs", "r",
     "!(no_load && gate.criterion.is_of_load())",
     "!(no_load && (PLANTED || gate.criterion.is_of_load()))"),
    ("verdict: late reads outside of the times are judged", "stats/src/verdict/mod.rs", "r",
     "filter(|_| seen.read_delay_counts)",
     "filter(|_| seen.read_delay_counts || PLANTED)"),
    ("verdict: what late starts changed is not judged", "stats/src/verdict/mod.rs", "r",
     "let Some(changed) = seen.late_starts else {",
     "let Some(changed) = seen.late_starts.filter(|_| !PLANTED) else {"),
    ("verdict: late sends are a tenth as late", "stats/src/verdict/mod.rs", "r",
     "let p99_ms = seen.send_delay_p99_ns? as f64 / 1e6;",
     "let p99_ms = seen.send_delay_p99_ns? as f64 / if PLANTED { 1e7 } else { 1e6 };"),
    ("verdict: a rate below the wanted one is right", "stats/src/verdict/mod.rs", "e",
     "seen.rate_error.map(f64::abs)",
     "seen.rate_error"),
    ("verdict: free memory is memory in use", "stats/src/verdict/mod.rs", "e",
     "1.0 - free",
     "free"),
    ("verdict: dropped starts are not judged", "stats/src/verdict/mod.rs", "r",
     "(Criterion::DroppedStarts, seen.dropped_starts,",
     "(Criterion::DroppedStarts, seen.dropped_starts.filter(|_| !PLANTED),"),
    ("verdict: a hundred times as many retransmits are right", "stats/src/verdict/mod.rs", "r",
     "seen.retransmits, (0.001, NOTED)",
     "seen.retransmits, (if PLANTED { 0.1 } else { 0.001 }, NOTED)"),
    ("verdict: late samples are not kept", "stats/src/label.rs", "r",
     "if delay_ns > LATE_NS {",
     "if delay_ns > LATE_NS && !PLANTED {"),
    ("verdict: the mean of late samples is not compared", "stats/src/late/judged.rs", "r",
     "most.min(((mean - without).abs() - chance).max(0.0))",
     "most.min(((mean - without).abs() - chance).max(0.0)) * f64::from(u8::from(!PLANTED))"),
    ("verdict: no sample starts late", "results/src/observation.rs", "r",
     "start_delay_ns: since(timing.ready_ns, timing.start_ns),",
     "start_delay_ns: since(timing.ready_ns, timing.start_ns).filter(|_| !PLANTED),"),
    ("verdict: late starts are no evidence", "run/src/evidence.rs", "r",
     "late_starts: snapshot.changed_by_late_starts(total),",
     "late_starts: snapshot.changed_by_late_starts(total).filter(|_| !PLANTED),"),
    ("verdict: percentiles of response times are not judged", "stats/src/late/judged.rs", "r",
     "let kinds = [(false, self.by_service(late, alike)), (true, self.by_response(late))];",
     "let kinds = [(false, self.by_service(late, alike)), (true, self.by_response(late))].into_iter().filter(|(of, _)| !(*of && PLANTED));"),
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


def switch(root):
    """Plants all of SWITCHED, each behind its number. Gives the names of those whose text is gone."""
    gone = []
    for number, (name, file, kind, old, new) in enumerate(SWITCHED, 1):
        path = root / "crates" / file
        text = path.read_text()
        planted = f"{'crate' if file.startswith('stats/') else 'swell_stats'}::planted({number})"
        forms = {"e": f"(if {planted} {{ {new} }} else {{ {old} }})", "s": f"if {planted} {{ {new} }} else {{ {old} }}"}
        if old in text:
            path.write_text(text.replace(old, forms.get(kind, new.replace("PLANTED", planted)), 1))
        else:
            gone.append(name)
    stats = root / "crates/stats/src/lib.rs"
    stats.write_text(stats.read_text() + """
/// Whether this bug is planted.
pub fn planted(number: u32) -> bool {
    static PLANTED: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        std::env::var("SWELL_PLANTED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *PLANTED == number
}
""")
    return gone


def build(root, environment):
    """Builds the program of the swarm; gives the first line of an error."""
    command = ["cargo", "build", "--quiet", "-p", "swell-world", "--example", "simulate"]
    built = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    return built.stderr.strip().splitlines()[0] if built.returncode else None


def look(name, environment, seconds):
    """Whether a swarm finds what is planted. Prints a line."""
    program = f"{environment['CARGO_TARGET_DIR']}/debug/examples/simulate"
    try:
        ran = subprocess.run([program, "swarm", str(seconds), "1"], capture_output=True, text=True, env=environment,
                             timeout=seconds + 120)
        found, output = ran.returncode != 0, ran.stdout
    except subprocess.TimeoutExpired:
        found, output = True, "life: the program itself hangs"
    head = output.split(" s,", 1)[0] if " worlds in " in output else "? worlds in ?"
    print(f"{'found' if found else 'NOT FOUND':9} {name}: {head} s  {first_words(output)}", flush=True)
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("names", nargs="*")
    options = options.parse_args()
    top = pathlib.Path(__file__).resolve().parents[2]
    target = os.environ.get("CARGO_TARGET_DIR", str(top / "target")) + "-faults"
    environment = dict(os.environ, CARGO_TARGET_DIR=target)
    # The same folder each time, so that cargo knows what it built before.
    root = pathlib.Path(target) / "sources"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--shared", str(top), str(root)], check=True)
    is_wanted = lambda name: not options.names or any(word in name for word in options.names)
    results = []
    for name, file, old, new in FAULTS:
        if not is_wanted(name):
            continue
        undo = plant(root, file, old, new)
        if undo is None:
            print(f"GONE      {name}: {file} has other text now", flush=True)
            continue
        error = build(root, environment)
        if error:
            print(f"NO BUILD  {name}: {error}", flush=True)
        else:
            results.append(look(name, environment, options.seconds))
        undo()
    wanted = [(number, name) for number, (name, *_) in enumerate(SWITCHED, 1) if is_wanted(name)]
    if wanted:
        gone = switch(root)
        error = build(root, environment)
        if error:
            sys.exit(f"the bugs that are switched do not build: {error}")
        for number, name in wanted:
            if name in gone:
                print(f"GONE      {name}", flush=True)
            else:
                results.append(look(name, dict(environment, SWELL_PLANTED=str(number)), options.seconds))
    print(f"{sum(results)} of {len(results)} found, {options.seconds} s each at most")


if __name__ == "__main__":
    main()
