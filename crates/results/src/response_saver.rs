//! Save Responses to a file (`ResultSaver`): each response in a separate file, written by the
//! writers of the run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use swell_api::{CompileContext, Listener, ListenerMaker, Needs, SampleEvent, SampleResult};
use swell_expr::{Confinement, Context, FileName, Level, Template};
use swell_plan::Node;

use crate::{FileWrite, FileWriters, OnWriteError, ResultFiles, StampPattern, Writing};

/// Makes the listeners of Save Responses elements (`ResultSaver`). `~/` at the start of a name
/// means the folder of the plan.
pub fn response_saver_factory(files: &ResultFiles) -> ListenerMaker {
    let files = files.clone();
    Arc::new(
        move |node, compile| Some(Rc::new(ResponseSaver::new(node, compile, &files)) as Rc<dyn Listener>),
    )
}

/// What all workers share of an element.
#[derive(Default)]
struct Shared {
    number: AtomicU64,
    /// The start of the test, as used in names.
    stamp: OnceLock<String>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a check box of the element")]
struct ResponseSaver {
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
    writers: Arc<FileWriters>,
    confinement: Confinement,
    on_error: OnWriteError,
}

impl ResponseSaver {
    fn new(node: &Node, compile: &CompileContext, files: &ResultFiles) -> Self {
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
        let host = compile.host.clone();
        let on_error: OnWriteError = Arc::new(move |file, error| {
            host.log(Level::Error, &format!("Error saving sample to {}: {error}", file.text()));
        });
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
            base: files.options().plan_dir.clone(),
            shared,
            writers: files.options().writers.clone(),
            confinement: files.options().confinement.clone(),
            on_error,
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
            name.text().clone_into(&mut sample.file);
            if let Err(refused) = self.confinement.check(Path::new(name.text())) {
                return (self.on_error)(&name, &refused);
            }
            let content = Box::new(sample.body.clone());
            let on_error = self.on_error.clone();
            let how = Writing { append: false, makes_folders: true };
            cx.wait_for(self.writers.write(FileWrite { name, content, how, on_error }));
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

/// The second half of a content type, as a plain name whatever the server says: letters, digits and
/// `.-_`.
pub(crate) fn suffix(content_type: &str) -> String {
    let kind = content_type.split_once('/').and_then(|(_, kind)| kind.split(';').next()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' };
    let kind: String = kind.trim().chars().take(LONGEST_SUFFIX).map(plain).collect();
    let kind = kind.trim_matches('.');
    if kind.is_empty() { "unknown".to_owned() } else { kind.to_owned() }
}

impl Listener for ResponseSaver {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileOptions;
    use std::cell::RefCell;
    use std::path::Path;
    use swell_expr::testing::TestHost;
    use swell_expr::{Compiler, Properties};
    use swell_plan::Element;

    fn compile(host: &Arc<TestHost>) -> CompileContext {
        CompileContext {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(Properties::default()),
            host: host.clone(),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        }
    }

    fn files(plan_dir: impl Into<PathBuf>) -> ResultFiles {
        ResultFiles::new(FileOptions::new(plan_dir))
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
        let files = files(folder.path());
        let saver = ResponseSaver::new(&Node::new(element), &compile, &files);
        let mut cx = swell_expr::testing::context_for(&compile.expr);
        let mut parent = sample("text/html", true, "page");
        parent.sub_results = vec![sample("image/png", false, "image")];
        saver.change(&mut cx, &mut parent);
        files.options().writers.finish(FileWriters::PATIENCE).expect("all is written");
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
        let files = files(folder.path());
        let saver = ResponseSaver::new(&Node::new(element), &compile, &files);
        let mut cx = swell_expr::testing::context_for(&compile.expr);
        for title in ["../out", "/tmp/../../out", "sub/good"] {
            cx.vars.put("title", title);
            saver.change(&mut cx, &mut sample("x/y", true, "page"));
        }
        files.options().writers.finish(FileWriters::PATIENCE).expect("all is written");
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
        const NAME: &str = "/dev/null";
        let host = Arc::new(TestHost::default());
        let compile = compile(&host);
        for (flag, of_good, of_bad) in
            [("FileSaver.errorsonly", "", NAME), ("FileSaver.successonly", NAME, ""), ("none", NAME, NAME)]
        {
            let element = Element::new("ResultSaver", "", "save").with_text("FileSaver.filename", NAME);
            let element = element.with_flag("FileSaver.skipautonumber", true);
            let element = element.with_flag("FileSaver.skipsuffix", true).with_flag(flag, true);
            let saver = ResponseSaver::new(&Node::new(element), &compile, &files("/"));
            let mut cx = swell_expr::testing::context_for(&compile.expr);
            let mut good = sample("", true, "");
            let mut bad = sample("", false, "");
            let mut whole = SampleResult { is_transaction: true, success: true, ..SampleResult::default() };
            for sample in [&mut good, &mut bad, &mut whole] {
                saver.change(&mut cx, sample);
            }
            assert_eq!((&*good.file, &*bad.file, &*whole.file), (of_good, of_bad, ""), "{flag}");
        }
    }
}
