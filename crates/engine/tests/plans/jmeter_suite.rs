//! JMeter's batch plans: samples must equal those in its expected files.

use std::collections::HashMap;
use std::rc::Rc;

use crate::bench::{Bench, Heard, Instant, suite};

/// A line of a results file, with quotes.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// The samples of each user in their order.
fn by_user(samples: impl Iterator<Item = (String, Vec<String>)>) -> HashMap<String, Vec<Vec<String>>> {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for (user, sample) in samples {
        all.entry(user).or_default().push(sample);
    }
    all
}

fn compare(plan: &str, columns: &[&str], expected_columns: Option<&str>) {
    let (Some(jmx), Some(csv)) = (suite(&format!("{plan}.jmx")), suite(&format!("{plan}.csv"))) else {
        return;
    };
    let mut bench = Bench::default();
    bench
        .host
        .add_file("Bug50898_inc.jmx", suite("Bug50898_inc.jmx").map(|p| std::fs::read(p).unwrap()).unwrap());
    bench.add_sampler("BeanShellSampler", |input, _| {
        // The plans use it for a sample that fails.
        let _ = input;
        Rc::new(Instant { success: false, body: "12345", code: "200", message: "OK" })
    });
    bench.props.set("sample_variables", "REFERENCE,JSESSIONID");
    let ran = bench.run(&std::fs::read(jmx).unwrap());
    let csv = std::fs::read_to_string(csv).unwrap();
    let mut lines = csv.lines();
    let header = expected_columns.map_or_else(|| lines.next().unwrap().to_owned(), str::to_owned);
    let header: Vec<_> = header.split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name);
    let user_at = at("threadName");
    let places: Vec<_> = columns.iter().map(|column| at(column).unwrap()).collect();
    let expected = by_user(lines.map(|line| {
        let fields = split(line);
        let user = user_at.map_or_else(String::new, |place| fields[place].clone());
        (user, places.iter().map(|place| fields[*place].clone()).collect())
    }));
    let value = |heard: &Heard, column: &str| match column {
        "label" => heard.label.clone(),
        "responseCode" => heard.code.clone(),
        "responseMessage" => heard.message.clone(),
        "success" => heard.success.to_string(),
        "bytes" => heard.bytes.to_string(),
        "grpThreads" => heard.group_threads.to_string(),
        other => panic!("{other}"),
    };
    let is = by_user(ran.heard.iter().map(|heard| {
        let user = user_at.map_or_else(String::new, |_| heard.thread.clone());
        (user, columns.iter().map(|column| value(heard, column)).collect())
    }));
    for (user, expected) in &expected {
        assert_eq!(is.get(user), Some(expected), "{plan}: {user}\n{:?}", ran.log);
    }
    assert_eq!(is.len(), expected.len(), "{plan}");
}

const USUAL: &[&str] = &["label", "responseCode", "responseMessage", "success"];

#[test]
fn bug_52968_transactions_are_reported_when_a_loop_is_left() {
    let columns = "label,responseCode,responseMessage,threadName,dataType,success,grpThreads,allThreads,SampleCount,ErrorCount";
    compare("Bug52968", USUAL, Some(columns));
}

#[test]
fn bug_56811_nested_transactions_with_errors() {
    compare(
        "Bug56811",
        &["label", "responseCode", "responseMessage", "success", "bytes", "grpThreads"],
        None,
    );
}

#[test]
fn bug_62239_loop_indices_break_and_next_loop() {
    compare("Bug62239", USUAL, Some("label,responseCode,responseMessage,threadName,dataType,success"));
}

#[test]
fn bug_62847_break_in_nested_controllers() {
    compare("BUG_62847", USUAL, None);
}

#[test]
fn bug_50898_include_controllers() {
    compare("Bug50898", USUAL, None);
}

#[test]
fn bug_55375_module_controllers() {
    compare("Bug55375", &["label", "responseCode", "responseMessage", "success", "bytes"], None);
}

#[test]
fn bug_54685_variables() {
    compare("Bug54685", USUAL, None);
}
