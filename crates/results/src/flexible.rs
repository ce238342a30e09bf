//! jp@gc - Flexible File Writer (`kg.apc.jmeter.reporters.FlexibleFileWriter`): rows in the plan's
//! format.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{CompileContext, Listener, ListenerMaker, Needs, SampleEvent, SampleResult};
use swell_expr::{Context, Level, Slot};
use swell_plan::{Node, Severity};

use crate::files::ResultFile;
use crate::row_text::{Large, RowText};
use crate::rows::WorkerRows;
use crate::{OpenError, ResultFiles};

/// The class of the Flexible File Writer.
pub(crate) const FLEXIBLE: &str = "kg.apc.jmeter.reporters.FlexibleFileWriter";

/// Makes the listeners of Flexible File Writer elements. A file that cannot be opened is a
/// diagnostic of severity error.
pub fn flexible_writer_factory(files: &ResultFiles) -> ListenerMaker {
    let files = files.clone();
    Arc::new(move |node, compile| {
        if files.options().dry_run {
            return None;
        }
        match Flexible::open(node, compile, &files) {
            Ok(listener) => Some(Rc::new(listener) as Rc<dyn Listener>),
            Err(problem) => {
                let hint = "name a file in a folder that this user may write to";
                compile.note(Severity::Error, &node.element, Some("filename"), problem, Some(hint));
                None
            }
        }
    })
}

/// The file of an element.
pub(crate) fn open(
    node: &Node,
    compile: &CompileContext,
    files: &ResultFiles,
) -> Result<Arc<ResultFile>, OpenError> {
    let element = &node.element;
    let text = |property: &str| files.start_texts().property(element, property, compile);
    let header = unescape(&text("header"));
    let footer = unescape(&text("footer"));
    // All workers share one name, though functions in it may return another text each time.
    let name = files.name_of(node.id, || text("filename"));
    files.open_plain(&name, element.flag("overwrite", false), &header, footer)
}

/// A piece of a row.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(Field),
    /// A variable of `sample_variables`, by its place.
    Variable(usize),
}

/// What a row shows of a sample. The plug-in spells the first so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    IsSuccsessful,
    StartTime,
    EndTime,
    SentBytes,
    ReceivedBytes,
    ResponseTime,
    Latency,
    ResponseCode,
    ResponseMessage,
    IsFailed,
    ThreadName,
    SampleLabel,
    StartTimeMillis,
    EndTimeMillis,
    ResponseTimeMicros,
    LatencyMicros,
    RequestData,
    ResponseData,
    ResponseHeaders,
    ThreadsCount,
    RequestHeaders,
    ConnectTime,
    GrpThreads,
    SampleCount,
    ErrorCount,
    ResponseHeaderSize,
    ResponseSize,
    Url,
}

const FIELDS: [(&str, Field); 28] = [
    ("isSuccsessful", Field::IsSuccsessful),
    ("startTime", Field::StartTime),
    ("endTime", Field::EndTime),
    ("sentBytes", Field::SentBytes),
    ("receivedBytes", Field::ReceivedBytes),
    ("responseTime", Field::ResponseTime),
    ("latency", Field::Latency),
    ("responseCode", Field::ResponseCode),
    ("responseMessage", Field::ResponseMessage),
    ("isFailed", Field::IsFailed),
    ("threadName", Field::ThreadName),
    ("sampleLabel", Field::SampleLabel),
    ("startTimeMillis", Field::StartTimeMillis),
    ("endTimeMillis", Field::EndTimeMillis),
    ("responseTimeMicros", Field::ResponseTimeMicros),
    ("latencyMicros", Field::LatencyMicros),
    ("requestData", Field::RequestData),
    ("responseData", Field::ResponseData),
    ("responseHeaders", Field::ResponseHeaders),
    ("threadsCount", Field::ThreadsCount),
    ("requestHeaders", Field::RequestHeaders),
    ("connectTime", Field::ConnectTime),
    ("grpThreads", Field::GrpThreads),
    ("sampleCount", Field::SampleCount),
    ("errorCount", Field::ErrorCount),
    ("responseHeaderSize", Field::ResponseHeaderSize),
    ("responseSize", Field::ResponseSize),
    ("URL", Field::Url),
];

