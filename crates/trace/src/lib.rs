//! What a plan did, step by step, as data: the events of `swell debug`.
//!
//! A run that is traced gives each virtual user a [`UserTrace`], to which elements report what they
//! do. It hands whole events to the [`TraceSink`] of the run. Runs without a trace have none of
//! this: the engine puts what reports into a program only when it compiles it for a trace.

mod content;
mod decision;
mod event;
mod exchange;
mod output;
mod recent;
mod step;
mod text;
mod user_trace;
mod variables;

pub use content::{BODY_BYTES, Content};
pub use decision::{Decision, Verdict};
pub use event::{
    DataRead, End, EndReason, Event, GroupPlan, Iteration, Line, LogLine, NeverRan, NotRun, SCHEMA, Settings,
    Start, Transaction, UserEnd,
};
pub use exchange::{CacheNote, Connection, Cookie, CookieNotes, Exchange, RefusedCookie, Request, Response};
pub use recent::{RecentLimits, RecentPool, RecentSample, RecentSteps, RecentTimes, SharedRecent};
pub use step::{
    Action, Check, DataRow, ElementRef, Extraction, Hint, Outcome, PropertyChange, ReadVariable, Role,
    Sample, Step, TimerWait, Timing, VariableChange, Written,
};
pub use text::Text;
pub use user_trace::{TraceSink, UserTrace};
pub use variables::KnownVariables;
