//! Save Responses to a file (`ResultSaver`): each response in a file of its own. A thread of its own writes, so that users do
//! not wait for the disk as long as it keeps up.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

use swell_elements::{Needs, SampleResult};
use swell_engine::{Compile, Listener, ListenerFactory, SampleEvent};
use swell_expr::{Context, Host, Level, Template};
use swell_plan::Node;

use crate::StampPattern;

/// Responses that wait for the disk at most; then users wait.
const WAITING: usize = 256;

/// Makes the listeners of Save Responses elements (`ResultSaver`). `base`: the folder that `~/` at the start of a name means.
pub fn result_saver_factory(base: &Path) -> ListenerFactory {
    let base = base.to_owned();
    Arc::new(move |node, compile| Some(Rc::new(Saver::new(node, compile, &base)) as Rc<dyn Listener>))
}

/// What all workers share of an element.
#[derive(Default)]
struct Shared {
    number: AtomicU64,
    /// The start of the test, as it stands in names.
    stamp: OnceLock<String>,
    writer: OnceLock<SyncSender<Job>>,
}

enum Job {
    Write(PathBuf, Vec<u8>),
    /// All that came before is written.
    Done(SyncSender<()>),
}

#[expect(clippy::struct_excessive_bools, reason = "each is a check box of the element")]
struct Saver {
    name: Template,
    variable: Template,
    errors_only: bool,
    successes_only: bool,
    numbered: bool,
    suffixed: bool,
    skips_transactions: bool,
    /// Least digits of a number.
    digits: usize,
    stamp: String,
    base: PathBuf,
    shared: Arc<Shared>,
    writer: SyncSender<Job>,
}

impl Saver {
    fn new(node: &Node, compile: &Compile, base: &Path) -> Self {
        let element = &node.element;
        let text = |name: &str| compile.template(element, name, "");
        let shared: Arc<Shared> =
            compile.expr.shared.get(&format!("responses {}", node.id.0), Shared::default);
        let stamp = shared.stamp.get_or_init(|| {
            let zone = compile.host.time_zone();
            let pattern = StampPattern::new("yyyyMMdd-HHmm_", &zone);
            pattern.map(|pattern| pattern.format(compile.host.now_ns() / 1_000_000)).unwrap_or_default()
        });
        let stamped = element.flag("FileSaver.addTimstamp", false);
        let writer = shared.writer.get_or_init(|| start(compile.host.clone())).clone();
        let digits = element.text("FileSaver.numberPadLen").and_then(|text| text.trim().parse().ok());
        Self {
            name: text("FileSaver.filename"),
            variable: text("FileSaver.variablename"),
            errors_only: element.flag("FileSaver.errorsonly", false),
            successes_only: element.flag("FileSaver.successonly", false),
            numbered: !element.flag("FileSaver.skipautonumber", false),
            suffixed: !element.flag("FileSaver.skipsuffix", false),
            skips_transactions: element.flag("FileSaver.ignoreTC", true),
            digits: digits.unwrap_or(0),
            stamp: if stamped { stamp.clone() } else { String::new() },
            base: base.to_owned(),
            shared,
            writer,
        }
    }

    /// A sample and those below it. `place` counts them all.
    fn save(&self, cx: &mut Context, sample: &mut SampleResult, place: &mut usize) {
        let ignored = self.skips_transactions && sample.is_transaction
            || sample.success && self.errors_only
            || !sample.success && self.successes_only;
        if !ignored {
            let name = self.file_name(cx, &sample.content_type);
            let variable = self.variable.eval(cx);
            if !variable.is_empty() {
                let number = if *place > 0 { place.to_string() } else { String::new() };
                cx.vars.put(&format!("{variable}{number}"), name.as_str());
            }
            // It ends with the process only, and then nothing is to be written.
            let _written_later = self.writer.send(Job::Write(PathBuf::from(&name), sample.body.clone()));
            sample.file = name;
        }
        *place += 1;
        for sub in &mut sample.sub_results {
            self.save(cx, sub, place);
        }
    }

    /// `ResultSaver.makeFileName`.
    fn file_name(&self, cx: &mut Context, content_type: &str) -> String {
        let name = self.name.eval(cx);
        let mut out = match name.strip_prefix("~/") {
            Some(rest) => self.base.join(rest).to_string_lossy().into_owned(),
            None => name.into_owned(),
        };
        out.push_str(&self.stamp);
        if self.numbered {
            let number = self.shared.number.fetch_add(1, Ordering::Relaxed) + 1;
            write!(out, "{number:0digits$}", digits = self.digits).expect("a String takes it");
        }
        if self.suffixed {
            out.push('.');
            out.push_str(suffix(content_type));
        }
        out
    }
}

