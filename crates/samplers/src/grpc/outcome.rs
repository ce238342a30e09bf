//! Results as samples (`GRPCSampler.processGrpcRequestSampler`).

use swell_api::{DataType, Needs, SampleResult, Text};
use swell_grpc::{Code, Status};
use swell_net::now_ns;
use swell_stats::{GRPC_FAILED_CODE, GRPC_NOT_MADE, GRPC_NOT_MADE_CODE};

use super::call::{KeptMessage, Received};
use super::channel::Channel;
use super::failure::NoCall;

/// What of a sample is wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) needs: Needs,
    /// Most messages of a stream that become sub-samples.
    pub(super) sub_samples_max: usize,
    /// Sub-samples are called after their parent.
    pub(super) renames: bool,
}

impl Wanted {
    /// Whether the messages of a stream become sub-samples.
    pub(super) fn has_sub_samples(&self) -> bool {
        self.sub_samples_max > 0 && (self.needs.details || self.needs.body)
    }
}

/// Nothing was sent.
pub(super) fn put_no_call(why: &NoCall, sample: &mut SampleResult) {
    sample.timing.end_ns = now_ns();
    sample.code = GRPC_NOT_MADE_CODE.into();
    sample.message = format!("{GRPC_NOT_MADE}{}", why.0).into();
    sample.data_type = DataType::Text;
    sample.encoding = "UTF-8".into();
    sample.body = why.0.clone().into_bytes().into();
}

/// Times and sizes of a call.
pub(super) fn put_received(received: &Received, sample: &mut SampleResult) {
    let timing = &mut sample.timing;
    if received.end_ns != 0 {
        timing.end_ns = received.end_ns.max(timing.start_ns);
        (timing.arrived_ns, timing.read_ns) = (received.arrived_ns, received.read_ns);
    }
    timing.first_byte_ns = received.first_byte_ns;
    sample.sent_bytes = received.sent;
    sample.header_size = (received.head.len() + received.trailers.len()) as u64;
    sample.body_size = received.body_bytes;
    sample.bytes = sample.header_size + sample.body_size;
    sample.received = Some(received.frame_bytes);
}

/// The status of a call that was made, or for which there was no connection. `is_described`: the
/// message has the description, which in the plug-in is only the data.
pub(super) fn put_status(status: &Status, is_described: bool, sample: &mut SampleResult) {
    sample.data_type = DataType::Text;
    if status.code == Code::Ok {
        sample.success = true;
        sample.code = "200".into();
        sample.message = " success".into();
        return;
    }
    sample.success = false;
    sample.code = GRPC_FAILED_CODE.into();
    let (number, name) = (status.code.number(), status.code.name());
    sample.message = if is_described { format!(" {status}") } else { format!(" {number} {name}") }.into();
    sample.encoding = "UTF-8".into();
    sample.body = status.description.clone().into_bytes().into();
}

/// The end of a call that this side ended: no arrival.
pub(super) fn put_end_here(sample: &mut SampleResult) {
    sample.timing.end_ns = now_ns();
    (sample.timing.arrived_ns, sample.timing.read_ns) = (0, 0);
}

/// The messages of a call that has succeeded, as JSON.
///
/// # Errors
/// A message is not valid: the status of the call.
pub(super) fn put_messages(
    received: &mut Received,
    channel: &Channel,
    wanted: Wanted,
    name: &str,
    sample: &mut SampleResult,
) -> Result<(), Status> {
    let method = &channel.method.method;
    let kept = std::mem::take(&mut received.kept);
    let texts: Result<Vec<String>, String> =
        kept.iter().map(|message| method.response_text(&message.bytes)).collect();
    let texts = texts.map_err(|why| Status::new(Code::Internal, why))?;
    if method.is_server_streaming() && wanted.has_sub_samples() {
        let messages = kept.iter().zip(&texts).take(wanted.sub_samples_max);
        let mut begun_ns = sample.timing.start_ns;
        for (number, (message, text)) in messages.enumerate() {
            let label = if wanted.renames { format!("{name}-{number}") } else { format!("{name} message") };
            let body = wanted.needs.body.then_some(text.as_str());
            sample.sub_results.push(sub_sample(label.into(), message, begun_ns, body));
            begun_ns = message.at_ns;
        }
    }
    if wanted.needs.body {
        // `GrpcResponse.getGrpcMessageString`: one by itself, others as Java's list.
        let text = match &texts[..] {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        sample.body = text.into_bytes().into();
    }
    Ok(())
}

/// A message of a stream: from the end of the one before to its last byte.
fn sub_sample(label: Text, message: &KeptMessage, begun_ns: i64, body: Option<&str>) -> SampleResult {
    let mut sub = SampleResult {
        label,
        code: "200".into(),
        message: " success".into(),
        success: true,
        data_type: DataType::Text,
        bytes: message.bytes.len() as u64,
        body_size: message.bytes.len() as u64,
        ..SampleResult::default()
    };
    sub.timing.start_ns = begun_ns.min(message.at_ns);
    sub.timing.end_ns = message.at_ns;
    sub.timing.first_byte_ns = message.at_ns;
    sub.timing.read_ns = message.read_ns;
    if let Some(body) = body {
        sub.body = body.to_owned().into_bytes().into();
    }
    sub
}
