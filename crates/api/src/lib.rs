//! The contracts between the engine and the elements of a plan, and their shared types.
//!
//! Every implementation of an element depends on this crate and on nothing above it: the engine,
//! the HTTP sampler, assertions and extractors, results. `docs/adding-an-element.md` explains one
//! element of each role.

mod bodies;
mod body;
mod body_text;
mod compat;
mod compile;
mod controller;
mod documentation;
mod element;
mod events;
mod external_group;
mod files;
mod foreign_work;
mod functions;
mod functions_page;
mod kind;
mod listener;
mod load;
mod merged;
mod owned_sample;
mod page;
mod placement;
mod readings;
mod registry;
mod request;
mod role;
mod run_assertion;
mod sample;
mod sample_changes;
mod sampler;
mod scope;
mod spare;
mod start_texts;
mod step;
mod thread_group;
mod timer;
mod timing;
mod user;
mod variables;

pub use bodies::{Bodies, Cut, EVENT_SAMPLES, Keeper, MAX_BYTES, MAX_BYTES_TOTAL};
pub use body::Body;
pub use body_text::{BodyText, Coding, fallback_charset};
pub use compat::{COMPAT, Compat};
pub use compile::{CompileContext, SamplerInput, bodies_of, script_place};
pub use controller::{Controller, ControllerState};
pub use documentation::{Documentation, Property, Values};
pub use element::{Assertion, IterationElement, Needs, PostProcessor, PreProcessor};
pub use events::{EventTimes, KeptEvent, TokenTimes};
pub use external_group::{
    ExternalGroup, GroupChange, GroupSample, GroupStart, GroupUsers, RunningGroup, SampleAudience, Taken,
};
pub use files::{FileProperty, FileUse, NamedFile};
pub use foreign_work::{FOREIGN_QUEUE, FOREIGN_THREADS, foreign_work};
pub use functions::{Functions, FutureAnswer};
pub use functions_page::functions_page;
pub use kind::{
    BACKEND_LISTENER, BZM_HTTP_SAMPLER, CONFIG_TEST_ELEMENT, Departure, ElementKind, GroupMaker, IS_KEPT,
    IsOfKind, ListenerMaker, Make, Maker, NativeGap, NeedsFunction, READS_OBJECTS, SENT_BY_JMETER,
    SET_BY_PROPERTY, SET_BY_SCRIPT, SamplerMaker, Treatment, is_as_planned, is_set_by_property,
};
pub use listener::{Listener, SampleEvent};
pub use load::{ElementLoad, LoadUnit, StatedLoad};
pub use merged::Merged;
pub use owned_sample::{OwnedAssertion, OwnedHttpDetails, OwnedSample};
pub use page::reference_page;
pub use placement::{Placement, YieldBudget, yield_now};
pub use readings::Reading;
pub use registry::{Broken, Provider, Registry, RunPlan};
pub use request::{
    ListEdit, ManagerChanges, PendingRequest, RequestArgument, RequestChange, RequestCookie, RequestEdit,
    RequestFile, RequestTexts, SamplerSnapshot, SamplerTexts, SamplerView, StoredSamplers,
};
pub use role::Role;
pub use run_assertion::run_assertion;
pub use sample::{AssertionResult, Compared, DataType, HttpDetails, SampleResult};
pub use sample_changes::SampleChanges;
pub use sampler::{Sampler, SamplerFuture, UserState};
pub use scope::Scope;
pub use start_texts::StartTexts;
pub use step::{Step, StepProgress};
pub use swell_budget::{Account, Budget, Limits, Room};
pub use swell_pool::{Cancel, CancelReason, Pending, Pool, PoolFigures, WorkError};
pub use swell_trace::Text;
pub use thread_group::{Phase, Schedule, Start, StartMode, ThreadGroup};
pub use timer::{Delay, Moment, Timer};
pub use timing::Timing;
pub use user::{LoopAction, User};
pub use variables::{VariableProperty, VariableUse};
