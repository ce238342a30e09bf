//! Listeners of several workers on real files.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{CompileContext, Listener, Registry, SampleEvent, SampleResult, Text, Timing};
use swell_engine::Settings;
use swell_expr::testing::{TestHost, context_for};
use swell_expr::{Compiler, Context, ForeignFunctions, Properties, Shared};
use swell_plan::{Element, Node, NodeId, Property, PropertyValue};
use swell_results::{FileOptions, ResultFiles, jtl_listener, result_collector_factory};

const SHORT: &str =
    "<value class=\"SampleSaveConfiguration\"><label>true</label><success>true</success></value>";

fn compile(worker: usize, props: &[(&str, &str)], shared: &Arc<Shared>) -> CompileContext {
    let properties = Properties::default();
    for (name, value) in props {
        properties.set(name, value);
    }
    CompileContext {
        expr: Compiler::new(shared.clone()),
        props: Arc::new(properties),
        host: Arc::new(TestHost::default()),
        file: None,
        diagnostics: RefCell::default(),
        worker,
        workers: 2,
        traced: false,
    }
}

fn collector(id: u32, filename: &str, save_config: &str, more: &[(&str, &str)]) -> Node {
    let text = |name: &str, value: &str| Property::new(name, PropertyValue::Text(value.into()));
    let mut properties = vec![text("filename", filename)];
    properties.extend(more.iter().map(|(name, value)| text(name, value)));
    if !save_config.is_empty() {
        properties.push(Property::new("saveConfig", PropertyValue::Xml(save_config.into())));
    }
    let element = Element {
        class: "ResultCollector".into(),
        gui_class: "SimpleDataWriter".into(),
        tag: "ResultCollector".into(),
        attributes: Vec::new(),
        properties,
        line: 7,
        path: "Plan > Writer".into(),
        missing: &[],
    };
    Node { id: NodeId(id), element, children: Vec::new() }
}

fn sample(label: &str, success: bool) -> SampleResult {
    let timing = Timing { start_ns: 5_000_000, end_ns: 9_000_000, ..Timing::default() };
    SampleResult { label: Text::from(label.to_owned()), success, timing, ..SampleResult::default() }
}

fn give(listener: &dyn Listener, cx: &Context, sample: &SampleResult) {
    listener.sample(&SampleEvent { sample, cx });
}

/// A folder and a name in it that the plan would have.
fn folder() -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, move |name: &str| path.join(name).to_str().expect("UTF-8").to_owned())
}

fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).expect("readable")
}

#[test]
fn workers_and_listeners_share_a_file_and_a_sample_is_written_once() {
    let (_folder, name) = folder();
    let files = ResultFiles::new(FileOptions::new("/plans"));
    let shared = Arc::default();
    let factory = result_collector_factory(&files);
    let all = collector(1, &name("out/a.csv"), SHORT, &[]);
    let failed = collector(2, &name("out/../out/a.csv"), SHORT, &[("ResultCollector.error_logging", "true")]);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let factory = &factory;
            let shared = &shared;
            let all = &all;
            let failed = &failed;
            scope.spawn(move || {
                let compile = compile(worker, &[], shared);
                let cx = context_for(&compile.expr);
                let listeners = [failed, all].map(|node| factory(node, &compile).expect("a listener"));
                for number in 0..5000 {
                    let sample = sample(&format!("{worker}:{number}"), number % 2 == 0);
                    for listener in &listeners {
                        give(&**listener, &cx, &sample);
                    }
                }
                for listener in &listeners {
                    listener.finish();
                }
            });
        }
    });
    assert_eq!(files.finish(), []);
    let content = text(name("out/a.csv"));
    for worker in 0..2 {
        let prefix = format!("{worker}:");
        let rows: Vec<_> = content.lines().filter(|line| line.starts_with(&prefix)).collect();
        let expected: Vec<_> = (0..5000).map(|n| format!("{worker}:{n},{}", n % 2 == 0)).collect();
        assert_eq!(rows, expected, "rows of a worker are whole and in order");
    }
    assert_eq!(content.lines().count(), 10_000, "no header: fieldNames is off");
}

