//! Each request counts once, wherever the plan put it.

use serde_json::Value;
use swell_plan::{Element, Node};

use crate::support::{Folder, plan, site};

/// A Transaction Controller with a parent sample around these nodes.
fn parent(name: &str, nodes: impl IntoIterator<Item = Node>) -> Node {
    let element = Element::new("TransactionController", "TransactionControllerGui", name)
        .with_flag("TransactionController.parent", true);
    nodes.into_iter().fold(Node::new(element), Node::with)
}

fn rows(summary: &Value) -> Vec<(String, bool, u64, u64)> {
    let rows = summary["labels"].as_array().expect("rows");
    let number = |row: &Value, name: &str| row[name].as_u64().expect("a count");
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let label = row["label"].as_str().expect("a label").to_owned();
            let is_transaction = row["transaction"].as_bool().expect("a flag");
            (label, is_transaction, number(row, "samples"), number(row, "errors"))
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn requests_inside_of_transactions_with_parent_sample_count_once() {
    let site = site();
    let at = site.addr();
    let inner = parent("Inner", [plan::get(at, "/status/404")]);
    let outer = parent("Outer", [plan::get(at, "/hello"), inner]);
    let group = plan::group(1, 5).with(outer).with(plan::get(at, "/hello"));
    let folder = Folder::with_plan([group]);
    let ended =
        folder.swell(&["run", "plan.jmx", "--json", "--threshold", "errors<1%", "-l", "r.jtl"]).exits(99);
    let summary = ended.json();
    assert_eq!((&summary["total"]["samples"], &summary["total"]["errors"]), (&15.into(), &5.into()));
    let row =
        |label: &str, is_transaction, samples, errors| (label.to_owned(), is_transaction, samples, errors);
    assert_eq!(
        rows(&summary),
        [
            row("/hello", false, 10, 0),
            row("/status/404", false, 5, 5),
            row("Inner", true, 5, 5),
            row("Outer", true, 5, 5),
        ]
    );
    assert_eq!(folder.jtl("r.jtl").len(), 25, "JMeter's rows: transactions and samples");
    folder
        .swell(&["run", "plan.jmx", "-l", "r.xml", "-J", "jmeter.save.saveservice.output_format=xml"])
        .exits(0);
    let compared = folder.swell(&["compare", "r.jtl", "r.xml", "--json"]).json();
    assert_eq!(compared["total"]["samples"], serde_json::json!([15, 15]), "both files have all samples");
    // JMeter's summariser counts neither transactions nor what is inside of them.
    ended.says(&["summary =      5 in "]);
}

#[test]
fn a_run_whose_requests_all_fail_inside_of_a_transaction_is_no_success() {
    let site = site();
    let all = parent("All", [plan::get(site.addr(), "/status/404")]);
    let folder = Folder::with_plan([plan::group(1, 3).with(all)]);
    folder.swell(&["run", "plan.jmx"]).exits(98).says(&["not one sample succeeded"]);
}

#[test]
fn the_table_shows_the_parts_of_each_transaction_below_it() {
    let site = site();
    let at = site.addr();
    let inner = parent("Inner", [plan::get(at, "/status/204")]);
    let outer = parent("Outer", [plan::get(at, "/hello"), inner]);
    let folder = Folder::with_plan([plan::group(1, 2).with(outer)]);
    let ended = folder.swell(&["run", "plan.jmx"]).exits(0);
    let text = ended.out;
    let of_transactions = text.lines().skip_while(|line| !line.starts_with("transactions, not in the total"));
    let labels: Vec<_> = of_transactions.skip(1).take(5).map(|line| line[..24].trim_end()).collect();
    assert_eq!(labels, ["Outer", "  /hello", "  Inner", "Inner", "  /status/204"], "{text}");
}

#[test]
fn a_report_says_that_samples_inside_of_transactions_are_not_in_the_file() {
    let site = site();
    let at = site.addr();
    let all = parent("All", [plan::get(at, "/hello"), plan::get(at, "/status/204")]);
    let folder = Folder::with_plan([plan::group(1, 3).with(all)]);
    let said = "6 samples inside transactions have no rows in the file and are in no figure; run with \
        -Jjmeter.save.saveservice.subresults=true to save them";
    for format in ["csv", "xml"] {
        let output = format!("jmeter.save.saveservice.output_format={format}");
        for (saved, is_hidden) in [("false", true), ("true", false)] {
            let subresults = format!("jmeter.save.saveservice.subresults={saved}");
            folder
                .swell(&["run", "plan.jmx", "-f", "-l", "r.jtl", "-J", &output, "-J", &subresults])
                .exits(0);
            let ended = folder.swell(&["report", "r.jtl", "-f", "-o", "r.html"]).exits(0);
            assert_eq!(ended.err.contains(said), is_hidden, "{format}, {subresults}: {ended}");
            assert_eq!(folder.report("r.html").contains(said), is_hidden, "{format}, {subresults}");
        }
    }
}
