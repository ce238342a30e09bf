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

# Each planted bug: name, file, kind, what is there, what is planted. The kind is an expression (e), statements (s), or text (r) in which
# PLANTED says whether it is planted. All are planted into one build, and switched on by the environment variable SWELL_PLANTED, since a
# change of a lower crate builds all others again. Each has to build, and to break something that a user would see.
LOOP = [
    ("loop: end of the peer forgotten after a short read", "net/src/runtime/sources.rs", "r",
     "slot.read.ready = slot.ended;", "slot.read.ready = slot.ended && !PLANTED;"),
    ("loop: readable event wakes nobody where the side was ready", "net/src/runtime/sources.rs", "r",
     "        self.ready = true;\n        if let",
     "        if std::mem::replace(&mut self.ready, true) && PLANTED {\n            return;\n        }\n        if let"),
    ("loop: writable event wakes nobody", "net/src/runtime/sources.rs", "s",
     "slot.write.mark();", "slot.write.ready = true;"),
    ("loop: events of an old descriptor reach a new one", "net/src/runtime/sources.rs", "r",
     "if u64::from(slot.generation & GENERATION) != key >> 32 {", "if !PLANTED && u64::from(slot.generation & GENERATION) != key >> 32 {"),
    ("loop: readiness to write is never cleared", "net/src/tcp.rs", "r",
     "            sources.clear(self.source, Direction::Write);\n            sources.poll(self.source, Direction::Write, cx);\n            drop(sources);\n            if self.adopted",
     "            if !PLANTED {\n                sources.clear(self.source, Direction::Write);\n            }\n            sources.poll(self.source, Direction::Write, cx);\n            drop(sources);\n            if self.adopted"),
    ("loop: a partial send counts one byte too many", "net/src/tcp.rs", "r",
     "                Ok(count) => *sent += count,\n",
     "                Ok(count) => *sent = (*sent + count + usize::from(PLANTED)).min(bytes.len()),\n"),
    ("loop: a send without room is not tried again", "net/src/tcp.rs", "r",
     "                    self.await_room(cx);\n", "                    if !PLANTED {\n                        self.await_room(cx);\n                    }\n"),
    ("loop: a deadline that was moved later is lost", "net/src/tcp.rs", "r",
     "            timers.arm(timer, self.deadline_ns);\n        }\n        false",
     "            if PLANTED {\n                return false;\n            }\n            timers.arm(timer, self.deadline_ns);\n        }\n        false"),
    ("loop: a deadline that is moved earlier is not armed", "net/src/tcp.rs", "r",
     "if self.deadline_ns < self.armed_ns.get() {", "if self.deadline_ns < self.armed_ns.get() && !(PLANTED && self.timer.is_some()) {"),
    ("loop: a deadline passes a millisecond early", "net/src/tcp.rs", "r",
     "            if self.deadline_ns <= crate::now_ns() {", "            if self.deadline_ns - 1_000_000 * i64::from(PLANTED) <= crate::now_ns() {"),
    ("loop: the time of a read is that of the read, not of the arrival", "net/src/tcp.rs", "r",
     "    let kernel_ns = kernel_ns.unwrap_or(read_ns);", "    let kernel_ns = kernel_ns.map_or(read_ns, |ns| if PLANTED { read_ns } else { ns });"),
    ("loop: an idle connection that has ended counts as usable", "net/src/tcp.rs", "r",
     "            (false, core.sources().is_readable(self.source))", "            (false, !PLANTED && core.sources().is_readable(self.source))"),
    ("loop: a timer that was moved later fires never", "net/src/runtime/timers.rs", "r",
     "                self.heap.push(Reverse(HeapEntry { at_ns: slot.at_ns, ..*entry }));",
     "                if !PLANTED {\n                    self.heap.push(Reverse(HeapEntry { at_ns: slot.at_ns, ..*entry }));\n                }"),
    ("loop: timers fire 1 ns early", "net/src/runtime/timers.rs", "r",
     "            && entry.at_ns <= now_ns", "            && entry.at_ns <= now_ns + i64::from(PLANTED)"),
    ("loop: timers fire a millisecond late", "net/src/runtime/timers.rs", "r",
     "            && entry.at_ns <= now_ns", "            && entry.at_ns + 1_000_000 * i64::from(PLANTED) <= now_ns"),
    ("loop: a released timer keeps its waker and fires for the next owner", "net/src/runtime/timers.rs", "r",
     "        slot.generation = slot.generation.wrapping_add(1);\n        slot.waker = None;\n        slot.at_ns = i64::MAX;",
     "        if !PLANTED {\n            slot.generation = slot.generation.wrapping_add(1);\n            slot.waker = None;\n        }\n        slot.at_ns = i64::MAX;"),
    ("loop: the timer of the loop is not armed again after it fired", "net/src/runtime/mod.rs", "r",
     "                TIMER_KEY => self.armed_ns.set(i64::MAX),", "                TIMER_KEY => {\n                    if !PLANTED {\n                        self.armed_ns.set(i64::MAX);\n                    }\n                }"),
    ("loop: the timer of the loop is armed only for the first deadline", "net/src/runtime/mod.rs", "r",
     "next_ns != self.armed_ns.get() {", "(if PLANTED { self.armed_ns.get() == i64::MAX } else { next_ns != self.armed_ns.get() }) {"),
    ("loop: a task woken during its poll is not queued", "net/src/runtime/tasks.rs", "r",
     "slot.generation == key.generation && !slot.queued {", "slot.generation == key.generation && !slot.queued && !(PLANTED && slot.future.is_none()) {"),
    ("loop: a task that ended wakes the next one in its place", "net/src/runtime/tasks.rs", "r",
     "        slot.alive = false;\n        slot.generation = slot.generation.wrapping_add(1);",
     "        slot.alive = false;\n        slot.generation = slot.generation.wrapping_add(u32::from(!PLANTED) as _);"),
    ("loop: the correction of stamps is never refreshed", "net/src/clock.rs", "r",
     "        if now_ns - self.seen_ns < REFRESH_NS {", "        if now_ns - self.seen_ns < REFRESH_NS || (PLANTED && now_ns > self.seen_ns) {"),
    ("loop: stamps are converted without the anchor of the process", "net/src/clock.rs", "r",
     "        wall_ns - self.offset_ns + anchor_ns()", "        wall_ns - self.offset_ns + anchor_ns() - anchor_ns() % 1_000_000 * i64::from(PLANTED)"),
    ("loop: accept takes one connection for each event", "net/src/listener.rs", "r",
     "                        Ok((fd, peer)) => {\n",
     "                        Ok((fd, peer)) => {\n                            if PLANTED {\n                                core.sources().clear(self.source, Direction::Read);\n                            }\n"),
    ("loop: a head cut between two reads loses its first part", "http1/src/client/response.rs", "r",
     "                    self.pending.extend_from_slice(&bytes[from..]);",
     "                    self.pending.extend_from_slice(&bytes[if PLANTED { from.max(bytes.len() / 2) } else { from }..]);"),
    ("loop: a delay of the site counts from the read", "target/src/serve/connection.rs", "r",
     "                        read = Job::read(bytes, arrival.at_ns, state);",
     "                        read = Job::read(bytes, if PLANTED { arrival.read_ns } else { arrival.at_ns }, state);"),
    ("loop: a delay of the site ends 1 us early", "target/src/serve/connection.rs", "r",
     "sleep_until(job.facts.arrival_ns + job.facts.asked_ns)", "sleep_until(job.facts.arrival_ns + job.facts.asked_ns - 1_000 * i64::from(PLANTED))"),
    ("loop: a lease never ends", "net/src/context.rs", "r",
     "until_ns == i64::MAX || crate::boot_ns() < until_ns", "until_ns == i64::MAX || PLANTED || crate::boot_ns() < until_ns"),
    ("loop: a lease counts on a clock that rests while the machine is suspended", "net/src/context.rs", "r",
     "crate::boot_ns() < until_ns", "(if PLANTED { crate::now_ns() - crate::clock::anchor_ns() } else { crate::boot_ns() }) < until_ns"),
    ("loop: a session that breaks leaves its requests waiting", "connect/src/session/mod.rs", "r",
     "        self.streams.fail_all(error);\n", "        if !PLANTED {\n            self.streams.fail_all(error);\n        }\n"),
    ("loop: the site sends what follows a request to nobody", "target/src/serve/leftover.rs", "r",
     "        self.taken += count;", "        self.taken += if PLANTED { count.min(self.bytes.len() / 2 + 1) } else { count };"),
]

