//! From files to a plan.

use crate::formats::{FORMATS, ReadError, format_of, named};
use crate::model::{Document, Flow, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::Source;
use crate::{load, recording, secrets, variables, write};

/// A plan that was made of foreign files.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The plan as JMX.
    pub text: String,
    /// Files next to it.
    pub files: Vec<OutputFile>,
    /// What was taken, changed and left out.
    pub notes: Notes,
    /// The format of each source.
    pub formats: Vec<&'static str>,
    /// The plan as a tree.
    pub plan: swell_plan::Plan,
}

/// A file next to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Path in the folder of the plan, with `/`.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Makes one plan of all sources. `name` is the name of the plan's file without its ending.
///
/// # Errors
/// The first source that cannot be read.
pub fn import(sources: &[Source<'_>], name: &str, options: &Options) -> Result<Imported, ReadError> {
    let mut notes = Notes::default();
    let mut formats = Vec::new();
    let mut document = Document::default();
    let mut recordings = Vec::new();
    let mut scoped = Vec::new();
    for source in sources {
        let format = match &options.from {
            Some(from) => named(from).ok_or_else(|| unknown_format(source, from))?,
            None => format_of(source).ok_or_else(|| unknown_content(source))?,
        };
        formats.push(format.name);
        let mut read = (format.read)(source, options, &mut notes)?;
        if sources.len() > 1 || !options.weights.is_empty() {
            read.flows.iter_mut().for_each(|flow| name_by_file(flow, source));
        }
        let (recorded, flows) = read.flows.into_iter().partition::<Vec<_>, _>(|flow| flow.is_recording);
        recordings.extend(recorded);
        document.flows.extend(flows);
        document.used.extend(read.used);
        scoped.push((read.scope, read.variables));
        if document.name.is_empty() {
            document.name = read.name;
        }
    }
    document.flows.extend(recording::finish(recordings, options, &mut notes));
    scoped.sort_by_key(|(scope, _)| *scope);
    document.variables.extend(scoped.into_iter().flat_map(|(_, variables)| variables));
    load::apply(&mut document.flows, options, &mut notes);
    let given = options.variables.iter().map(|(name, value)| Variable::new(name, Text::literal(value)));
    document.variables.extend(given);
    variables::put_hosts(&mut document, options);
    if !options.keeps_secrets {
        secrets::to_properties(&mut document, &mut notes);
    }
    variables::complete(&mut document, &mut notes);
    let title = options.name.as_deref().or(Some(&document.name));
    let title = title.filter(|title| !title.is_empty()).unwrap_or(name);
    let (plan, files) = write::plan(&document, (name, title), options, &mut notes);
    let text = swell_plan::write(&plan);
    Ok(Imported { text, files, notes, formats, plan })
}

/// With several files, each sequence of requests is named after its file.
fn name_by_file(flow: &mut Flow, source: &Source<'_>) {
    if flow.name.is_empty() && !flow.is_recording {
        flow.name = source.stem();
    }
}

fn names() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

fn unknown_format(source: &Source<'_>, from: &str) -> ReadError {
    ReadError::new(source.whole(), format!("unknown format `{from}`")).hint(format!("use one of {}", names()))
}

fn unknown_content(source: &Source<'_>) -> ReadError {
    let message = if source.bytes.iter().all(u8::is_ascii_whitespace) {
        "the file is empty"
    } else {
        "its content is of no format that can be imported"
    };
    ReadError::new(source.whole(), message).hint(format!("if you know it, give it: --from {}", names()))
}
