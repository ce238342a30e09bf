//! JMeter's recorded answers to tables of questions, compared with the answers of its classes below
//! native samplers. So the test covers what the bridge transfers in both directions.

#[path = "../../../query/tests/query/tables/mod.rs"]
mod tables;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{
    ElementKind, Make, Needs, OwnedAssertion, Placement, PostProcessor, Role, SampleResult, StepProgress,
};
use swell_expr::Context;
use swell_plan::{Element, Node};

use crate::plans::{jvm, plan, run_with, sampler_with_body};
use tables::{differences, escaped, unescaped};

const TAKE: &str = "com.example.TakeVariables";

/// Variables by name.
type Variables = HashMap<String, String>;

/// Takes the variables that begin with `v` away from the user, so that the next sampler begins
/// without.
struct Take(Arc<Mutex<HashMap<String, Variables>>>);

impl PostProcessor for Take {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        let all = cx.vars.entries().into_iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let taken: Variables = all.filter(|(name, _)| name.starts_with('v')).collect();
        for name in taken.keys() {
            cx.vars.remove(name);
        }
        self.0.lock().insert(sample.label.to_string(), taken);
        Placement::OnLoop.run(std::future::ready(()))
    }
}

/// A body, and the elements that look at it.
struct Question {
    body: String,
    elements: Vec<Element>,
}

/// What the elements of a question left.
struct Answer {
    variables: Variables,
    assertions: Vec<OwnedAssertion>,
}

impl Answer {
    /// The numbered variables as the tables have them; none if the extractor did not count them.
    fn matches(&self) -> Option<String> {
        let count: usize = self.variables.get("v_matchNr")?.parse().ok()?;
        let value = |number| self.variables.get(&format!("v_{number}"));
        let shown = |value: Option<&String>| value.map_or("<null>".to_owned(), |value| escaped(value));
        let all: Vec<String> = (1..=count).map(|number| shown(value(number))).collect();
        Some(if all.is_empty() { String::new() } else { format!("{{{}}}", all.join("}{")) })
    }

    fn message(&self) -> Option<&str> {
        self.assertions.first()?.message.as_deref()
    }
}

/// Runs a plan of a sampler for each question. Where an element throws, JMeter leaves the sample
/// out, and there is no answer.
fn ask(questions: Vec<Question>) -> Vec<Option<Answer>> {
    let taken = Arc::new(Mutex::new(HashMap::new()));
    let take = taken.clone();
    let count = questions.len();
    let sampler = |(number, question): (usize, Question)| {
        let sampler = sampler_with_body(&number.to_string(), &question.body);
        let taker = Element::new(TAKE, "", "take");
        question.elements.into_iter().chain([taker]).map(Node::new).fold(sampler, Node::with)
    };
    let plan = plan(1, questions.into_iter().enumerate().map(sampler).collect());
    let ran = run_with(&plan, |settings| {
        let make = Make::post_processor(move |_, _| Box::new(Take(take.clone())));
        settings.elements.push(ElementKind::native(Role::PostProcessor, TAKE, "Take", make));
    });
    assert!(!ran.samples.is_empty(), "{} {:?}", ran.log, ran.report.outcome);
    let mut taken = taken.lock();
    let mut answers: Vec<Option<Answer>> = (0..count).map(|_| None).collect();
    for sample in ran.samples {
        let number: usize = sample.label.parse().expect("the name is a number");
        let variables = taken.remove(&sample.label).expect("each sample has a post-processor");
        answers[number] = Some(Answer { variables, assertions: sample.assertions });
    }
    answers
}

/// The value of a missing answer.
const LOST: &str = "no sample";

/// Asks all questions of a table at once and compares. `shown` gets what is wanted, for tables that
/// do not tell all of it.
fn compare(
    table: &str,
    question: impl Fn(usize, &[&str]) -> Question,
    shown: impl Fn(&Answer, &str) -> String,
) {
    let Some(_jvm) = jvm() else { return };
    let rows: Vec<Vec<&str>> =
        table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    let questions = rows.iter().enumerate().map(|(at, row)| question(at, &row[..row.len() - 1])).collect();
    let answers = ask(questions);
    let all = answers.iter().zip(&rows).map(|(answer, row)| {
        answer.as_ref().map_or_else(|| LOST.to_owned(), |answer| shown(answer, row[row.len() - 1]))
    });
    let all: Vec<String> = all.collect();
    let next = RefCell::new(all.into_iter());
    differences(table, |_| next.borrow_mut().next().expect("an answer for each row"));
}

fn extractor(class: &str, properties: &[(&str, &str)]) -> Element {
    let element = Element::new(class, "TestBeanGUI", "it");
    properties.iter().fold(element, |element, (name, value)| element.with_text(name, value))
}