# Others, as a stranger might plant them.
MORE = [
    ("more: loop: a timer that is set again counts as fired", "net/src/runtime/timers.rs", "r",
     "(slot.at_ns, slot.fired) = (at_ns, false);", "(slot.at_ns, slot.fired) = (at_ns, slot.fired && PLANTED);"),
    ("more: loop: to take a deadline off leaves it", "net/src/tcp.rs", "r",
     "        self.deadline_ns = at_ns.map_or(", "        if PLANTED && at_ns.is_none() {\n            return;\n        }\n        self.deadline_ns = at_ns.map_or("),
    ("more: loop: the loop sleeps a microsecond longer", "net/src/runtime/timers.rs", "r",
     "                return entry.at_ns;", "                return entry.at_ns + 1_000 * i64::from(PLANTED);"),
    ("more: loop: a moved limit is compared with the first one", "net/src/runtime/deadline.rs", "r",
     "            if self.at_ns <= crate::now_ns() {", "            if PLANTED || self.at_ns <= crate::now_ns() {"),
    ("more: lease: it ends a nanosecond late", "fleet/src/lease.rs", "r",
     "        if now_ns >= self.until_ns() {", "        if now_ns >= self.until_ns() + i64::from(PLANTED) {"),
    ("more: lease: a sign is due a nanosecond late", "fleet/src/lease.rs", "r",
     "        if now_ns >= next_ns {", "        if now_ns >= next_ns + i64::from(PLANTED) {"),
    ("more: lease: an older answer takes a newer one back", "fleet/src/lease.rs", "e",
     "self.answered_ns.max(sent_ns)", "sent_ns"),
    ("more: lease: a controller that does not answer is asked for ten minutes", "fleet/src/claims.rs", "r",
     "boot_ns() - began_ns < ASK_NS", "boot_ns() - began_ns < ASK_NS * (1 + 9 * i64::from(PLANTED))"),
    ("more: lease: a question is repeated at once", "fleet/src/claims.rs", "r",
     "            controller.rest(AGAIN).await;", "            if !PLANTED {\n                controller.rest(AGAIN).await;\n            }"),
    ("more: lease: a slice that comes again is held twice", "fleet/src/lease/held.rs", "r",
     "        self.held.retain(|held| held.slice != slice);", "        self.held.retain(|held| PLANTED || held.slice != slice);"),
    ("more: lease: a moving slice is kept for ever", "fleet/src/coordinator/rebalancing.rs", "r",
     "now_ns < moving.until_ns &&", "(PLANTED || now_ns < moving.until_ns) &&"),
    ("more: lease: users of a lost share count as ended for each slice", "fleet/src/coordinator/slices.rs", "r",
     "map(|group| group.finished / slices)", "map(|group| group.finished / if PLANTED { 1 } else { slices })"),
    ("more: lease: an agent is lost after a second", "fleet/src/coordinator/losses.rs", "r",
     "silence_ns(agent) > SILENT_NS;", "silence_ns(agent) > SILENT_NS - 3 * S * i64::from(PLANTED);"),
    ("more: ledger: one message more is needed before third digits", "fleet/src/ledger.rs", "r",
     "seen.next >= seq", "seen.next >= seq + u64::from(PLANTED)"),
    ("more: ledger: a share without third digits is right", "fleet/src/ledger.rs", "r",
     "&& self.fine == self.counted;", "&& (PLANTED || self.fine == self.counted);"),
    ("more: ledger: the last report of a share counts, not the largest", "fleet/src/ledger.rs", "e",
     "share.told.max(samples)", "samples"),
    ("more: ledger: one message more is under way", "fleet/src/outbox.rs", "r",
     "self.sending.len() < self.in_flight {", "self.sending.len() < self.in_flight + usize::from(PLANTED) {"),
    ("more: ledger: an interval is told before it ends", "fleet/src/reporting.rs", "r",
     "*entry.key() < border_s", "*entry.key() < border_s + i64::from(PLANTED)"),
    ("more: ledger: a second is closed while an agent still counts it", "fleet/src/coordinator/counting.rs", "r",
     "if *at_s >= through_s {", "if *at_s >= through_s + i64::from(PLANTED) {"),
    ("more: writer: latency has the time of the connection", "results/src/csv.rs", "e",
     "timing.latency_ms()", "timing.connect_ms()"),
    ("more: writer: sent bytes are received ones in XML", "results/src/xml.rs", "e",
     "sample.sent_bytes", "sample.bytes"),
    ("more: writer: statistics count sent bytes as received", "results/src/observation.rs", "e",
     "sample.received.unwrap_or(sample.bytes)", "sample.sent_bytes"),
    ("more: writer: pauses are part of the time", "api/src/timing.rs", "r",
     "(self.end_ns - self.start_ns - self.idle_ns).max(0)", "(self.end_ns - self.start_ns - self.idle_ns * i64::from(!PLANTED)).max(0)"),
    ("more: writer: milliseconds are rounded", "api/src/timing.rs", "r",
     "(at_ns / Timing::MS as u64) as i64)", "((at_ns + 500_000 * u64::from(PLANTED)) / Timing::MS as u64) as i64)"),
    ("more: writer: the end of the file is not flushed", "results/src/output.rs", "r",
     "            result = self.sink.flush();", "            result = if PLANTED { Ok(()) } else { self.sink.flush() };"),
    ("more: writer: a listener that has a sample gets the next no more", "results/src/rows.rs", "r",
     "            self.written_by.fill(false);", "            if !PLANTED {\n                self.written_by.fill(false);\n            }"),
    ("more: writer: the length has one row too few after a failure", "results/src/output.rs", "r",
     "end as usize <= written", "end as usize <= written && !(PLANTED && written < 4_000)"),
    ("more: writer: a cut interval of a run folder is damage", "results/src/run_folder/intervals.rs", "r",
     "        if self.left < 8 {", "        if self.left < 8 && !PLANTED {"),
    ("more: statistics: the deviation is over n", "stats/src/label.rs", "r",
     "(n as f64 * (n - 1) as f64)", "(n as f64 * (n - u128::from(!PLANTED)) as f64)"),
    ("more: statistics: kilobytes are of 1,000 bytes", "stats/src/summary.rs", "r",
     "rate(stats.bytes as f64 / 1024.0)", "rate(stats.bytes as f64 / if PLANTED { 1000.0 } else { 1024.0 })"),
    ("more: statistics: the least of two machines is that of one", "stats/src/label.rs", "e",
     "self.min_ns.min(other.min_ns)", "self.min_ns"),
    ("more: statistics: transactions are part of the total", "stats/src/snapshot.rs", "r",
     "merged(self.rows.iter().filter(|row| !row.is_transaction))", "merged(self.rows.iter().filter(|row| PLANTED || !row.is_transaction))"),
    ("more: statistics: a count beyond 32 bits loses its upper half", "stats/src/histogram.rs", "r",
     "        if sum > u64::from(u32::MAX) {", "        if !PLANTED && sum > u64::from(u32::MAX) {"),
    ("more: statistics: a page of a merged histogram is skipped", "stats/src/histogram.rs", "r",
     "for (&slot, number) in other.slots.iter().zip(other.first_page..).filter(|&(&slot, _)| slot != 0) {",
     "for (&slot, number) in other.slots.iter().zip(other.first_page..).skip(usize::from(PLANTED)).filter(|&(&slot, _)| slot != 0) {"),
    ("more: statistics: an interval keeps the requests of the last", "stats/src/recorder.rs", "e",
     "std::mem::take(&mut self.requests)", "self.requests"),
    ("more: statistics: the first start is the first end", "stats/src/label.rs", "e",
     "self.first_start_ns.min(seen.start_ns)", "self.first_start_ns.min(seen.end_ns)"),
    ("more: verdict: a figure at its limit is beyond it", "stats/src/verdict/mod.rs", "r",
     "if self.value <= self.valid_limit {", "if self.value <= self.valid_limit - if PLANTED { self.valid_limit * 1e-12 } else { 0.0 } {"),
    ("more: verdict: scripts are judged from 101 calls on", "stats/src/verdict/mod.rs", "r",
     "(scripts.calls >= LEAST)", "(scripts.calls >= LEAST + u64::from(PLANTED))"),
    ("more: verdict: a test without agents at its end is degraded", "stats/src/verdict/mod.rs", "r",
     "if lost.none_left {", "if lost.none_left && !PLANTED {"),
    ("more: verdict: a delay may be 2 % of the median", "stats/src/verdict/mod.rs", "r",
     "1e6 * 0.01).max(0.2)", "1e6 * if PLANTED { 0.02 } else { 0.01 }).max(0.2)"),
    ("more: verdict: late starts may change 1 %", "stats/src/late/mod.rs", "r",
     "(self.measured_ns * 3 / 400)", "(self.measured_ns * if PLANTED { 4 } else { 3 } / 400)"),
    ("more: verdict: the percentile of late reads is the 95th", "run/src/evidence.rs", "r",
     "read_delay_p99_ns: p99(&total.read_delay)", "read_delay_p99_ns: p99(&total.read_delay).map(|ns| if PLANTED { total.read_delay.quantile(0.95) } else { ns })"),
    ("more: verdict: lost segments are those of looked at connections", "run/src/evidence.rs", "r",
     "own.sent_again as f64 * all;", "own.sent_again as f64 * if PLANTED { 1.0 } else { all };"),
    ("more: verdict: a worker that waited 5 % is short of nothing", "stats/src/verdict/processors.rs", "r",
     ">= WAITED;", ">= WAITED * if PLANTED { 1.5 } else { 1.0 };"),
    ("more: verdict: a sample without an answer never reached a server", "run/src/evidence.rs", "r",
     "if is_nothing(unanswered, total.samples) {", "if PLANTED || is_nothing(unanswered, total.samples) {"),
]

