//! Responses of the Java side.

use crate::message::{Reader, Write};
use crate::{Assertion, JvmFault, LogicalAction, Sample, Sampler};

/// A variable that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueChange<'a> {
    /// It is gone.
    Removed,
    /// It has this text.
    Text(&'a str),
    /// It is there and null.
    Null,
    /// It holds an object, which stays on the Java side; this is its text. Only in answers.
    Object(&'a str),
}

impl<'a> ValueChange<'a> {
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Removed => out.u8(0),
            Self::Null => out.u8(2),
            Self::Text(text) | Self::Object(text) => {
                out.u8(1);
                out.string(text);
            }
        }
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, JvmFault> {
        match reader.u8()? {
            0 => Ok(Self::Removed),
            1 => reader.string().map(Self::Text),
            2 => Ok(Self::Null),
            3 => reader.string().map(Self::Object),
            other => Err(JvmFault::BadAnswer(format!("unknown variable kind {other}"))),
        }
    }
}

/// How an element ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As it should.
    Ran,
    /// Its script failed; JMeter's element has dealt with that.
    Failed,
    /// It threw what JMeter's element does not catch: in JMeter that ends the thread, or the
    /// assertion with an error.
    Threw,
}

/// Why a script failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptFault<'a> {
    /// Class of the exception; empty if it is not known.
    pub class: &'a str,
    /// Its message.
    pub message: &'a str,
    /// Line of the script, from 1; 0 if it is not known.
    pub line: u32,
    /// It is an `Error` and no `Exception`.
    pub is_error: bool,
}

/// Level of a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// `ERROR` and above.
    Error,
    /// `WARN`.
    Warn,
    /// `INFO`.
    Info,
    /// `DEBUG`.
    Debug,
    /// `TRACE`.
    Trace,
    /// It was printed, in a run that is traced.
    Printed,
}

/// A line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// Level.
    pub level: LogLevel,
    /// Name of the logger.
    pub logger: &'a str,
    /// Text.
    pub text: &'a str,
    /// Stack of the exception that was logged with it.
    pub stack: Option<&'a str>,
}

/// Requests to the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineRequests {
    /// The user stops (`ctx.getThread().stop()`).
    pub stop_thread: bool,
    /// The test stops, samples end (`ctx.getEngine().askThreadsToStop()`).
    pub stop_test: bool,
    /// The test stops at once (`ctx.getEngine().stopTest()`).
    pub stop_test_now: bool,
    /// Where the user goes (`ctx.setTestLogicalAction`).
    pub action: LogicalAction,
}

/// An alias of [`Assertion`] for the outcome of an assertion element.
pub type AssertionOutcome<'a> = Assertion<'a>;

/// The response to a call for a user.
#[derive(Clone, Debug, PartialEq)]
pub struct JvmAnswer<'a> {
    /// How it ended.
    pub status: Status,
    /// Why it failed.
    pub fault: Option<ScriptFault<'a>>,
    /// Variables that changed.
    pub variables: Vec<(&'a str, ValueChange<'a>)>,
    /// Properties that changed, by this or another call; none: gone, or no text.
    pub properties: Vec<(&'a str, ValueChange<'a>)>,
    /// What was asked of the engine.
    pub wishes: EngineRequests,
    /// Lines of the log.
    pub logs: Vec<LogLine<'a>>,
    /// Value of a function.
    pub value: Option<&'a str>,
    /// Pause of a timer in milliseconds.
    pub delay_ms: i64,
    /// What an assertion element gave.
    pub assertion: Option<AssertionOutcome<'a>>,
    /// What changed in `prev`.
    pub previous: Option<Sample<'a>>,
    /// The sample of a sampler, whole.
    pub sample: Option<Sample<'a>>,
    /// `sampler`, whole, if it was sent and changed.
    pub sampler: Option<Sampler<'a>>,
}

impl<'a> JvmAnswer<'a> {
    /// Reads the answer to [`crate::request::run_script`] or [`crate::request::evaluate`].
    ///
    /// # Errors
    /// The Java side refused, or the answer is not understood.
    pub fn read(answer: &'a [u8]) -> Result<Self, JvmFault> {
        let mut reader = body(answer)?;
        let reader = &mut reader;
        let status = match reader.u8()? {
            0 => Status::Ran,
            1 => Status::Failed,
            2 => Status::Threw,
            other => return Err(JvmFault::BadAnswer(format!("unknown status {other}"))),
        };
        let fault = (status != Status::Ran).then(|| read_fault(reader)).transpose()?;
        let answer = Self {
            status,
            fault,
            variables: reader.list(|reader| Ok((reader.string()?, ValueChange::read(reader)?)))?,
            properties: reader.list(|reader| Ok((reader.string()?, ValueChange::read(reader)?)))?,
            wishes: read_wishes(reader)?,
            logs: reader.list(read_log)?,
            value: reader.optional()?,
            delay_ms: reader.i64()?,
            assertion: reader.flag()?.then(|| Assertion::read(reader)).transpose()?,
            previous: reader.flag()?.then(|| Sample::read(reader)).transpose()?,
            sample: reader.flag()?.then(|| Sample::read(reader)).transpose()?,
            sampler: reader.flag()?.then(|| Sampler::read(reader)).transpose()?,
        };
        if reader.is_at_end() {
            Ok(answer)
        } else {
            Err(JvmFault::BadAnswer("unexpected bytes at its end".to_owned()))
        }
    }
}

/// What follows the first byte of an answer, if the Java side did not refuse.
///
/// # Errors
/// It did.
pub(crate) fn body(answer: &[u8]) -> Result<Reader<'_>, JvmFault> {
    let mut reader = Reader::new(answer);
    if reader.u8()? == 0 {
        return Ok(reader);
    }
    Err(JvmFault::Refused { class: reader.string()?.to_owned(), message: reader.string()?.to_owned() })
}

/// The line of its script that a user's thread was at when it was interrupted, from the answer to
/// the interruption; `None` if unknown.
///
/// # Errors
/// Not such an answer.
pub fn interrupted(answer: &[u8]) -> Result<Option<u32>, JvmFault> {
    body(answer)?.u32().map(|line| Some(line).filter(|line| *line > 0))
}

fn read_fault<'a>(reader: &mut Reader<'a>) -> Result<ScriptFault<'a>, JvmFault> {
    Ok(ScriptFault {
        class: reader.string()?,
        message: reader.string()?,
        line: reader.u32()?,
        is_error: reader.flag()?,
    })
}

fn read_wishes(reader: &mut Reader<'_>) -> Result<EngineRequests, JvmFault> {
    let bits = reader.u8()?;
    Ok(EngineRequests {
        stop_thread: bits & 1 != 0,
        stop_test: bits & 2 != 0,
        stop_test_now: bits & 4 != 0,
        action: LogicalAction::of(reader.u8()?)?,
    })
}

pub(crate) fn read_log<'a>(reader: &mut Reader<'a>) -> Result<LogLine<'a>, JvmFault> {
    let level = match reader.u8()? {
        1 => LogLevel::Error,
        2 => LogLevel::Warn,
        3 => LogLevel::Info,
        4 => LogLevel::Debug,
        6 => LogLevel::Printed,
        _ => LogLevel::Trace,
    };
    Ok(LogLine { level, logger: reader.string()?, text: reader.string()?, stack: reader.optional()? })
}
