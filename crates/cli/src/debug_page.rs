//! The page of `swell debug`: written to a file, and served to a browser.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::Registry;
use swell_debug::{Output, Responses, TracePage};
use swell_engine::Prepared;
use swell_net::{Sender, channel};
use swell_page::{TraceSite, serve_trace};
use swell_report::page::trace_file;
use swell_results::{Folders, write_private};
use swell_session::{cannot_write, check_report};

use crate::args::DebugArgs;
use crate::browser;
use crate::debug_host::{DebugHost, PlanOnDisk};
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
    plan: PlanOnDisk,
}

impl DebugPage {
    /// The page that the arguments ask for; none if they do not.
    ///
    /// # Errors
    /// Its file is there already, or cannot be made; or the plan cannot be read.
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
            plan: PlanOnDisk::read(&args.plan)?,
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
        let host = Box::new(DebugHost::new(plan, responses, shows_secrets, (prepared, registry)));
        let (to, inbox) = channel();
        *end.0.lock() = Some(to);
        // The file that leads a browser to the page is there as long as the page.
        let mut redirect = None;
        let served = serve_trace(TraceSite { packed, host }, inbox, |address| {
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