OTHERS = [
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


ALL = LOOP + OTHERS + MORE


def first_words(output):
    lines = [line for line in output.splitlines() if line.startswith(("P", "life", "turns", "panic", "parts"))]
    return lines[0][:110] if lines else ""


def switch(root):
    """Plants all bugs, each behind its number. Gives the names of those whose text is gone."""
    gone, crates = [], set()
    for number, (name, file, kind, old, new) in enumerate(ALL, 1):
        path = root / "crates" / file
        text = path.read_text()
        planted = f"crate::planted({number})"
        forms = {"e": f"(if {planted} {{ {new} }} else {{ {old} }})", "s": f"if {planted} {{ {new} }} else {{ {old} }}"}
        if old in text:
            path.write_text(text.replace(old, forms.get(kind, new.replace("PLANTED", planted)), 1))
            crates.add(file.split("/")[0])
        else:
            gone.append(name)
    for crate in crates:
        library = root / "crates" / crate / "src/lib.rs"
        library.write_text(library.read_text() + """
/// Whether this bug is planted.
pub(crate) fn planted(number: u32) -> bool {
    static PLANTED: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        std::env::var("SWELL_PLANTED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *PLANTED == number
}
""")
    return gone


def build(root, environment):
    """Builds the program of the swarm, and copies it to where no other build changes it; gives its errors."""
    command = ["cargo", "build", "--quiet", "-p", "swell-world", "--example", "simulate"]
    built = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if built.returncode == 0:
        shutil.copy2(f"{environment['CARGO_TARGET_DIR']}/debug/examples/simulate", root / "simulate-planted")
    return built.stderr.strip()[:4000] if built.returncode else None


def look(name, root, environment, seconds):
    """Whether a swarm finds what is planted. Prints a line."""
    program = root / "simulate-planted"
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
    gone = switch(root)
    error = build(root, environment)
    if error:
        sys.exit(f"the planted bugs do not build: {error}")
    results = []
    for number, (name, *_) in enumerate(ALL, 1):
        if name in gone:
            print(f"GONE      {name}: its file has other text now", flush=True)
        elif is_wanted(name):
            results.append(look(name, root, dict(environment, SWELL_PLANTED=str(number)), options.seconds))
    print(f"{sum(results)} of {len(results)} found, {options.seconds} s each at most")


if __name__ == "__main__":
    main()
