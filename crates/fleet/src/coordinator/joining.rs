//! Who takes part: agents join, are found fit, and take their slices.

use std::collections::{BTreeMap, BTreeSet};

use super::{Action, Agent, MOST_SLICES, RunCoordinator, Slice, Stage};
use crate::wire::{ControllerMessage, Heartbeat, Hello, PROTOCOL, State};

/// How far clocks may be uncertain.
const MOST_SKEW_NS: i64 = 50_000_000;
/// Workers of an agent.
const WORKERS: std::ops::RangeInclusive<u32> = 1..=1024;

impl RunCoordinator {
    /// An agent gives a sign of life.
    pub fn heartbeat(&mut self, heart: Heartbeat, now_ns: i64) {
        let is_wanted = self.is_wanted(&heart.name, &heart.host);
        if self.stage == Stage::Over || !is_wanted || self.refused.contains(&heart.agent) {
            return;
        }
        if let Some(why) = unfit(&heart, self.options.allow_skew) {
            return self.refuse(heart.agent, &heart.name, &why);
        }
        if let State::Failed { why } = &heart.state {
            self.refused.insert(heart.agent.clone());
            let text = format!("agent {} cannot take part: {why}", heart.name);
            self.agents.remove(&heart.agent);
            if self.stage == Stage::Running {
                return self.say(text);
            }
            return self.fail(text);
        }
        let known = self.agents.get_mut(&heart.agent);
        if let Some(agent) = known {
            (agent.last, agent.seen_ns) = (heart, now_ns);
            if std::mem::take(&mut agent.lost) {
                let agent = Agent { last: agent.last.clone(), ..*agent };
                self.say(format!("agent {} is back", agent.last.name));
                self.take_back(&agent);
            }
        } else {
            let Heartbeat { name, host, workers, clock, .. } = &heart;
            let offset_ms = clock.offset_ns as f64 / 1e6;
            let error_us = clock.error_ns as f64 / 1e3;
            self.say(format!(
                "agent {name} on {host} joined with {workers} workers; clock offset {offset_ms:+.3} \
                ms (± {error_us:.0} µs), corrected"
            ));
            if self.stage == Stage::Running {
                self.say_what_is_left_for(&heart.name.clone());
            }
            let takes_part = self.shares.values().any(|share| share.agent == heart.agent);
            let agent = Agent { last: heart, seen_ns: now_ns, lost: false, takes_part };
            self.agents.insert(agent.last.agent.clone(), agent);
        }
    }

    /// A sign of life of an agent that this version cannot decode, except for its name and version.
    pub fn strange_heartbeat(&mut self, hello: Hello) {
        let is_wanted = self.is_wanted(&hello.name, &hello.host);
        if self.stage == Stage::Over || !is_wanted || self.refused.contains(&hello.agent) {
            return;
        }
        if let Some(why) = other_version(hello.protocol, &hello.version) {
            self.refuse(hello.agent, &hello.name, &why);
        }
    }

    /// Before the test begins that ends it: all who have joined were wanted.
    fn refuse(&mut self, agent: String, name: &str, why: &str) {
        self.refused.insert(agent);
        let text = format!("agent {name} cannot take part: {why}");
        if self.stage == Stage::Gathering {
            return self.fail(text);
        }
        self.say(text);
    }

    fn is_wanted(&self, name: &str, host: &str) -> bool {
        let named = &self.options.named;
        named.is_empty() || named.iter().any(|wanted| *wanted == name || *wanted == host)
    }

    /// Agents that can be given slices before the test begins.
    pub(super) fn ready(&self) -> Vec<&Agent> {
        self.agents.values().filter(|agent| is_ready(agent)).collect()
    }

    pub(super) fn gather(&mut self, now_ns: i64) {
        if self.stopped.is_some() {
            return self.finish(Some("the test was stopped before it started".into()));
        }
        let ready = self.ready().len();
        let in_time = now_ns - self.began_ns < self.options.timeout_ns;
        if ready < self.options.agents && in_time {
            return;
        }
        if ready < self.options.agents && (ready == 0 || !self.options.begin_without) {
            let missing = self.missing();
            let text = format!(
                "{ready} of {} agents were ready after {:.0} s: {missing}",
                self.options.agents,
                (now_ns - self.began_ns) as f64 / 1e9
            );
            return self.fail(text);
        }
        let mut takes = BTreeMap::new();
        for agent in self.agents.values_mut().filter(|agent| is_ready(agent)) {
            agent.takes_part = true;
            let workers = if self.options.multiply { 1 } else { agent.last.workers.max(1) };
            takes.insert(agent.last.agent.clone(), workers);
        }
        let slices = dealt(&mut takes, self.options.slices.filter(|_| !self.options.multiply));
        if slices > MOST_SLICES {
            return self.fail(format!(
                "the agents have {slices} workers in total, but a test has at most {MOST_SLICES} \
                slices: start agents with fewer workers (-w), or set the number of slices \
                (--slices)"
            ));
        }
        self.slices = vec![Slice::default(); slices as usize];
        self.stage = Stage::Dealing;
        self.told_ns = now_ns;
        self.actions.push(Action::Slice(slices));
        self.actions.push(Action::Send(ControllerMessage::Take(takes)));
    }

