//! Messages between controller and agents during a run: signs of life, messages to all, requests
//! for slices.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use swell_engine::{LoadChange, Stopped};

use crate::offset::Offset;

/// A sign of life, each second. JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// [`PROTOCOL`] of the agent.
    pub protocol: u32,
    /// Version of Swell of the agent.
    pub version: String,
    /// The agent: its name and a part by chance.
    pub agent: String,
    /// What it is called.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// How many slices it wants.
    pub workers: u32,
    /// What it does.
    pub state: State,
    /// How far its clock was off, before it was corrected.
    pub clock: Offset,
    /// How far it is off now.
    pub drift: Offset,
    /// Messages that the broker has not taken yet.
    pub unsent: u64,
    /// For how many seconds it has taken none of them.
    pub unsent_s: u64,
    /// What it said to the last one that it did not take.
    pub refusal: Option<String>,
    /// Slices whose leases it holds.
    pub holds: Vec<u32>,
    /// It is about to leave: it takes no more slices.
    pub rests: bool,
}

/// What signs of life of all versions have, whatever else they say.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`](super::PROTOCOL) of the agent.
    pub protocol: u32,
    /// Version of Swell of the agent.
    pub version: String,
    /// The agent: its name and a part by chance.
    pub agent: String,
    /// What it is called.
    pub name: String,
    /// Its host.
    pub host: String,
}

/// What an agent does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum State {
    /// It fetches the plan and makes it ready.
    Preparing,
    /// It is ready.
    Ready,
    /// It makes load; the phase for whose release all its shares wait, if they do (0, 1, 2).
    Running {
        /// The phase.
        held: Option<u8>,
    },
    /// It cannot take part.
    Failed {
        /// Why.
        why: String,
    },
}

/// From the controller to all, in order and kept: late agents read all. JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ControllerMessage {
    /// The manifest is there.
    Manifest,
    /// Agents take this many slices.
    Take(BTreeMap<String, u32>),
    /// A phase begins (0, 1, 2).
    Go {
        /// The phase.
        phase: u8,
        /// When, on the controller's clock in nanoseconds.
        start_ns: i64,
    },
    /// The load changes.
    Change(LoadChange),
    /// The test ends.
    Stop(Stopped),
    /// A share is not this agent's any more: it stops at once.
    Evict {
        /// The share.
        share: String,
    },
    /// Another controller leads the run on: agents send the rows of results again from the first
    /// one, so that it has them.
    RowsAgain,
    /// The run has finished: agents leave it.
    Over,
}

/// An agent asks to make a slice that the broker gave it. JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The agent.
    pub agent: String,
    /// What it counts for the slice under.
    pub share: String,
    /// The slice.
    pub slice: u32,
    /// How often the broker has given it out.
    pub epoch: u64,
}

/// The answer to a [`Claim`]. JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Grant {
    /// The slice is the agent's.
    Yes {
        /// The phase to begin with.
        from: u8,
        /// Where another had it: how far it was.
        taken_over: Option<SliceProgress>,
    },
    /// It is on its way to another agent, which has fewer: it is given back at once.
    Kept,
    /// The slice is finished: the agent acknowledges it, so that the broker offers it to no agent
    /// again.
    Done,
    /// The agent may not make the slice now. The broker offers it again later.
    No {
        /// Why.
        why: String,
    },
}

/// How far a slice was where it was made before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceProgress {
    /// When that was lost, on the controller's clock in nanoseconds.
    pub lost_ns: i64,
    /// Users that had ended, by thread group.
    pub ended: Vec<u32>,
    /// Rows that were read of data files.
    pub rows_read: BTreeMap<String, u64>,
}