/// The second half of a content type.
fn suffix(content_type: &str) -> &str {
    let Some((_, kind)) = content_type.split_once('/') else { return "unknown" };
    kind.split(';').next().unwrap_or_default()
}

/// Starts the thread that writes.
fn start(host: Arc<dyn Host>) -> SyncSender<Job> {
    let (sender, receiver) = sync_channel(WAITING);
    let work = move || write_all(&receiver, &*host);
    let started = std::thread::Builder::new().name("swell-responses".to_owned()).spawn(work);
    drop(started.expect("a thread can be started at the start of a run"));
    sender
}

fn write_all(jobs: &Receiver<Job>, host: &dyn Host) {
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Write(file, content) => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
                let made = folder.map_or(Ok(()), std::fs::create_dir_all);
                if let Err(error) = made.and_then(|()| host.write_file(&file, &content, false)) {
                    let line = format!("Error saving sample to {}: {error}", file.display());
                    host.log(Level::Error, &line);
                }
            }
            Job::Done(told) => drop(told.send(())),
        }
    }
}

impl Listener for Saver {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn sample(&self, _event: &SampleEvent<'_>) {}

    fn changes(&self) -> bool {
        true
    }

    fn change(&self, cx: &mut Context, sample: &mut SampleResult) {
        self.save(cx, sample, &mut 0);
    }

    fn finish(&self) {
        let (told, done) = sync_channel(1);
        if self.writer.send(Job::Done(told)).is_ok() {
            let _over = done.recv();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use swell_expr::testing::TestHost;
    use swell_expr::{Compiler, Properties};
    use swell_plan::Element;

    fn compile(host: &Arc<TestHost>) -> Compile {
        Compile {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(Properties::default()),
            host: host.clone(),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
        }
    }

    fn sample(kind: &'static str, success: bool, body: &str) -> SampleResult {
        SampleResult { content_type: kind.into(), success, body: body.into(), ..SampleResult::default() }
    }

    #[test]
    fn suffixes() {
        let table =
            [("text/html; charset=x", "html"), ("image/png", "png"), ("", "unknown"), ("odd", "unknown")];
        for (kind, wanted) in table {
            assert_eq!(suffix(kind), wanted);
        }
    }

    #[test]
    fn names_variables_and_contents() {
        let host = Arc::new(TestHost::default());
        let compile = compile(&host);
        let element = Element::new("ResultSaver", "ResultSaverGui", "save")
            .with_text("FileSaver.filename", "~/r_")
            .with_text("FileSaver.variablename", "file")
            .with_text("FileSaver.numberPadLen", "3")
            .with_flag("FileSaver.addTimstamp", true);
        let saver = Saver::new(&Node::new(element), &compile, Path::new("/tmp"));
        let mut cx = swell_expr::testing::context_for(&compile.expr);
        let mut parent = sample("text/html", true, "page");
        parent.sub_results = vec![sample("image/png", false, "image")];
        saver.change(&mut cx, &mut parent);
        saver.finish();
        let first = "/tmp/r_20170714-0240_001.html";
        assert_eq!((parent.file.as_str(), cx.vars.get("file").map(|v| &**v)), (first, Some(first)));
        assert_eq!(cx.vars.get("file1").map(|v| &**v), Some("/tmp/r_20170714-0240_002.png"));
        assert_eq!(host.file_text(first).as_deref(), Some("page"));
        assert_eq!(host.file_text("/tmp/r_20170714-0240_002.png").as_deref(), Some("image"));
    }

    #[test]
    fn what_is_not_saved() {
        let host = Arc::new(TestHost::default());
        let compile = compile(&host);
        for (flag, of_good, of_bad) in
            [("FileSaver.errorsonly", "", "r"), ("FileSaver.successonly", "r", ""), ("none", "r", "r")]
        {
            let element = Element::new("ResultSaver", "", "save").with_text("FileSaver.filename", "r");
            let element = element.with_flag("FileSaver.skipautonumber", true);
            let element = element.with_flag("FileSaver.skipsuffix", true).with_flag(flag, true);
            let saver = Saver::new(&Node::new(element), &compile, Path::new("/"));
            let mut cx = swell_expr::testing::context_for(&compile.expr);
            let (mut good, mut bad) = (sample("", true, ""), sample("", false, ""));
            let mut whole = SampleResult { is_transaction: true, success: true, ..SampleResult::default() };
            for sample in [&mut good, &mut bad, &mut whole] {
                saver.change(&mut cx, sample);
            }
            assert_eq!((&*good.file, &*bad.file, &*whole.file), (of_good, of_bad, ""), "{flag}");
        }
    }
}