const FURTHER: &str = "\nSee log file for further details.";

#[test]
fn xpath2_finds_what_it_found_in_jmeter() {
    let question = |_, row: &[&str]| {
        let [flags, expression, namespaces, document] = row else { panic!("four columns: {row:?}") };
        let element = extractor(
            "XPath2Extractor",
            &[
                ("XPathExtractor2.refname", "v"),
                ("XPathExtractor2.xpathQuery", &unescaped(expression)),
                ("XPathExtractor2.namespaces", &unescaped(namespaces)),
                ("XPathExtractor2.matchNumber", "-1"),
            ],
        );
        let element = element.with_flag("XPathExtractor2.fragment", flags.contains('f'));
        Question { body: unescaped(document), elements: vec![element] }
    };
    compare(include_str!("../tables/xpath2.tsv"), question, |answer, _| match answer.message() {
        Some(message) => format!("!{}", escaped(message.strip_suffix(FURTHER).unwrap_or(message))),
        None => answer.matches().unwrap_or_default(),
    });
}

#[test]
fn schemas_judge_as_they_judged_in_jmeter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/xsd");
    let question = |_, row: &[&str]| {
        let [schema, document] = row else { panic!("two columns: {row:?}") };
        let file = folder.join(schema);
        let properties = [("xmlschema_assertion_filename", file.to_str().expect("a path in UTF-8"))];
        Question { body: unescaped(document), elements: vec![extractor("XMLSchemaAssertion", &properties)] }
    };
    compare(include_str!("../tables/xsd.tsv"), question, |answer, _| {
        let judged = &answer.assertions[0];
        let message = escaped(judged.message.as_deref().unwrap_or_default());
        let message = message.replace(&format!("{}/", folder.display()), "");
        match (judged.error, judged.failure) {
            (true, _) => format!("e {message}"),
            (false, true) => format!("f {message}"),
            (false, false) => "valid".to_owned(),
        }
    });
}

/// A page of the table: after an `@`, the content of the body of a valid one.
fn page(column: &str) -> String {
    let text = unescaped(column);
    let Some(body) = text.strip_prefix('@') else { return text };
    let doctype = "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">";
    format!("{doctype}<html><head><title>t</title></head><body>{body}</body></html>")
}

fn html_assertion(format: &str, file: &str) -> Element {
    extractor(
        "HTMLAssertion",
        &[
            ("html_assertion_format", format),
            ("html_assertion_error_threshold", "0"),
            ("html_assertion_warning_threshold", "0"),
            ("html_assertion_errorsonly", "false"),
            ("html_assertion_doctype", "omit"),
            ("html_assertion_filename", file),
        ],
    )
}

#[test]
fn html_assertions_count_what_they_counted_in_jmeter() {
    let question = |_, row: &[&str]| {
        let [column] = row else { panic!("one column: {row:?}") };
        let elements = ["0", "1", "2"].map(|format| html_assertion(format, ""));
        Question { body: page(column), elements: elements.into() }
    };
    let count = |judged: &OwnedAssertion| {
        let message = judged.message.as_deref().unwrap_or_default().replace(',', "");
        let numbers: Vec<_> = message.split(' ').filter(|word| word.parse::<i64>().is_ok()).collect();
        match (judged.failure || judged.error, &numbers[..]) {
            (false, _) => "0 0".to_owned(),
            (true, [errors, warnings]) if message.starts_with("Tidy") => format!("{errors} {warnings}"),
            (true, _) => "broken".to_owned(),
        }
    };
    compare(include_str!("../tables/jtidy.tsv"), question, |answer, _| {
        answer.assertions.iter().map(count).collect::<Vec<_>>().join(", ")
    });
}

#[test]
fn reports_of_html_assertions_are_those_of_jmeter() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |at: usize| folder.path().join(at.to_string());
    let question = |at, row: &[&str]| {
        let [format, page] = row else { panic!("two columns: {row:?}") };
        let format = ["html", "xhtml", "xml"].iter().position(|name| name == format).expect("a format");
        let element = html_assertion(&format.to_string(), file(at).to_str().expect("a path in UTF-8"));
        Question { body: unescaped(page), elements: vec![element] }
    };
    let at = RefCell::new(0..);
    compare(include_str!("../tables/jtidy_reports.tsv"), question, |answer, wanted| {
        let at = at.borrow_mut().next().expect("there are enough numbers");
        let report = std::fs::read_to_string(file(at)).unwrap_or_default();
        // An empty response has no report; in others JTidy's advice follows what it found.
        let is_null = answer.message() == Some("Response was null");
        let is_as_wanted = if is_null { report.is_empty() } else { report.starts_with(&unescaped(wanted)) };
        if is_as_wanted { wanted.to_owned() } else { escaped(&report) }
    });
}

