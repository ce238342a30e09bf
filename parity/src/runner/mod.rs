//! Runs a plan in a separate folder, against a separate recorder.

mod jmeter;
mod process;
mod swell;

use std::fs;
use std::path::Path;
use std::time::Duration;

use swell_plan::{Plan, write};

use crate::capture::{Observation, metrics};
use crate::case::Rules;
use crate::fuzz::grammar::elements;
use crate::recorder::Recorder;
use crate::recorder::sink::Sink;
pub use jmeter::JMeter;
use process::run_to_end;
pub use swell::Swell;

/// A run that takes longer is killed and counts as a failure.
const LIMIT: Duration = Duration::from_mins(3);

/// One of the two programs.
#[derive(Clone, Debug)]
pub enum Tool {
    /// The reference.
    JMeter(JMeter),
    /// The program under test.
    Swell(Swell),
}

impl Tool {
    /// Returns its name for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::JMeter(_) => "JMeter",
            Self::Swell(_) => "Swell",
        }
    }

    /// Runs a plan that `prepare` makes for the recorder. `data` is the folder with the files that
    /// the plan reads; they are copied to a folder `data` next to it.
    ///
    /// # Errors
    /// The run failed or left no results; with the program's output.
    pub(crate) fn capture(
        &self,
        prepare: &dyn Fn(&Recorder, &Path) -> Plan,
        rules: &Rules,
        data: Option<&Path>,
    ) -> Result<Observation, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder for the run: {error}"))?;
        let folder_path = folder.path().canonicalize().map_err(|error| error.to_string())?;
        if let Some(data) = data {
            copy_files(data, &folder_path.join("data"))
                .map_err(|error| format!("{}: {error}", data.display()))?;
        }
        let recorder = Recorder::start().map_err(|error| format!("no recorder: {error}"))?;
        let plan = with_samples_file(prepare(&recorder, &folder_path), &folder_path.join(SAMPLES));
        let text = write(&plan);
        fs::write(folder_path.join(PLAN), &text).map_err(|error| error.to_string())?;
        let mut properties = rules.properties.clone();
        if text.contains(SECURE_PORT) {
            let port = recorder.secure_port().map_err(|error| error.to_string())?;
            properties.push((SECURE_PORT.to_owned(), port.to_string()));
        }
        properties.push(("parity.port".to_owned(), recorder.port().to_string()));
        let sink = if rules.metrics { Some(Sink::start().map_err(|error| error.to_string())?) } else { None };
        properties.extend(sink.iter().map(|sink| ("parity.metrics".to_owned(), sink.port().to_string())));
        let mut command = match self {
            Self::JMeter(jmeter) => jmeter.command(PLAN, RESULTS, &properties),
            Self::Swell(swell) => swell.command(PLAN, RESULTS, &properties),
        };
        let port = recorder.port().to_string();
        command.args(rules.arguments.iter().map(|word| word.replace("{port}", &port)));
        let said = run_to_end(command, &folder_path, LIMIT)?;
        let ports = recorder.ports();
        let requests = recorder.finish();
        let mut files = results_in(&folder_path).map_err(|error| error.to_string())?;
        if files.is_empty() {
            return Err(format!("{} left no results:\n{said}\n{}", self.name(), log_of(&folder_path)));
        }
        files.extend(sink.map(|sink| ("metrics".to_owned(), metrics::render(&sink.finish()))));
        files.extend(rules.summaries.then(|| ("summaries".to_owned(), metrics::summaries(&said))));
        let folder = folder_path.to_string_lossy().into_owned();
        let log = format!("{}{said}", log_of(&folder_path));
        Ok(Observation { requests, files, ports, folder, log })
    }
}

/// The property for the recorder's TLS port, if a plan uses it.
const SECURE_PORT: &str = "parity.tls";

/// File names in the folder of a run.
const PLAN: &str = "plan.jmx";
const RESULTS: &str = "out.jtl";
const SAMPLES: &str = "samples.xml";
const LOG: &str = "run.log";
/// Swell's summary next to the results, which JMeter does not write.
const SUMMARY: &str = "out.summary.json";

/// Returns all files written to the folder, by name, except the plan, the log and the summary.
fn results_in(folder: &Path) -> std::io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && ![PLAN, LOG, SUMMARY].contains(&name.as_str()) {
            files.push((name, String::from_utf8_lossy(&fs::read(entry.path())?).into_owned()));
        }
    }
    files.sort();
    Ok(files)
}

fn log_of(folder: &Path) -> String {
    fs::read_to_string(folder.join(LOG)).unwrap_or_default()
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Returns the plan with a listener that writes every sample, with all its data, to an XML file.
fn with_samples_file(mut plan: Plan, file: &Path) -> Plan {
    let mut listener = elements(include_str!("samples.xml")).remove(0);
    listener.element = listener.element.with_text("filename", &file.to_string_lossy());
    plan.root.children.push(listener);
    plan
}
