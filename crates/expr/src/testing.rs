//! For tests of this and other crates: a [`Context`] with an in-memory [`Host`]. Never part of a
//! run.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use crate::{
    Backlog, Compiler, Context, FileName, Host, Level, Names, Properties, RunInfo, UserIdentity, Vars,
    WriteFailed,
};

/// An in-memory environment: a clock that is set by hand, files in a map, logs in a list.
#[derive(Debug)]
pub struct TestHost {
    /// What [`Host::now_ns`] says; 2017-07-14 02:40:00 UTC at first.
    pub now_ns: AtomicI64,
    /// Files by path.
    pub files: Mutex<HashMap<PathBuf, Vec<u8>>>,
    /// Log lines so far.
    pub logged: Mutex<Vec<(Level, String)>>,
    /// Lines printed so far; `true` for standard error.
    pub printed: Mutex<Vec<(String, bool)>>,
    /// The environment.
    pub env: HashMap<String, String>,
    /// The zone's name; `UTC` at first.
    pub time_zone: String,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            now_ns: AtomicI64::new(1_500_000_000_000_000_000),
            files: Mutex::default(),
            logged: Mutex::default(),
            printed: Mutex::default(),
            env: HashMap::new(),
            time_zone: "UTC".to_owned(),
        }
    }
}

impl TestHost {
    /// Puts a file there.
    pub fn add_file(&self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) {
        self.files.lock().insert(path.into(), content.into());
    }

    /// The content of a file as text, if it is there.
    pub fn file_text(&self, path: impl AsRef<Path>) -> Option<String> {
        self.files.lock().get(path.as_ref()).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Log lines so far, without their levels.
    pub fn log_lines(&self) -> Vec<String> {
        self.logged.lock().iter().map(|(_, line)| line.clone()).collect()
    }
}

impl Host for TestHost {
    fn now_ns(&self) -> i64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{} is missing", path.display()));
        self.files.lock().get(path).cloned().ok_or_else(missing)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        if path == Path::new("/dev/zero") {
            return Ok(Box::new(io::repeat(0)));
        }
        Ok(Box::new(io::Cursor::new(self.read_file(path)?)))
    }

    fn make_file(&self, name: &FileName) -> io::Result<File> {
        if !name.is_of_plan() {
            name.contained().map_err(io::Error::other)?;
        }
        File::create(name.text())
    }

    fn write_file(
        &self,
        name: &FileName,
        content: Vec<u8>,
        append: bool,
        _failed: WriteFailed,
    ) -> io::Result<Option<Backlog>> {
        if !name.is_of_plan() {
            name.contained().map_err(io::Error::other)?;
        }
        let mut files = self.files.lock();
        let file = files.entry(name.text().into()).or_default();
        if !append {
            file.clear();
        }
        file.extend(content);
        Ok(None)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn machine_name(&self) -> String {
        "test-machine".to_owned()
    }

    fn machine_ip(&self) -> String {
        "192.0.2.1".to_owned()
    }

    fn log(&self, level: Level, message: &str) {
        self.logged.lock().push((level, message.to_owned()));
    }

    fn print(&self, line: &str, to_stderr: bool) {
        self.printed.lock().push((line.to_owned(), to_stderr));
    }

    fn time_zone(&self) -> String {
        self.time_zone.clone()
    }
}

/// A context of the virtual user `Users 1-1` over a fresh [`TestHost`], with its own table of
/// names: for code that reads variables by name.
pub fn context() -> Context {
    context_of(Rc::default(), Arc::default())
}

/// A context whose variables live in the compiler's slots: for templates of that compiler.
pub fn context_for(compiler: &Compiler) -> Context {
    context_of(compiler.names.clone(), Arc::default())
}

/// A context over a table of names and a host. Random numbers start from a fixed seed.
pub fn context_of(names: Rc<Names>, host: Arc<TestHost>) -> Context {
    Context {
        vars: Vars::new(names),
        props: Arc::new(Properties::default()),
        host,
        run: Arc::new(RunInfo {
            plan_name: "plan.jmx".to_owned(),
            plan_dir: PathBuf::from("/plans"),
            ..RunInfo::default()
        }),
        user: UserIdentity {
            thread_name: "Users 1-1".into(),
            group_name: "Users".into(),
            thread_index: 0,
            group_number: 0,
            group_users: 0,
        },
        sampler_name: "Sampler".into(),
        users: None,
        iteration: 1,
        stop: None,
        random: SmallRng::seed_from_u64(1),
        thrown: None,
        function_states: Vec::new(),
        previous: None,
        heavy: Rc::default(),
        unheard: Box::default(),
        backlog: std::cell::OnceCell::new(),
        files_read: crate::FilesRead::default(),
        remote: crate::RemoteMode::default(),
        trace: None,
        recent: None,
    }
}
