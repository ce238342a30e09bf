//! The page of `swell debug`: written to a file, and served to a browser.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use swell_api::Registry;
use swell_debug::{Output, Responses, TracePage};
use swell_elements::Question;
use swell_engine::Prepared;
use swell_net::{Sender, channel};
use swell_page::{TraceSite, serve_trace};
use swell_report::page::trace_file;
use swell_report::without_passwords;
use swell_results::{Folders, write_private};
use swell_secrets::without_protected;
use swell_session::{cannot_write, check_report};
use swell_trace::{Extraction, Sample};

use crate::args::DebugArgs;
use crate::browser;
use crate::debug_questions::{ask, command_of, near};
use crate::exit::Failure;
use crate::print::print_stderr;

/// Ends a page that is served.
#[derive(Clone, Default)]
pub(crate) struct PageEnd(Arc<Mutex<Option<Sender<()>>>>);

impl PageEnd {
    /// Ends the page; false if none is served.
    pub(crate) fn end(&self) -> bool {
        // The page is gone only if its command has ended.
        self.0.lock().as_ref().is_some_and(|page| page.send(()).is_ok())
    }
}

/// The page of a trace.
pub(crate) struct DebugPage {
    events: TracePage,
    responses: Responses,
    file: Option<PathBuf>,
    opens: bool,
    shows_secrets: bool,
    plan: PathBuf,
}

impl DebugPage {
    /// The page that the arguments ask for; none if they do not.
    ///
    /// # Errors
    /// Its file is there already, or cannot be made.
    pub(crate) fn of(args: &DebugArgs) -> Result<Option<Self>, Failure> {
        if args.output.is_none() && !args.open {
            return Ok(None);
        }
        if let Some(file) = &args.output {
            check_report(file, args.force)?;
        }
        Ok(Some(Self {
            events: TracePage::new(args.shows_secrets),
            responses: Responses::default(),
            file: args.output.clone(),
            opens: args.open,
            shows_secrets: args.shows_secrets,
            plan: args.plan.clone(),
        }))
    }

    /// What collects its events.
    pub(crate) fn outputs(&self) -> Vec<Box<dyn Output>> {
        let mut outputs: Vec<Box<dyn Output>> = vec![Box::new(self.events.clone())];
        if self.opens {
            outputs.push(Box::new(self.responses.clone()));
        }
        outputs
    }

    /// Writes it, and serves it until a signal comes.
    ///
    /// # Errors
    /// It cannot be written or served.
    pub(crate) fn finish(
        self,
        prepared: Arc<Prepared>,
        registry: Registry,
        end: &PageEnd,
    ) -> Result<(), Failure> {
        let packed = self.events.finish();
        let (title, packed) =
            packed.map_err(|error| Failure::lost(format!("cannot make the page: {error}")))?;
        if let Some(file) = &self.file {
            let written = write(file, &trace_file(&title, &packed));
            written.map_err(|error| Failure::lost(cannot_write("page", file, &error)))?;
            print_stderr(&format!("The page is {}", file.display()));
        }
        if self.opens {
            self.serve(packed, prepared, registry, end)?;
        }
        Ok(())
    }

    fn serve(
        self,
        packed: Vec<u8>,
        prepared: Arc<Prepared>,
        registry: Registry,
        end: &PageEnd,
    ) -> Result<(), Failure> {
        let Self { responses, shows_secrets, plan, .. } = self;
        let answer = move |step, below: &[usize], expression: &str| {
            let question = Question::parse(expression).map_err(|error| error.to_string())?;
            let sample = responses.sample(step, below)?;
            let found = ask(&question, &sample, &prepared, &registry);
            // Sub-samples are requests of the sampler of the step.
            let sampler = responses.sampler(step);
            let command = sampler.and_then(|sampler| command_of(&plan, &sampler, &question));
            let answer = answer(&question, found.as_ref(), &sample, shows_secrets);
            Ok(with_command(answer, command))
        };
        let (to, inbox) = channel();
        *end.0.lock() = Some(to);
        // The file that leads a browser to the page is there as long as the page.
        let mut redirect = None;
        let served = serve_trace(TraceSite { packed, ask: Box::new(answer) }, inbox, |address| {
            redirect = browser::open_address(address);
            if redirect.is_none() {
                print_stderr("no browser could be opened; open the address below");
            }
            print_stderr(&format!("Serving the page until Ctrl-C: {address}"));
        });
        served.map_err(|error| Failure::settings(format!("cannot serve the page: {error}")))
    }
}

fn write(file: &Path, page: &str) -> std::io::Result<()> {
    let mut folders = Folders::make(file.parent().unwrap_or(Path::new(".")))?;
    write_private(file, page.as_bytes())?;
    folders.keep();
    Ok(())
}

/// The answer with the command that writes the extractor into the plan; none if it finds nothing.
fn with_command(mut answer: Value, command: Option<String>) -> Value {
    answer["command"] = json!(command.filter(|_| answer["count"] != 0));
    answer
}

/// What a question found, for the page.
fn answer(question: &Question, found: Option<&Extraction>, sample: &Sample, shows_secrets: bool) -> Value {
    let fields: Vec<_> = question.settings.iter().map(|(name, value)| json!([name, value])).collect();
    let element = json!({"name": question.menu, "fields": fields});
    let Some(found) = found else {
        let error = question.not_asked();
        let element = error.map(|_| element);
        let error = error.unwrap_or("the expression cannot be used here");
        return json!({"count": 0, "values": [], "error": error, "near": [], "element": element});
    };
    let shown = |text: &String| {
        if shows_secrets { text.clone() } else { without_protected(&without_passwords(text)).into_owned() }
    };
    let values: Vec<_> = found.values.iter().map(shown).collect();
    json!({
        "count": found.matches,
        "values": values,
        "error": found.error,
        "near": near(found, sample),
        "element": found.error.is_none().then_some(element),
    })
}
