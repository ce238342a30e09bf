//! Listeners that write results files: the plan's Result Collectors and `-l`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{CompileContext, Listener, ListenerMaker, Needs, SampleEvent, SampleResult};
use swell_stats::{FigureName, FigureOf, FigureValue, Observation, Recorder, Snapshot};

use crate::collectors::{Wanted, note, row_format, wanted};
use crate::event_figures::{record_events, record_wait};
use crate::files::ResultFile;
use crate::rows::WorkerRows;
use crate::{ResultFiles, SaveConfig, observe};

/// Makes the listeners of Result Collector elements ([`crate::kinds::COLLECTORS`], whatever their
/// GUI). An element without a file name has no listener and is counted in
/// [`ResultFiles::listeners_without_file`]; a file that cannot be opened or a setting that cannot
/// be right is a diagnostic of severity error.
pub fn result_collector_factory(files: &ResultFiles) -> ListenerMaker {
    let files = files.clone();
    Arc::new(move |node, compile| {
        let opened = wanted(&files, node, compile).and_then(|wanted| match wanted {
            Some(wanted) => {
                FileListener::open(&files, wanted, compile).map_err(|message| ("filename", message))
            }
            None => Ok(None),
        });
        match opened {
            Ok(listener) => listener.map(|listener| Rc::new(listener) as Rc<dyn Listener>),
            Err(wrong) => {
                note(compile, &node.element, wrong);
                None
            }
        }
    })
}

/// The listener of `-l`: all samples, in the form that the properties say. None in a dry run.
///
/// # Errors
/// What is wrong with the properties, or that the file cannot be opened.
pub fn jtl_listener(
    files: &ResultFiles,
    path: &str,
    compile: &CompileContext,
) -> Result<Option<Rc<dyn Listener>>, String> {
    let format = row_format(SaveConfig::from_properties(&compile.props)?, files, compile)?;
    let wanted = Wanted { name: path.to_owned(), format, errors_only: false, successes_only: false };
    let listener = FileListener::open(files, wanted, compile)?;
    Ok(listener.map(|listener| Rc::new(listener) as Rc<dyn Listener>))
}

/// Writes samples to a file that it may share with others.
struct FileListener {
    file: Arc<ResultFile>,
    rows: Arc<Mutex<WorkerRows>>,
    number: usize,
    wanted: Wanted,
}

impl FileListener {
    fn open(files: &ResultFiles, wanted: Wanted, compile: &CompileContext) -> Result<Option<Self>, String> {
        if files.options().dry_run {
            return Ok(None);
        }
        let file = files.open(&wanted.name, &wanted.format).map_err(|error| error.to_string())?;
        let rows = file.rows_of(compile.worker);
        let number = rows.lock().join();
        Ok(Some(Self { file, rows, number, wanted }))
    }

    /// `ResultCollector.isSampleWanted`.
    fn wants(&self, sample: &SampleResult) -> bool {
        let Wanted { errors_only, successes_only, .. } = self.wanted;
        (!errors_only && !successes_only)
            || (successes_only && sample.success)
            || (errors_only && !sample.success)
    }
}

impl Listener for FileListener {
    fn needs(&self) -> Needs {
        self.wanted.format.needs()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        if self.wants(event.sample) {
            let mut rows = self.rows.lock();
            if rows.is_first(self.number, event.sample) {
                rows.write(&self.wanted.format, event.sample, event.cx, &self.file.output);
                event.cx.wait_for(rows.backlog(&self.file.output));
            }
        }
    }

    fn group_done(&self) {
        self.rows.lock().hand_over(&self.file.output);
    }

    fn finish(&self) {
        self.rows.lock().hand_over(&self.file.output);
    }
}

/// Counts the samples of a worker; the run takes the counts every second.
#[derive(Default)]
pub struct CountingListener {
    recorder: RefCell<Recorder>,
}

impl CountingListener {
    /// What was counted since the last call.
    pub fn take_interval(&self) -> Snapshot {
        self.recorder.borrow_mut().take_interval()
    }

    /// Counts a value of a custom figure of a sample that this listener has just got: `is_part`, by
    /// [`Listener::inner_sample`].
    pub fn record_figure(
        &self,
        sample: &SampleResult,
        is_part: bool,
        name: FigureName,
        value: Option<FigureValue>,
    ) {
        let is_part = is_part || sample.is_parallel;
        let is_transaction = sample.is_transaction || sample.is_parallel;
        let of = FigureOf { label: &sample.label, is_transaction, is_part };
        self.recorder.borrow_mut().record_figure(of, name, value);
    }

    /// Counts what follows from the events of a response, and from a frame that had waited.
    #[inline]
    fn record_events(&self, sample: &SampleResult, is_part: bool) {
        let record = |name, value| self.record_figure(sample, is_part, name, value);
        if let Some(events) = &sample.events {
            record_events(sample, events, record);
        }
        if sample.waited_ns > 0 {
            record_wait(sample.waited_ns, record);
        }
    }
}

impl Listener for CountingListener {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        if event.sample.is_parallel {
            self.recorder.borrow_mut().record_parallel(&observe(event.sample));
        } else {
            self.recorder.borrow_mut().record(&observe(event.sample));
        }
        self.record_events(event.sample, false);
    }

    fn inner_sample(&self, event: &SampleEvent<'_>) {
        let is_transaction = event.sample.is_transaction || event.sample.is_parallel;
        self.recorder.borrow_mut().record_part(&Observation { is_transaction, ..observe(event.sample) });
        self.record_events(event.sample, true);
    }
}
