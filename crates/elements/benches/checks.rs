//! Time of extractors on one body, as each sample has them: `cargo bench -p swell-elements --profile
//! profiling`. `-- NAME ROUNDS` runs one case that number of times, as for a count of instructions
//! (`valgrind --tool=callgrind`).

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use swell_api::{PostProcessor, SampleResult};
use swell_elements::testing::{Bench, counting, element, post_processor};
use swell_expr::Context;
use swell_plan::Element;

/// A case: its name, its body, and the elements that read it.
type Case = (&'static str, Vec<u8>, Vec<Element>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let rounds = arguments.get(1).and_then(|rounds| rounds.parse().ok());
    for (name, body, elements) in cases() {
        if arguments.first().is_none_or(|wanted| *wanted == name) {
            measure(name, &body, &elements, rounds);
        }
    }
}

fn measure(name: &str, body: &[u8], elements: &[Element], rounds: Option<u32>) {
    let bench = Bench::new();
    let extractors: Vec<_> =
        elements.iter().map(|element| post_processor(element, &bench).expect("a known class")).collect();
    let (mut cx, asides) = counting(&bench, swell_budget::Limits::default(), || 0);
    let before = asides.load(std::sync::atomic::Ordering::Relaxed);
    sample(&mut cx, &extractors, body);
    let on_helpers = asides.load(std::sync::atomic::Ordering::Relaxed) - before;
    let rounds = rounds.unwrap_or(if body.len() > 10_000 { 300 } else { 20_000 });
    // The least of several: other work on the machine only adds.
    let least = (0..5).map(|_| {
        let started = Instant::now();
        for _ in 0..rounds {
            sample(&mut cx, &extractors, body);
        }
        started.elapsed() / rounds
    });
    let least = least.min().expect("five times").as_nanos() as f64 / 1_000.0;
    println!("{name:24} {least:9.2} us, {} bytes, {on_helpers} on helper threads", body.len());
}

fn sample(cx: &mut Context, extractors: &[Box<dyn PostProcessor>], body: &[u8]) {
    let mut sample = SampleResult { body: body.into(), success: true, ..SampleResult::default() };
    for extractor in extractors {
        extractor.process(cx, &mut sample).finish();
    }
    black_box(&sample);
}

fn cases() -> Vec<Case> {
    let large = json(1_000);
    let small = json(7);
    let page = xml(900);
    let note = xml(5);
    let filter = |at: usize| json_path(at, &format!("$.items[?(@.id==1{:03})].sku", at * 190 + 9));
    let five = |make: &dyn Fn(usize) -> Element| (0..5).map(make).collect::<Vec<_>>();
    vec![
        ("body", large.clone(), Vec::new()),
        ("definite", large.clone(), vec![json_path(0, "$.items[500].sku")]),
        ("five-definite", large.clone(), five(&|at| json_path(at, &format!("$.items[{}].sku", at * 190)))),
        ("filter", large.clone(), vec![filter(4)]),
        ("five-filters", large.clone(), five(&filter)),
        ("scan", large.clone(), vec![json_path(0, "$..sku")]),
        ("filter-751", small.clone(), vec![json_path(0, "$.items[?(@.id==1003)].sku")]),
        ("xpath", page.clone(), vec![xpath(0, "//item[3]/name/text()")]),
        ("five-xpaths", page, five(&|at| xpath(at, &format!("//item[{}]/name/text()", at + 3)))),
        ("xpath-627", note, vec![xpath(0, "//item[3]/name/text()")]),
        ("regex-all-6", small, vec![regex("\"id\":(\\d+),\"sku\":\"([^\"]+)\"")]),
    ]
}

fn json(items: usize) -> Vec<u8> {
    let mut text = "{\"csrf\":\"a1b2c3\",\"items\":[".to_owned();
    for item in 0..items {
        let comma = if item == 0 { "" } else { "," };
        write!(
            text,
            "{comma}{{\"id\":{},\"sku\":\"SKU-{item:05}\",\"name\":\"Thing number {item}\",",
            1000 + item
        )
        .expect("writing to a String cannot fail");
        write!(
            text,
            "\"price\":{}.{:02},\"stock\":{},\"tags\":[\"a\",\"b\"]}}",
            item % 90 + 1,
            item % 100,
            item % 7
        )
        .expect("writing to a String cannot fail");
    }
    text.push_str("],\"status\":\"ok\"}");
    text.into_bytes()
}

fn xml(items: usize) -> Vec<u8> {
    let mut text = "<?xml version=\"1.0\"?><order><status>ok</status><items>".to_owned();
    for item in 0..items {
        write!(text, "<item id=\"{item}\" kind=\"part\"><name>Thing number {item}</name><price>1.{item:02}</price><stock>7</stock></item>")
            .expect("writing to a String cannot fail");
    }
    text.push_str("</items></order>");
    text.into_bytes()
}

fn json_path(at: usize, path: &str) -> Element {
    element(
        "JSONPostProcessor",
        &[
            ("JSONPostProcessor.referenceNames", &*format!("j{at}")),
            ("JSONPostProcessor.jsonPathExprs", path),
            ("JSONPostProcessor.defaultValues", "NONE"),
            ("JSONPostProcessor.match_numbers", "1"),
        ],
    )
}

fn xpath(at: usize, query: &str) -> Element {
    element(
        "XPathExtractor",
        &[
            ("XPathExtractor.refname", &*format!("x{at}")),
            ("XPathExtractor.xpathQuery", query),
            ("XPathExtractor.default", "NONE"),
            ("XPathExtractor.matchNumber", "1"),
        ],
    )
}

fn regex(pattern: &str) -> Element {
    element(
        "RegexExtractor",
        &[
            ("RegexExtractor.refname", "r"),
            ("RegexExtractor.regex", pattern),
            ("RegexExtractor.template", "$1$"),
            ("RegexExtractor.default", "NONE"),
            ("RegexExtractor.match_number", "-1"),
        ],
    )
}
