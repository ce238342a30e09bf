//! All views of a run say the same: however a plan nests its samplers, each request counts once in
//! each of them.

use std::ops::Range;

use serde_json::Value;
use swell_plan::{Element, Node};

use crate::support::{Answer, Folder, Request, Server, jmeter, nats_server, plan};

/// Answers whatever the plans ask for.
fn answer(request: &Request) -> Answer {
    let keep = |head: &str, body: &str| {
        let length = body.len();
        Answer::Keep(format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
    };
    match request.path() {
        "/bad" => keep("404 Not Found", "no"),
        "/go/2" => keep("302 Found\r\nLocation: /go/1", ""),
        "/go/1" => keep("302 Found\r\nLocation: /ok", ""),
        "/page" => keep(
            "200 OK\r\nContent-Type: text/html",
            "<html><img src=\"/a.png\"><script src=\"/b.js\"></script></html>",
        ),
        "/close" => Answer::Close(Vec::new()),
        _ => keep("200 OK", "good"),
    }
}

/// Numbers that a seed decides.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// A plan from a seed: what samplers do, and what stands around them.
struct Maker<'a> {
    server: &'a Server,
    dice: Dice,
    names: usize,
}

impl Maker<'_> {
    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind} {}", self.names)
    }

    fn sampler(&mut self) -> Node {
        let path = ["/ok", "/ok", "/bad", "/go/1", "/go/2", "/page", "/close"][self.dice.roll(7)];
        let mut node = plan::get(self.server.addr, path);
        let name = self.name(&path[1..]);
        node.element.set_attribute("testname", &name);
        if path == "/page" {
            node.element = node.element.with_flag("HTTPSampler.image_parser", true);
        }
        node
    }

    fn transaction(&mut self, parent: bool) -> Node {
        Node::new(
            Element::new("TransactionController", "TransactionControllerGui", &self.name("transaction"))
                .with_flag("TransactionController.parent", parent),
        )
    }

    fn parallel(&mut self, parent: bool) -> Node {
        let class = "com.blazemeter.jmeter.controller.ParallelSampler";
        let gui = "com.blazemeter.jmeter.controller.ParallelControllerGui";
        Node::new(Element::new(class, gui, &self.name("parallel")).with_flag("PARENT_SAMPLE", parent))
    }

    /// Some nodes below one, down to that depth.
    fn fill(&mut self, mut node: Node, depth: usize) -> Node {
        for _ in 0..=self.dice.roll(3) {
            let inner = match self.dice.roll(if depth == 0 { 1 } else { 6 }) {
                0 | 1 => self.sampler(),
                2 | 3 => {
                    let controller = self.transaction(true);
                    self.fill(controller, depth - 1)
                }
                4 => {
                    let controller = self.transaction(false);
                    self.fill(controller, depth - 1)
                }
                _ => {
                    let parent = self.dice.roll(2) == 0;
                    let controller = self.parallel(parent);
                    self.fill(controller, 0)
                }
            };
            node = node.with(inner);
        }
        node
    }
}

/// Samples and failed ones.
type Counts = (u64, u64);

fn counts(row: &Value) -> Counts {
    let number = |name: &str| row[name].as_u64().unwrap_or_else(|| panic!("a number {name} in {row}"));
    (number("samples"), number("errors"))
}

/// Counts of each label, samples apart from transactions, by their names.
fn labels(rows: &Value) -> Vec<(String, bool, Counts)> {
    let of = |row: &Value| {
        let text = row["label"].as_str().expect("a label").to_owned();
        (text, row["transaction"].as_bool().expect("a flag"), counts(row))
    };
    let mut all: Vec<_> = rows.as_array().expect("rows").iter().map(of).collect();
    all.sort();
    all
}

/// What a report's page has.
fn of_page(folder: &Folder, name: &str) -> (Counts, Vec<(String, bool, Counts)>) {
    let text = folder.report(name);
    let start = text.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    // The packed data stand behind the page.
    let data = text[start..].split("</html>").nth(1).expect("data behind the page");
    let document: Value = serde_json::from_str(data.trim()).expect("JSON");
    (counts(&document["total"]), labels(&document["labels"]))
}

