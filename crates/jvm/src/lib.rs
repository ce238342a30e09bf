//! The embedded JVM: JMeter's classes run everything that Swell has no native code for.
//!
//! The lower half is here: finding Java ([`Java`]) and JMeter ([`JMeterHome`]), starting the single
//! JVM of the process ([`Jvm`]), and the flat messages to and from it ([`request`], [`JvmAnswer`])
//! on threads of a [`swell_api::Pool`]. Threads that serve load never call the JVM, because a call
//! may block, and during garbage collection every thread that enters the JVM waits. The folder
//! `jvm/` of the repository has the Java side.

mod absent;
mod answer;
pub mod archive;
mod bridge;
mod child;
mod class_path;
mod elements;
mod home;
pub mod hosted;
pub mod install;
mod installation;
mod java;
mod java_side;
mod jvm;
mod message;
mod native;
mod options;
pub mod request;
mod sample;
mod sampler;
mod transport;

pub use answer::{
    AssertionOutcome, EngineRequests, JvmAnswer, LogLevel, LogLine, ScriptFault, Status, ValueChange,
    interrupted,
};
pub use child::Child;
pub use class_path::{ClassPath, class_path_of_plan};
pub use elements::{JvmProvider, JvmSettings, SCRIPT_TIMEOUT};
pub use home::{HomeError, JMeterHome};
pub use installation::{Config, StartError};
pub use java::{Java, JavaError};
pub use java_side::JvmPlace;
pub use jvm::Jvm;
pub use sample::{Assertion, HttpPart, LogicalAction, Sample, SampleFlags, Sizes, ThreadPart, Times};
pub use sampler::{Argument, Cookie, File, Sampler};
pub use transport::{JvmFault, Transport};
