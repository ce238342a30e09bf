//! Save Responses to a file (`ResultSaver`): each response in a file of its own. A thread of its own writes, so that users do
//! not wait for the disk as long as it keeps up.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

use swell_api::{Body, Compile, Listener, ListenerMaker, Needs, SampleEvent, SampleResult};
use swell_expr::{Context, FileName, Host, Level, Template};
use swell_plan::Node;

use crate::{StampPattern, Writing, write_named};

/// Responses that wait for the disk at most; then users wait.
const WAITING: usize = 256;

/// Makes the listeners of Save Responses elements (`ResultSaver`). `base`: the folder that `~/` at the start of a name means.
pub fn result_saver_factory(base: &Path) -> ListenerMaker {
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
    Write(FileName, Body),
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
                cx.vars.put(&format!("{variable}{number}"), name.text());
            }
            // It ends with the process only, and then nothing is to be written.
            let _ = self.writer.send(Job::Write(name.clone(), sample.body.clone()));
            name.text().clone_into(&mut sample.file);
        }
        *place += 1;
        for sub in &mut sample.sub_results {
            self.save(cx, sub, place);
        }
    }

    /// `ResultSaver.makeFileName`.
    fn file_name(&self, cx: &mut Context, content_type: &str) -> FileName {
        let mut name = self.name.file_name(cx).below("~/", &self.base);
        let mut end = self.stamp.clone();
        if self.numbered {
            let number = self.shared.number.fetch_add(1, Ordering::Relaxed) + 1;
            write!(end, "{number:0digits$}", digits = self.digits).expect("a String takes it");
        }
        if self.suffixed {
            end.push('.');
            end.push_str(&suffix(content_type));
        }
        name.push(&end);
        name
    }
}

/// Most characters of a suffix: with what stands before it, it has to fit a file name.
const LONGEST_SUFFIX: usize = 64;

/// The second half of a content type, as a plain name whatever the server says: letters, digits and `.-_`.
pub(crate) fn suffix(content_type: &str) -> String {
    let kind = content_type.split_once('/').and_then(|(_, kind)| kind.split(';').next()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' };
    let kind: String = kind.trim().chars().take(LONGEST_SUFFIX).map(plain).collect();
    let kind = kind.trim_matches('.');
    if kind.is_empty() { "unknown".to_owned() } else { kind.to_owned() }
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
                let how = Writing { append: false, makes_folders: true };
                if let Err(error) = write_named(&file, &content, how) {
                    let line = format!("Error saving sample to {}: {error}", file.text());
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
        let table = [
            ("text/html; charset=x", "html"),
            ("image/png", "png"),
            ("", "unknown"),
            ("odd", "unknown"),
            ("image/svg+xml", "svg_xml"),
            ("x/../../../../OWNED", "_.._.._.._OWNED"),
            ("x/..", "unknown"),
            ("x/a\u{1b}[2Jb\0c d", "a__2Jb_c_d"),
        ];
        assert_eq!(suffix(&format!("x/{}", "a".repeat(9000))).len(), 64);
        for (kind, wanted) in table {
            assert_eq!(suffix(kind), wanted);
        }
    }

    #[test]
    fn names_variables_and_contents() {
        let folder = tempfile::tempdir().expect("a folder");
        let compile = compile(&Arc::default());
        let element = Element::new("ResultSaver", "ResultSaverGui", "save")
            .with_text("FileSaver.filename", "~/new/r_")
            .with_text("FileSaver.variablename", "file")
            .with_text("FileSaver.numberPadLen", "3")
            .with_flag("FileSaver.addTimstamp", true);
        let saver = Saver::new(&Node::new(element), &compile, folder.path());
        let mut cx = swell_expr::testing::context_for(&compile.expr);
        let mut parent = sample("text/html", true, "page");
        parent.sub_results = vec![sample("image/png", false, "image")];
        saver.change(&mut cx, &mut parent);
        saver.finish();
        let names = ["r_20170714-0240_001.html", "r_20170714-0240_002.png"];
        let paths = names.map(|name| folder.path().join("new").join(name).display().to_string());
        assert_eq!((parent.file.as_str(), cx.vars.get("file").map(|v| &**v)), (&*paths[0], Some(&*paths[0])));
        assert_eq!(cx.vars.get("file1").map(|v| &**v), Some(&*paths[1]));
        let contents = paths.map(|path| std::fs::read_to_string(path).expect("it was saved"));
        assert_eq!(contents, ["page", "image"]);
    }

    #[test]
    fn a_variable_from_a_response_does_not_lead_out_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = Arc::new(TestHost::default());
        let compile = compile(&host);
        let element = Element::new("ResultSaver", "ResultSaverGui", "save");
        let element = element.with_text("FileSaver.filename", "~/in/${title}_");
        let saver = Saver::new(&Node::new(element), &compile, folder.path());
        let mut cx = swell_expr::testing::context_for(&compile.expr);
        for title in ["../out", "/tmp/../../out", "sub/good"] {
            cx.vars.put("title", title);
            saver.change(&mut cx, &mut sample("x/y", true, "page"));
        }
        saver.finish();
        let names = |path: &Path| -> Vec<_> {
            let entries =
                std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            entries.map(|name| name.to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(folder.path()), ["in"]);
        assert_eq!(names(&folder.path().join("in/sub")), ["good_3.y"]);
        assert_eq!(host.log_lines().len(), 2);
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