#[test]
fn tolerant_paths_see_the_pages_that_they_saw_in_jmeter() {
    let xpath = |path| {
        let properties = [
            ("XPathExtractor.refname", "v"),
            ("XPathExtractor.xpathQuery", path),
            ("XPathExtractor.matchNumber", "-1"),
            ("XPathExtractor.tolerant", "true"),
            ("XPathExtractor.quiet", "true"),
        ];
        extractor("XPathExtractor", &properties)
    };
    // The texts of the tree, each after the one before it, and the number of its elements.
    let has_texts = |tree: &str, answer: &Answer| {
        let count = answer.variables.get("v_matchNr").and_then(|count| count.parse::<usize>().ok());
        let mut rest = tree;
        count.is_some_and(|count| {
            (1..=count).all(|number| {
                let Some(text) = answer.variables.get(&format!("v_{number}")) else { return false };
                let found = rest.split_once(&format!("[{}]", escaped(text)));
                found.inspect(|(_, behind)| rest = behind).is_some()
            })
        })
    };
    // The table has trees of JTidy; on these ones Xalan throws.
    let throws = |page: &str| {
        ["<?xml ", "<?php", "<![if", "<% ", "<# ", "<html <%"].iter().any(|start| page.starts_with(start))
    };
    let wanted = |line: &str| match line.split_once('\t') {
        Some((page, _)) if throws(page) => format!("{page}\t{LOST}\n"),
        _ => format!("{line}\n"),
    };
    let table: String = include_str!("../tables/tidy.tsv").lines().map(wanted).collect();
    let question =
        |path| move |_, row: &[&str]| Question { body: unescaped(row[0]), elements: vec![xpath(path)] };
    let shown = |answer: &Answer| format!("{:?} {:?}", answer.variables, answer.message());
    compare(&table, question("//text()"), |answer, wanted| {
        if wanted != LOST && has_texts(wanted, answer) { wanted.to_owned() } else { shown(answer) }
    });
    // With an instruction at the start of the document Xalan finds other elements than the tree
    // has, or none.
    let table: String = table
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("<?") && !line.ends_with(&format!("{LOST}\n")))
        .collect();
    compare(&table, question("count(//*)"), |answer, wanted| {
        let count = wanted.matches("</>").count() + wanted.matches("<meta@>").count();
        let is_as_wanted = answer.matches() == Some(format!("{{{count}}}"));
        if is_as_wanted { wanted.to_owned() } else { shown(answer) }
    });
}

#[test]
fn jmespath_finds_what_it_found_in_jmeter() {
    let table = include_str!("../tables/jmespath.tsv");
    let wanted: Vec<&str> = table.lines().filter_map(|line| Some(line.split_once('\t')?.1)).collect();
    let question = |at: usize, row: &[&str]| {
        let value = wanted[at].strip_prefix('=').unwrap_or_default();
        let properties = [("JMES_PATH", row[0]), ("EXPECTED_VALUE", value)];
        let element = extractor("JMESPathAssertion", &properties)
            .with_flag("JSONVALIDATION", true)
            .with_flag("ISREGEX", false)
            .with_flag("EXPECT_NULL", value == "null")
            .with_flag("INVERT", false);
        Question { body: include_str!("../tables/jmespath.json").to_owned(), elements: vec![element] }
    };
    compare(table, question, |answer, wanted| {
        let judged = &answer.assertions[0];
        let message = judged.message.as_deref().unwrap_or_default();
        match (judged.error, judged.failure) {
            (false, false) if wanted.starts_with('=') => wanted.to_owned(),
            (false, false) => "a value".to_owned(),
            // What is wrong with a path is said in many words.
            (true, _) if wanted == "?" => wanted.to_owned(),
            (true, _) => format!("!{message}"),
            (false, true) => format!("another value: {message}"),
        }
    });
}

#[test]
fn selectors_of_jodd_select_what_they_selected_in_jmeter() {
    let table = include_str!("../tables/jodd.tsv");
    let page = table.lines().nth(1).and_then(|line| line.strip_prefix("# ")).expect("the page is on line 2");
    let page = unescaped(page);
    let question = |_, row: &[&str]| {
        let [attribute, selector] = row else { panic!("two columns: {row:?}") };
        let properties = [
            ("HtmlExtractor.refname", "v"),
            ("HtmlExtractor.expr", *selector),
            ("HtmlExtractor.attribute", *attribute),
            ("HtmlExtractor.match_number", "-1"),
            ("HtmlExtractor.extractor_impl", "JODD"),
        ];
        Question { body: page.clone(), elements: vec![extractor("HtmlExtractor", &properties)] }
    };
    compare(table, question, |answer, _| answer.matches().unwrap_or_else(|| "!".to_owned()));
}