#[test]
fn filters_and_collectors_without_file() {
    let (_folder, name) = folder();
    let files = ResultFiles::new(FileOptions::new("/plans"));
    let compile = compile(0, &[], &Arc::default());
    let cx = context_for(&compile.expr);
    let factory = result_collector_factory(&files);
    let nodes = [
        collector(1, &name("errors.csv"), SHORT, &[("ResultCollector.error_logging", "true")]),
        collector(2, &name("good.csv"), SHORT, &[("ResultCollector.success_only_logging", "true")]),
        collector(3, "", SHORT, &[]),
        collector(4, "", "", &[]),
    ];
    let listeners: Vec<_> = nodes.iter().filter_map(|node| factory(node, &compile)).collect();
    assert_eq!((listeners.len(), files.listeners_without_file()), (2, 2));
    for result in [sample("a", true), sample("b", false)] {
        for listener in &listeners {
            give(&**listener, &cx, &result);
        }
    }
    drop(listeners);
    assert_eq!(files.finish(), [], "what is buffered is written even if a worker never came to its end");
    assert_eq!((text(name("errors.csv")), text(name("good.csv"))), ("b,false\n".into(), "a,true\n".into()));
}

#[test]
fn minus_l_follows_the_properties_and_deletes_on_demand() {
    let (_folder, name) = folder();
    std::fs::write(name("out.jtl"), "old\n").expect("written");
    let options = FileOptions { replace: true, ..FileOptions::new("/plans") };
    let files = ResultFiles::new(options);
    let shared = Arc::default();
    let compile =
        compile(0, &[("jmeter.save.saveservice.output_format", "xml"), ("sample_variables", "v")], &shared);
    let mut cx = context_for(&compile.expr);
    let listener = jtl_listener(&files, &name("out.jtl"), &compile).expect("opens").expect("no dry run");
    assert!(listener.needs().details && !listener.needs().body);
    cx.vars.put("v", "1<2");
    give(&*listener, &cx, &sample("a", true));
    files.finish();
    assert_eq!(
        text(name("out.jtl")),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n\
         <sample t=\"4\" it=\"0\" lt=\"0\" ct=\"0\" ts=\"5\" s=\"true\" lb=\"a\" rc=\"\" rm=\"\" tn=\"\" dt=\"\" by=\"0\" sby=\"0\" \
         ng=\"0\" na=\"0\" v=\"1&lt;2\"/>\n\n</testResults>\n"
    );
}

#[test]
fn a_second_run_continues_the_files_of_the_first() {
    let (_folder, name) = folder();
    for label in ["first", "second"] {
        let files = ResultFiles::new(FileOptions::new("/plans"));
        let compile = compile(0, &[], &Arc::default());
        let cx = context_for(&compile.expr);
        let csv = format!("{SHORT}<fieldNames>true</fieldNames>");
        let xml = format!("{SHORT}<xml>true</xml>");
        let nodes = [collector(1, &name("a.csv"), &csv, &[]), collector(2, &name("a.xml"), &xml, &[])];
        for node in nodes {
            let listener = result_collector_factory(&files)(&node, &compile).expect("a listener");
            give(&*listener, &cx, &sample(label, true));
        }
        files.finish();
    }
    assert_eq!(text(name("a.csv")), "label,success\nfirst,true\nsecond,true\n");
    assert_eq!(
        text(name("a.xml")),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n<sample s=\"true\" lb=\"first\"/>\n\n\
         <sample s=\"true\" lb=\"second\"/>\n\n</testResults>\n"
    );
}

#[test]
fn a_bad_path_or_setting_is_a_diagnostic_before_the_run() {
    let (folder, name) = folder();
    std::fs::write(folder.path().join("file"), "").expect("written");
    let files = ResultFiles::new(FileOptions::new("/plans"));
    let good = compile(0, &[], &Arc::default());
    let tab = [("jmeter.save.saveservice.default_delimiter", "ab")];
    assert!(
        result_collector_factory(&files)(&collector(1, &name("file/a.csv"), SHORT, &[]), &good).is_none()
    );
    let found = good.diagnostics.borrow()[0].to_string();
    assert!(found.starts_with("7: error: [Plan > Writer] filename: cannot write results to `"), "{found}");
    let bad = compile(0, &tab, &Arc::default());
    assert!(result_collector_factory(&files)(&collector(2, &name("b.csv"), SHORT, &[]), &bad).is_none());
    assert!(bad.diagnostics.borrow()[0].to_string().contains("default_delimiter is `ab`"));
    assert!(jtl_listener(&files, &name("file/x.jtl"), &good).is_err());
}

