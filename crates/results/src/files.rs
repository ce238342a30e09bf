//! All results files of a run. Listeners of all workers share a file by its path.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::StartTexts;
use swell_expr::Confinement;
use swell_plan::NodeId;
use swell_stats::Tally;

use crate::lag::{DiskWaits, WaitTimes};
use crate::open::Opened;
use crate::output::Output;
use crate::place::place_of;
use crate::rows::WorkerRows;
use crate::summaries::Summaries;
use crate::{FileWriters, OnFailure, OnTrouble, Rotation, RowFormat, WriteFailure, open};

/// How the files of a run are handled.
#[derive(Clone)]
pub struct FileOptions {
    /// Folder of the plan file.
    pub plan_dir: PathBuf,
    /// What stands for it in file names (`jmeter.save.saveservice.base_prefix`).
    pub base_prefix: String,
    /// Files of listeners are cut into pieces; none: they grow.
    pub rotation: Option<Rotation>,
    /// Told of pieces that cannot be compressed or deleted.
    pub on_trouble: OnTrouble,
    /// Rows that files hold already go when the run starts (`-f`).
    pub replace: bool,
    /// Files that no results may be written to, with what they are.
    pub protected: Vec<(PathBuf, &'static str)>,
    /// The plan runs in functional test mode.
    pub functional: bool,
    /// Nothing is opened: the plan is only checked.
    pub dry_run: bool,
    /// Told of each file that cannot be written any more, at once.
    pub on_failure: Option<OnFailure>,
    /// What writes files that are no results files (Save Responses to a file).
    pub writers: Arc<FileWriters>,
    /// The files that the plan may touch.
    pub confinement: Confinement,
}

impl FileOptions {
    /// JMeter's defaults for a plan in that folder.
    pub fn new(plan_dir: impl Into<PathBuf>) -> Self {
        Self {
            plan_dir: plan_dir.into(),
            base_prefix: "~/".into(),
            rotation: None,
            on_trouble: Arc::new(|_| {}),
            replace: false,
            protected: Vec::new(),
            functional: false,
            dry_run: false,
            on_failure: None,
            writers: Arc::default(),
            confinement: Confinement::default(),
        }
    }
}

impl FileOptions {
    fn refuse_protected(&self, path: &Path) -> io::Result<()> {
        let same = |(protected, _): &&(PathBuf, _)| same_file(protected, path);
        match self.protected.iter().find(same) {
            Some((_, what)) => Err(io::Error::other(format!("it is {what}"))),
            None => Ok(()),
        }
    }
}

/// Whether two paths lead to one file, which need not be there. What is no file, as `/dev/null`,
/// may be named more than once.
pub fn same_file(one: &Path, other: &Path) -> bool {
    place_of(one) == place_of(other) && (one.is_file() || !one.exists())
}

/// The error that a results file cannot be opened.
#[derive(Debug)]
pub struct OpenError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub cause: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write results to `{}`: {}", self.path.display(), self.cause)
    }
}

impl std::error::Error for OpenError {}

/// The results files of a run; clones share them.
#[derive(Clone)]
pub struct ResultFiles(Arc<Files>);

struct Files {
    options: FileOptions,
    texts: StartTexts,
    summaries: Summaries,
    waits: Arc<WaitTimes>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<PathBuf, Arc<ResultFile>>,
    names: HashMap<NodeId, String>,
    without_file: BTreeSet<NodeId>,
    begun: bool,
}

/// One open file.
pub(crate) struct ResultFile {
    pub(crate) output: Output,
    may_cut: bool,
    workers: Mutex<HashMap<usize, Arc<Mutex<WorkerRows>>>>,
}

impl ResultFiles {
    /// No files yet.
    pub fn new(options: FileOptions) -> Self {
        Self(Arc::new(Files {
            texts: StartTexts::new(&options.plan_dir),
            options,
            summaries: Summaries::default(),
            waits: Arc::default(),
            state: Mutex::default(),
        }))
    }

    /// How the files are treated.
    pub fn options(&self) -> &FileOptions {
        &self.0.options
    }

    /// Texts of elements before any user runs. [`Self::open_all`] gives them the variables of the
    /// plan.
    pub fn start_texts(&self) -> &StartTexts {
        &self.0.texts
    }

    /// What was counted since the last call for each name of a Generate Summary Results element of
    /// the plan.
    pub fn take_summaries(&self) -> Vec<(String, Tally)> {
        self.0.summaries.take()
    }

    pub(crate) fn summaries(&self) -> &Summaries {
        &self.0.summaries
    }

    /// Number of listener elements without a file name: in a run without a GUI they have nothing to
    /// do.
    pub fn listeners_without_file(&self) -> usize {
        self.0.state.lock().without_file.len()
    }

    /// Hands over what workers have buffered. Call it each second, so that files do not lag behind
    /// slow tests.
    pub fn flush(&self) {
        for file in self.all() {
            file.flush();
        }
    }

    /// Ends all files and gives those that could not be written to the end. Samples that come later
    /// are lost.
    pub fn finish(&self) -> Vec<WriteFailure> {
        self.0.finish();
        self.failures()
    }