    /// Who is waited for, and what they do.
    pub(super) fn missing(&self) -> String {
        let mut told: Vec<_> = self
            .agents
            .values()
            .filter(|agent| !is_ready(agent))
            .map(|agent| {
                let what = if agent.lost {
                    "is lost"
                } else if agent.last.rests {
                    "is leaving"
                } else {
                    "is not ready yet"
                };
                format!("agent {} {what}", agent.last.name)
            })
            .collect();
        let here = |name: &&String| {
            !self.agents.values().any(|agent| agent.last.name == **name || agent.last.host == **name)
        };
        told.extend(self.options.named.iter().filter(here).map(|name| format!("{name} has not joined")));
        if told.is_empty() {
            let joined = self.agents.len();
            told.push(format!("{} have not joined", self.options.agents.saturating_sub(joined)));
        }
        told.join(", ")
    }

    pub(super) fn wait_for_slices(&mut self, now_ns: i64) {
        let owned = |slice: &&Slice| slice.share.is_some();
        if self.slices.iter().filter(owned).count() == self.slices.len() {
            self.stage = Stage::Running;
            (self.told_ns, self.running_ns) = (now_ns, now_ns);
            self.actions.push(Action::Begin);
            return self.say(format!(
                "{} slices on {} agents",
                self.slices.len(),
                self.agents.values().filter(|agent| agent.takes_part).count()
            ));
        }
        if self.stopped.is_some() {
            return self.finish(Some("the test was stopped before it started".into()));
        }
        if now_ns - self.told_ns > self.options.timeout_ns {
            let have: BTreeSet<_> = self.shares.values().map(|share| share.agent.as_str()).collect();
            let missing =
                self.agents.iter().filter(|(id, agent)| agent.takes_part && !have.contains(id.as_str()));
            let names: Vec<_> = missing.map(|(_, agent)| agent.last.name.clone()).collect();
            let text = format!(
                "not all slices were assigned within {:.0} s; unassigned: {}",
                (now_ns - self.told_ns) as f64 / 1e9,
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            );
            self.fail(text);
        }
    }
}

fn is_ready(agent: &Agent) -> bool {
    !agent.lost && !agent.last.rests && agent.last.state == State::Ready
}

/// Why an agent cannot take part, if it cannot.
fn unfit(heart: &Heartbeat, allow_skew: bool) -> Option<String> {
    if let Some(why) = other_version(heart.protocol, &heart.version) {
        return Some(why);
    }
    if !WORKERS.contains(&heart.workers) {
        return Some(format!(
            "it reports {} workers: expected {} to {}",
            heart.workers,
            WORKERS.start(),
            WORKERS.end()
        ));
    }
    (heart.clock.error_ns > MOST_SKEW_NS && !allow_skew).then(|| {
        format!(
            "its clock is known only within {:.0} ms; --allow-skew starts the test anyway",
            heart.clock.error_ns as f64 / 1e6
        )
    })
}

fn other_version(protocol: u32, version: &str) -> Option<String> {
    let own = env!("CARGO_PKG_VERSION");
    (protocol != PROTOCOL || version != own).then(|| {
        format!(
            "it runs Swell {version} (protocol {protocol}), and the controller runs {own} \
            ({PROTOCOL}); run the same version everywhere"
        )
    })
}

/// How many slices each takes, if there are to be this many; gives how many there are.
pub(super) fn dealt(takes: &mut BTreeMap<String, u32>, slices: Option<u32>) -> u32 {
    let Some(slices) = slices else { return takes.values().sum() };
    let agents = takes.len().max(1) as u32;
    // Each has one at least, else it would stand by.
    let slices = slices.max(agents);
    for (place, take) in takes.values_mut().enumerate() {
        *take = slices / agents + u32::from((place as u32) < slices % agents);
    }
    slices
}