/// What a JUnit file says of the whole.
fn of_junit(text: &str) -> Counts {
    let number = |name: &str| {
        let (_, rest) = text.split_once(&format!("name=\"{name}\" value=\"")).expect("a property");
        rest.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    (number("samples"), number("errors"))
}

/// Runs a plan and compares all that is said of it with what the server has on record.
fn check(folder: &Folder, server: &Server, what: &str) {
    let args = ["run", "plan.jmx", "--json", "--run-dir", "kept", "-l", "rows.jtl", "--junit", "junit.xml"];
    let rules = ["--threshold", "samples>0", "--threshold", "errors<200%", "-e", "-o", "report"];
    let before = server.requests().len();
    let ended = folder.swell(&[&args[..], &rules].concat());
    let asked = (server.requests().len() - before) as u64;
    let summary = ended.json();
    let total = counts(&summary["total"]);
    let rows = labels(&summary["labels"]);
    let sum = |kind: bool, of: fn(&Counts) -> u64| {
        rows.iter().filter(|row| row.1 == kind).map(|row| of(&row.2)).sum::<u64>()
    };
    assert_eq!(
        total,
        (sum(false, |counts| counts.0), sum(false, |counts| counts.1)),
        "{what}: rows and total"
    );
    assert_eq!(summary["requests"].as_u64(), Some(asked), "{what}: requests and the server's record");
    assert_eq!(of_junit(&folder.read("junit.xml")), total, "{what}: JUnit");
    assert_eq!(summary["thresholds"][0]["value"], total.0 as f64, "{what}: threshold of samples");
    let percent = summary["thresholds"][1]["value"].as_f64().expect("a value");
    assert!((percent - 100.0 * total.1 as f64 / total.0 as f64).abs() < 1e-9, "{what}: threshold of errors");
    assert_eq!(of_page(folder, "report/index.html"), (total, rows.clone()), "{what}: report of the run");
    let all_failed = total.0 == total.1;
    assert_eq!(ended.code, Some(if all_failed { 98 } else { 0 }), "{what}: {ended}");

    let xml = ["-l", "rows.xml", "-J", "jmeter.save.saveservice.output_format=xml"];
    folder.swell(&[&["run", "plan.jmx"][..], &xml].concat());
    for (file, page) in [("rows.jtl", "csv.html"), ("rows.xml", "xml.html"), ("kept", "kept.html")] {
        folder.swell(&["report", file, "-o", page]).exits(0);
        assert_eq!(of_page(folder, page), (total, rows.clone()), "{what}: report of {file}");
        let compared = folder.swell(&["compare", "kept", file, "--json"]).json();
        assert_eq!(
            compared["total"]["samples"],
            serde_json::json!([total.0, total.0]),
            "{what}: comparison with {file}"
        );
    }
}

fn check_seeds(seeds: Range<u64>) {
    let server = Server::start(answer);
    for seed in seeds {
        let mut maker = Maker { server: &server, dice: Dice(seed), names: 0 };
        let group = maker.fill(plan::group(2, 3), 2);
        let folder = Folder::with_plan([group]);
        check(&folder, &server, &format!("seed {seed}"));
    }
}

#[test]
fn views_of_plans_with_nested_controllers_agree_1() {
    check_seeds(0..13);
}

#[test]
fn views_of_plans_with_nested_controllers_agree_2() {
    check_seeds(13..26);
}

#[test]
fn views_of_plans_with_nested_controllers_agree_3() {
    check_seeds(26..40);
}

#[test]
fn views_of_a_script_with_sub_results_agree() {
    if jmeter().is_none() {
        return;
    }
    let server = Server::start(answer);
    let script = "2.times { i -> def sub = new org.apache.jmeter.samplers.SampleResult(); sub.sampleStart(); sub.sampleEnd(); \
                  sub.setSuccessful(i == 0); sub.setSampleLabel('inner'); SampleResult.addSubResult(sub) }; SampleResult.setSuccessful(true)";
    let sampler = Element::new("JSR223Sampler", "TestBeanGUI", "script")
        .with_text("scriptLanguage", "groovy")
        .with_text("script", script)
        .with_text("cacheKey", "true");
    let parent = Element::new("TransactionController", "TransactionControllerGui", "all")
        .with_flag("TransactionController.parent", true);
    let parent = Node::new(parent).with(Node::new(sampler)).with(plan::get(server.addr, "/go/1"));
    let folder = Folder::with_plan([plan::group(2, 3).with(parent)]);
    check(&folder, &server, "sub-results of a script");
}

#[test]
fn agents_and_search_count_what_one_machine_counts() {
    let server = Server::start(answer);
    let mut maker = Maker { server: &server, dice: Dice(7), names: 0 };
    let group = maker.fill(plan::group(4, 3), 2);
    let folder = Folder::with_plan([group]);
    let alone = folder.swell(&["run", "plan.jmx", "--json"]).json();
    let asked = server.requests().len();
    if nats_server().is_some() {
        let many = folder.swell(&["run", "plan.jmx", "--json", "--agents", "2", "-w", "1"]).json();
        assert_eq!(counts(&many["total"]), counts(&alone["total"]));
        assert_eq!(labels(&many["labels"]), labels(&alone["labels"]));
        assert_eq!((many["requests"].as_u64(), server.requests().len()), (Some(asked as u64), 2 * asked));
    }
    let mut parent = maker.transaction(true);
    parent = parent.with(plan::get(server.addr, "/bad"));
    let failing = Folder::with_plan([plan::group(1, -1).with(parent)]);
    let search = ["search", "plan.jmx", "--users", "1..2", "--trial", "1s", "--warm-up", "0s"];
    let ended = failing.swell(&[&search[..], &["--slo", "errors<1%"]].concat());
    assert!(ended.code == Some(98) || ended.code == Some(99), "{ended}");
    ended.prints(&["100.00 %"]);
}