    /// Files that cannot be written any more.
    pub fn failures(&self) -> Vec<WriteFailure> {
        self.all().iter().filter_map(|file| file.output.failure()).collect()
    }

    /// Paths of the open files.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.all().iter().map(|file| file.output.path().to_owned()).collect()
    }

    /// How long users waited because a disk was slower than the samples came.
    pub fn disk_waits(&self) -> DiskWaits {
        self.0.waits.get()
    }

    /// Makes all files ready for rows: until then those that exist are as they were. To be called
    /// once, when nothing can refuse the run any more.
    ///
    /// # Errors
    /// The first file that could not be made ready. Files whose old rows go come last.
    pub fn begin(&self) -> Result<(), OpenError> {
        self.0.state.lock().begun = true;
        let (last, first): (Vec<_>, Vec<_>) = self.all().into_iter().partition(|file| file.may_cut);
        for file in first.iter().chain(&last) {
            let path = file.output.path();
            file.output.begin().map_err(|cause| OpenError { path: path.to_owned(), cause })?;
        }
        Ok(())
    }

    /// Whether the run has come so far that files were made ready for rows.
    pub fn has_begun(&self) -> bool {
        self.0.state.lock().begun
    }

    /// The file of that name; the first that opens it decides whether it is CSV or XML and what its
    /// header says.
    pub(crate) fn open(&self, name: &str, format: &RowFormat) -> Result<Arc<ResultFile>, OpenError> {
        let FileOptions { replace, rotation, on_trouble, .. } = &self.0.options;
        self.known_or(name, |path| {
            let opened = Opened::rows(path, format, *replace)?.rotated(*rotation, on_trouble.clone())?;
            Ok((opened, format.footer()))
        })
    }

    /// The file of that name, with rows of any form; the first that opens it decides on its header
    /// and footer.
    pub(crate) fn open_plain(
        &self,
        name: &str,
        overwrite: bool,
        header: &str,
        footer: String,
    ) -> Result<Arc<ResultFile>, OpenError> {
        self.known_or(name, |path| Ok((Opened::plain(path, overwrite, header)?, footer.into_bytes())))
    }

    fn known_or<F: Into<Cow<'static, [u8]>>>(
        &self,
        name: &str,
        open: impl FnOnce(&Path) -> io::Result<(Opened, F)>,
    ) -> Result<Arc<ResultFile>, OpenError> {
        let options = &self.0.options;
        let path = open::resolve(name, &options.base_prefix, &options.plan_dir);
        let mut state = self.0.state.lock();
        if let Some(file) = state.open.get(&place_of(&path)) {
            return Ok(file.clone());
        }
        let start = || {
            options.confinement.check(&path)?;
            options.refuse_protected(&path)?;
            let (opened, footer) = open(&path)?;
            let may_cut = opened.may_cut();
            let output = Output::start(
                path.clone(),
                opened,
                footer,
                options.on_failure.clone(),
                self.0.waits.clone(),
            )?;
            Ok(Arc::new(ResultFile { output, may_cut, workers: Mutex::default() }))
        };
        let file = start().map_err(|cause| OpenError { path: path.clone(), cause })?;
        state.open.insert(place_of(&path), file.clone());
        Ok(file)
    }

    /// The file name of a listener: evaluated once for all workers.
    pub(crate) fn name_of(&self, listener: NodeId, eval: impl FnOnce() -> String) -> String {
        self.0.state.lock().names.entry(listener).or_insert_with(eval).clone()
    }

    /// The file name of a listener, if it was evaluated.
    pub(crate) fn known_name(&self, listener: NodeId) -> Option<String> {
        self.0.state.lock().names.get(&listener).cloned()
    }

    /// The file of that path, if it is open.
    pub(crate) fn opened(&self, path: &Path) -> Option<Arc<ResultFile>> {
        self.0.state.lock().open.get(&place_of(path)).cloned()
    }

    pub(crate) fn note_without_file(&self, listener: NodeId) {
        self.0.state.lock().without_file.insert(listener);
    }

    fn all(&self) -> Vec<Arc<ResultFile>> {
        self.0.all()
    }
}

impl Files {
    fn all(&self) -> Vec<Arc<ResultFile>> {
        let mut all: Vec<_> = self.state.lock().open.values().cloned().collect();
        all.sort_by(|a, b| a.output.path().cmp(b.output.path()));
        all
    }

    fn finish(&self) {
        for file in self.all() {
            file.flush();
            file.output.close();
        }
    }
}

/// A run that ends by a panic still leaves whole files.
impl Drop for Files {
    fn drop(&mut self) {
        self.finish();
    }
}

impl ResultFile {
    /// The rows of a worker on their way to this file.
    pub(crate) fn rows_of(&self, worker: usize) -> Arc<Mutex<WorkerRows>> {
        self.workers.lock().entry(worker).or_default().clone()
    }

    fn flush(&self) {
        let workers: Vec<_> = self.workers.lock().values().cloned().collect();
        for rows in workers {
            rows.lock().hand_over(&self.output);
        }
    }
}