const VARIABLE: &str = "variable#";

/// `compileColumns`. Pieces stand between `|`; an empty one is the sign itself, and empty ones at
/// the end are none.
fn pieces(columns: &str) -> Vec<Piece> {
    let columns = unescape(columns);
    let mut chunks: Vec<_> = columns.split('|').collect();
    while chunks.len() > 1 && chunks.last() == Some(&"") {
        chunks.pop();
    }
    let piece = |chunk: &str| {
        if let Some((_, field)) = FIELDS.iter().find(|(name, _)| *name == chunk) {
            return Piece::Field(*field);
        }
        match chunk.strip_prefix(VARIABLE).and_then(|number| number.parse().ok()) {
            Some(number) => Piece::Variable(number),
            None => Piece::Text(if chunk.is_empty() { "|" } else { chunk }.to_owned()),
        }
    };
    chunks.into_iter().map(piece).collect()
}

/// `JMeterPluginsUtils.replaceRNT`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let (shown, used) = match after.as_bytes().first() {
            Some(b't') => ("\t", 1),
            Some(b'n') => ("\n", 1),
            Some(b'r') => ("\r", 1),
            Some(b'\\') => ("\\", 1),
            _ => ("\\", 0),
        };
        out.push_str(shown);
        rest = &after[used..];
    }
    out + rest
}

struct Flexible {
    pieces: Vec<Piece>,
    variables: Vec<Slot>,
    file: Arc<ResultFile>,
    rows: Arc<Mutex<WorkerRows>>,
    number: usize,
}

impl Flexible {
    fn open(node: &Node, compile: &CompileContext, files: &ResultFiles) -> Result<Self, String> {
        let element = &node.element;
        let file = open(node, compile, files).map_err(|error| error.to_string())?;
        let rows = file.rows_of(compile.worker);
        let number = rows.lock().join();
        let names = compile.props.get("sample_variables").unwrap_or_default();
        let names = names.split(',').filter(|name| !name.is_empty());
        let variables: Vec<_> = names.map(|name| compile.expr.names.slot(name)).collect();
        let pieces = pieces(&files.start_texts().property(element, "columns", compile));
        for piece in &pieces {
            if let Piece::Variable(number) = piece
                && *number >= variables.len()
            {
                compile.host.log(Level::Warn, &format!("variable#{number} does not exist"));
            }
        }
        Ok(Self { pieces, variables, file, rows, number })
    }

    fn row(&self, sample: &SampleResult, cx: &Context, out: &mut RowText) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Field(field) => field.write(sample, out),
                Piece::Variable(number) => match self.variables.get(*number) {
                    Some(slot) => {
                        out.extend_from_slice(cx.vars.get_slot(*slot).map_or(b"", |value| value.as_bytes()));
                    }
                    None => out.extend_from_slice(format!("UNDEFINED_variable#{number}").as_bytes()),
                },
            }
        }
    }
}

impl Field {
    fn write(self, sample: &SampleResult, out: &mut RowText) {
        let timing = &sample.timing;
        let flag = |set: bool| i64::from(set);
        let number = match self {
            Self::IsSuccsessful => flag(sample.success),
            Self::IsFailed => flag(!sample.success),
            Self::StartTime => timing.timestamp_ms(),
            Self::EndTime => end_ms(sample),
            Self::SentBytes => {
                sample.sampler_data.as_ref().map_or(0, |data| data.encode_utf16().count()) as i64
            }
            Self::ReceivedBytes => sample.body.len() as i64,
            Self::ResponseTime => timing.elapsed_ms(),
            Self::ResponseTimeMicros => timing.elapsed_ms() * 1000,
            Self::Latency => timing.latency_ms(),
            Self::LatencyMicros => timing.latency_ms() * 1000,
            Self::ConnectTime => timing.connect_ms(),
            Self::ThreadsCount => i64::from(sample.all_threads),
            Self::GrpThreads => i64::from(sample.group_threads),
            Self::SampleCount => i64::from(sample.sample_count()),
            Self::ErrorCount => i64::from(sample.error_count()),
            Self::ResponseHeaderSize => sample.header_size as i64,
            Self::ResponseSize => sample.body_size as i64,
            Self::ResponseData if RowText::is_large(&sample.body) => {
                return out.push_body(Large::Plain(sample.body.clone()));
            }
            Self::ResponseData => return out.extend_from_slice(&sample.body),
            other => return out.extend_from_slice(other.text(sample).as_bytes()),
        };
        out.extend_from_slice(number.to_string().as_bytes());
    }

