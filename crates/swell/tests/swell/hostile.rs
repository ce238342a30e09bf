//! A run against a server that breaks HTTP by chance: it ends, nothing panics, and every request is
//! accounted for.

use std::collections::HashMap;

use swell_plan::{Element, Node};

use crate::support::{Folder, Hostile, Jtl, plan};

/// Each gives other answers.
const SEEDS: [u64; 2] = [12, 13];

const USERS: u32 = 40;
const VISITS: i32 = 43;

/// Visits that follow redirects and fetch resources, with cookies, checks and extractors that read
/// each body.
fn hostile_plan(server: &Hostile) -> Folder {
    let port = server.addr.port().to_string();
    let visit = plan::get_from("127.0.0.1", &port, "/u${__threadNum}/i${__counter(TRUE,)}", "150").element;
    let visit = visit
        .with_flag("HTTPSampler.image_parser", true)
        .with_flag("HTTPSampler.concurrentDwn", true)
        .with_text("HTTPSampler.concurrentPool", "3")
        // Connections wait for a busy server as long as they must.
        .with_text("HTTPSampler.connect_timeout", "30000");
    let visit = Node::new(named(visit, "visit"));
    let visit = checks().into_iter().fold(visit, |visit, check| visit.with(Node::new(check)));
    let cookies = Node::new(Element::new("CookieManager", "CookiePanel", "cookies"));
    Folder::with_plan([plan::group(USERS, VISITS).with(cookies).with(visit)])
}

fn named(mut element: Element, name: &str) -> Element {
    for property in &mut element.attributes {
        if property.0 == "testname" {
            name.clone_into(&mut property.1);
        }
    }
    element
}

fn checks() -> Vec<Element> {
    let text =
        |value: &str| swell_plan::Property::new(value, swell_plan::PropertyValue::Text(value.to_owned()));
    let mut assertion = Element::new("ResponseAssertion", "AssertionGui", "has a page")
        .with_text("Assertion.test_field", "Assertion.response_data")
        .with_text("Assertion.test_type", "2");
    let strings = swell_plan::PropertyValue::Collection(vec![text("page|token")]);
    assertion.properties.push(swell_plan::Property::new("Asserion.test_strings", strings));
    let regex = Element::new("RegexExtractor", "RegexExtractorGui", "token")
        .with_text("RegexExtractor.refname", "token")
        .with_text("RegexExtractor.regex", "token=?.?(\\w+)")
        .with_text("RegexExtractor.template", "$1$")
        .with_text("RegexExtractor.match_number", "1");
    let json = Element::new("JSONPostProcessor", "JSONPostProcessorGui", "path")
        .with_text("JSONPostProcessor.referenceNames", "path")
        .with_text("JSONPostProcessor.jsonPathExprs", "$..path")
        .with_text("JSONPostProcessor.match_numbers", "-1");
    let title = Element::new("HtmlExtractor", "HtmlExtractorGui", "title")
        .with_text("HtmlExtractor.refname", "title")
        .with_text("HtmlExtractor.expr", "title")
        .with_text("HtmlExtractor.match_number", "1");
    vec![assertion, regex, json, title]
}

/// What the results file says: rows of visits, and requests by path.
struct Account {
    visits: usize,
    failed_visits: usize,
    requests: HashMap<String, i64>,
}

impl Account {
    /// A row is a request unless it stands for others, the first of which is the row after it and
    /// ends with `-0`, or for one that JMeter refuses to make.
    fn of(jtl: &Jtl) -> Self {
        let columns =
            ["label", "success", "responseCode", "responseMessage", "URL"].map(|name| jtl.column(name));
        let [labels, successes, codes, messages, urls] = &columns;
        let mut account = Self { visits: 0, failed_visits: 0, requests: HashMap::new() };
        for at in 0..jtl.len() {
            if !labels[at].contains('-') {
                account.visits += 1;
                account.failed_visits += usize::from(successes[at] == "false");
            }
            let is_whole = labels.get(at + 1).is_some_and(|next| next.ends_with("-0"));
            let is_refused = messages[at].contains("Exceeded maximum number of redirects")
                || codes[at].contains("URISyntaxException");
            if !is_whole && !is_refused {
                *account.requests.entry(path_of(urls[at])).or_default() += 1;
            }
        }
        account
    }
}

fn path_of(url: &str) -> String {
    let after_scheme = url.split_once("//").map_or(url, |(_, rest)| rest);
    after_scheme.find('/').map_or("/", |at| &after_scheme[at..]).to_owned()
}

/// One run against a server of that seed; how many requests the server answered.
fn run(seed: u64) -> usize {
    let server = Hostile::start(seed);
    let folder = hostile_plan(&server);
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--json"]).exits(0);
    let heard = server.finish();
    let jtl = folder.jtl("out.jtl");
    let summary = ended.json();
    let account = Account::of(&jtl);
    assert_eq!(account.visits, (USERS as usize) * VISITS as usize, "each visit has its row");

    let total = |name: &str| summary["total"][name].as_u64().map(|count| count as usize);
    let counts = (Some(account.visits), Some(account.failed_visits));
    assert_eq!((total("samples"), total("errors")), counts, "the summary counts the rows, seed {seed}");

    // Swell does not send a request twice, as JMeter by default. So each row is one request. But
    // the server does not read what is sent on a connection that it has reset after an answer that
    // looked whole.
    let mut left = account.requests;
    for path in &heard.paths {
        *left.entry(path.clone()).or_default() -= 1;
    }
    left.retain(|_, count| *count != 0);
    let without_row: Vec<_> = left.iter().filter(|(_, count)| **count < 0).collect();
    assert!(without_row.is_empty(), "requests without a row, seed {seed}: {without_row:?}");
    let lost: i64 = left.values().sum();
    let resets = heard.resets as i64;
    assert!(lost <= resets, "{lost} rows without a request, {resets} resets, seed {seed}: {left:?}");
    heard.paths.len()
}

#[test]
fn ten_thousand_hostile_answers_are_all_accounted_for() {
    let answers: usize = SEEDS.into_iter().map(run).sum();
    assert!(answers >= 10_000, "only {answers} answers");
}