#[test]
fn a_dry_run_touches_nothing() {
    let (folder, name) = folder();
    let files = ResultFiles::new(FileOptions { dry_run: true, ..FileOptions::new("/plans") });
    let compile = compile(0, &[], &Arc::default());
    assert!(result_collector_factory(&files)(&collector(1, &name("a.csv"), "", &[]), &compile).is_none());
    assert!(jtl_listener(&files, &name("b.jtl"), &compile).expect("valid").is_none());
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_full_disk_is_told_at_once_and_counted() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: no /dev/full here");
        return;
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    let ear = told.clone();
    let on_failure: swell_results::OnFailure = Arc::new(move |failure| ear.lock().push(failure.clone()));
    let files = ResultFiles::new(FileOptions { on_failure: Some(on_failure), ..FileOptions::new("/plans") });
    let compile = compile(0, &[], &Arc::default());
    let cx = context_for(&compile.expr);
    let listener: Rc<dyn Listener> =
        result_collector_factory(&files)(&collector(1, "/dev/full", SHORT, &[]), &compile).expect("it opens");
    (0..10).for_each(|_| give(&*listener, &cx, &sample("a", true)));
    let failures = files.finish();
    assert_eq!(failures.iter().map(|f| (f.rows_written, f.rows_lost)).collect::<Vec<_>>(), [(0, 10)]);
    assert_eq!(failures[0].path, PathBuf::from("/dev/full"));
    assert_eq!(told.lock().len(), 1);
}

#[test]
fn names_are_evaluated_once_and_start_at_the_plan_after_the_prefix() {
    let (folder, _) = folder();
    let files = ResultFiles::new(FileOptions::new(folder.path()));
    let node = collector(1, "~/out_${__P(kind,x)}.csv", SHORT, &[]);
    for worker in 0..2 {
        let kind = if worker == 0 { "first" } else { "other" };
        let compile = compile(worker, &[("kind", kind)], &Arc::default());
        let cx = context_for(&compile.expr);
        give(
            &*result_collector_factory(&files)(&node, &compile).expect("a listener"),
            &cx,
            &sample(kind, true),
        );
    }
    files.finish();
    assert_eq!(files.paths(), [folder.path().join("out_first.csv")]);
    assert_eq!(text(folder.path().join("out_first.csv")).lines().count(), 2);
}

#[test]
fn files_are_opened_before_the_run_with_variables_of_the_plan() {
    let (folder, name) = folder();
    std::fs::write(folder.path().join("file"), "").expect("written");
    let mut disabled = collector(4, &name("never.csv"), SHORT, &[]);
    disabled.element.attributes.push(("enabled".into(), "false".into()));
    let mut root = collector(0, "", "", &[]);
    root.element.class = "TestPlan".into();
    root.children = vec![
        collector(1, "~/${dir}/${__P(kind,x)}.csv", SHORT, &[]),
        collector(2, &name("file/a.csv"), SHORT, &[]),
        collector(3, "", SHORT, &[]),
        disabled,
    ];
    let variable = Element::new("Argument", "", "dir").with_text("Argument.name", "dir");
    let variable = variable.with_text("Argument.value", "out");
    let variables =
        Element::new("Arguments", "ArgumentsPanel", "v").with_elements("Arguments.arguments", [variable]);
    let plan = swell_plan::Plan::new(root.with(Node::new(variables)));
    let files = ResultFiles::new(FileOptions::new(folder.path()));
    let compile = compile(0, &[], &Arc::default());
    let settings = Settings {
        props: compile.props.clone(),
        host: compile.host.clone(),
        run: Arc::default(),
        functions: ForeignFunctions::default(),
        edit: None,
        trace: None,
    };
    let prepared =
        swell_engine::prepare(&plan, &Registry::of(swell_engine::kinds()), settings).expect("a plan");
    let found = files.open_all(&prepared);
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().contains("filename: cannot write results to `"), "{}", found[0]);
    assert_eq!((files.paths(), files.listeners_without_file()), (vec![folder.path().join("out/x.csv")], 1));
    let cx = context_for(&compile.expr);
    let listener = result_collector_factory(&files)(&plan.root.children[0], &compile).expect("a listener");
    give(&*listener, &cx, &sample("a", true));
    files.finish();
    assert_eq!(text(folder.path().join("out/x.csv")), "a,true\n");
}
