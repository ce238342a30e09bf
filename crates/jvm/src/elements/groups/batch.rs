//! The output of such a group since the last call.

use swell_api::{GroupSample, GroupUsers, SampleAudience, Taken};
use swell_plan::NodeId;

use crate::answer::{LogLine, body, read_log};
use crate::elements::samples;
use crate::message::Reader;
use crate::{JvmFault, Sample, ValueChange};

/// A response to [`crate::request::take_samples`].
pub(super) struct Batch<'a> {
    pub(super) taken: Taken,
    pub(super) users: GroupUsers,
    pub(super) properties: Vec<(&'a str, ValueChange<'a>)>,
    pub(super) logs: Vec<LogLine<'a>>,
}

const IS_TRANSACTION: u8 = 1;
const COUNTS: u8 = 2;
const STOP_TEST: u8 = 2;
const STOP_TEST_NOW: u8 = 4;

impl<'a> Batch<'a> {
    pub(super) fn read(answer: &'a [u8]) -> Result<Self, JvmFault> {
        let reader = &mut body(answer)?;
        let samples = reader.list(read_sample)?;
        let [active, started, finished, planned] =
            [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        let is_over = reader.flag()?;
        let problem = reader.optional()?.map(str::to_owned);
        let wishes = reader.u8()?;
        let stops_test = [(STOP_TEST_NOW, true), (STOP_TEST, false)]
            .into_iter()
            .find_map(|(wish, at_once)| (wishes & wish != 0).then_some(at_once));
        let ended = is_over.then(|| problem.map_or(Ok(()), Err));
        Ok(Self {
            taken: Taken { samples, ended, stops_test },
            users: GroupUsers { active, started, finished, planned },
            properties: reader.list(|reader| Ok((reader.string()?, ValueChange::read(reader)?)))?,
            logs: reader.list(read_log)?,
        })
    }
}

fn read_sample(reader: &mut Reader<'_>) -> Result<GroupSample, JvmFault> {
    let flags = reader.u8()?;
    let listeners = reader.list(|reader| reader.u32().map(NodeId))?;
    let variables = reader.list(|reader| Ok((reader.string()?.to_owned(), reader.string()?.to_owned())))?;
    let mut sample = samples::owned(&Sample::read(reader)?);
    sample.is_transaction = flags & IS_TRANSACTION != 0;
    let heard_by = SampleAudience::Elements { listeners, counts: flags & COUNTS != 0 };
    Ok(GroupSample { sample, variables, heard_by })
}

/// The lines of the log that the end of all groups has written.
pub(in crate::elements) fn last_logs(answer: &[u8]) -> Result<Vec<LogLine<'_>>, JvmFault> {
    body(answer)?.list(read_log)
}