    fn text(self, sample: &SampleResult) -> Cow<'_, str> {
        let text = match self {
            Self::ResponseCode => &*sample.code,
            Self::ResponseMessage => &*sample.message,
            Self::ThreadName => &*sample.thread_name,
            Self::SampleLabel => &*sample.label,
            Self::RequestData => sample.sampler_data.as_deref().unwrap_or("0"),
            Self::ResponseHeaders => &*sample.response_headers,
            Self::RequestHeaders => &*sample.request_headers,
            Self::Url => sample.url.as_deref().unwrap_or_default(),
            Self::StartTimeMillis => return seconds(sample.timing.timestamp_ms()).into(),
            Self::EndTimeMillis => return seconds(end_ms(sample)).into(),
            other => unreachable!("{other:?} is a number or the body"),
        };
        text.into()
    }

    fn needs(self) -> Needs {
        Needs {
            body: matches!(self, Self::ResponseData | Self::ReceivedBytes),
            response_headers: self == Self::ResponseHeaders,
            request: matches!(self, Self::RequestData | Self::SentBytes | Self::RequestHeaders),
            details: self == Self::Url,
        }
    }
}

fn end_ms(sample: &SampleResult) -> i64 {
    sample.timing.end_ns.div_euclid(1_000_000)
}

/// `getShiftDecimal` by three digits.
fn seconds(ms: i64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

impl Listener for Flexible {
    fn needs(&self) -> Needs {
        let fields = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(field) => Some(field.needs()),
            _ => None,
        });
        fields.fold(Needs::default(), Needs::or)
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let mut rows = self.rows.lock();
        if rows.is_first(self.number, event.sample) {
            rows.push(event.sample, &self.file.output, |out| self.row(event.sample, event.cx, out));
            event.cx.wait_for(rows.backlog(&self.file.output));
        }
    }

    fn group_done(&self) {
        self.rows.lock().hand_over(&self.file.output);
    }

    fn finish(&self) {
        self.rows.lock().hand_over(&self.file.output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn columns_are_fields_variables_and_texts() {
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(
            pieces("endTime|\\t|variable#1|x\\\\n||isFailed|\\r\\n|"),
            [
                Piece::Field(Field::EndTime),
                text("\t"),
                Piece::Variable(1),
                text("x\\n"),
                text("|"),
                Piece::Field(Field::IsFailed),
                text("\r\n"),
            ]
        );
        assert_eq!(pieces("variable#x"), [text("variable#x")]);
    }

    #[test]
    fn fields_show_the_sample() {
        let mut sample = testing::sample();
        sample.timing.start_ns = 1_700_000_000_123_456_789;
        sample.timing.end_ns = sample.timing.start_ns + 45_000_000;
        sample.timing.idle_ns = 0;
        sample.success = false;
        sample.body = b"b\xff".into();
        let shown = |field: Field| {
            let mut out = RowText::default();
            field.write(&sample, &mut out);
            out.whole()
        };
        assert_eq!(shown(Field::StartTime), b"1700000000123");
        assert_eq!(shown(Field::EndTimeMillis), b"1700000000.168");
        assert_eq!(shown(Field::ResponseTimeMicros), b"45000");
        assert_eq!((shown(Field::IsSuccsessful), shown(Field::IsFailed)), (b"0".to_vec(), b"1".to_vec()));
        assert_eq!(
            (shown(Field::ResponseData), shown(Field::ReceivedBytes)),
            (b"b\xff".to_vec(), b"2".to_vec())
        );
        assert_eq!(shown(Field::SampleLabel), sample.label.as_bytes());
        assert!(Field::ResponseData.needs().body && !Field::ResponseCode.needs().body);
    }
}
