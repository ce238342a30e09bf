//! The JSON Schemas in `docs/reference` describe the files that the command really writes. A field
//! that a schema does not name fails these tests, although schemas allow readers to meet new
//! fields.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Folder, site};

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

fn schema(name: &str) -> Value {
    let path = reference().join(format!("{name}.schema.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// The same schema without fields that it does not name.
fn closed(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            fields.values_mut().for_each(closed);
        }
        Value::Array(items) => items.iter_mut().for_each(closed),
        _ => {}
    }
}

/// What is wrong with a value.
fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(schema).expect("a valid schema");
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[track_caller]
fn describes(name: &str, text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
    let mut closed_schema = schema(name);
    closed(&mut closed_schema);
    let found = errors(&closed_schema, &value);
    assert!(found.is_empty(), "docs/reference/{name}.schema.json does not describe this: {found:#?}\n{text}");
    value
}

#[test]
fn a_schema_finds_what_is_wrong() {
    let folder = Folder::new();
    folder.write("plan.jmx", include_str!("../../../../examples/first.jmx"));
    let mut checked = describes("check", &folder.swell(&["check", "--json", "plan.jmx"]).exits(0).out);
    checked["elements"][0]["line"] = json!("four");
    assert_eq!(errors(&schema("check"), &checked).len(), 1);
    // Readers must expect new fields.
    checked["elements"][0]["line"] = json!(4);
    checked["later"] = json!(true);
    assert!(errors(&schema("check"), &checked).is_empty());
}

#[test]
fn checks_of_plans_are_described() {
    let folder = Folder::new();
    folder.write("broken.jmx", "<jmeterTestPlan><hashTree>");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for name in ["first.jmx", "flood.jmx", "sine.jmx", "jdbc.jmx"] {
        fs::copy(examples.join(name), folder.at(name)).expect("the example is there");
    }
    let all = ["check", "--json", "first.jmx", "flood.jmx", "sine.jmx", "jdbc.jmx", "broken.jmx"];
    for line in folder.swell(&all).out.lines() {
        describes("check", line);
        count += 1;
    }
    assert_eq!(count, 5);
    let summary = describes("check-summary", &folder.swell(&["check", ".", "--json", "--summary"]).out);
    assert_eq!((&summary["totals"]["plans"], &summary["totals"]["well_formed"]), (&json!(5), &json!(4)));
    assert_eq!(summary["plans"].as_array().map(Vec::len), Some(5));
    for line in folder.swell(&["check", ".", "--json", "--properties"]).out.lines() {
        let found = describes("properties", line);
        if found["plan"].as_str().is_some_and(|plan| plan.ends_with("first.jmx")) {
            let users = json!({ "name": "users", "defaults": ["10"] });
            assert!(found["properties"].as_array().is_some_and(|all| all.contains(&users)), "{found}");
        }
    }
}

#[test]
fn the_folder_of_a_run_and_a_comparison_are_described() {
    let folder = Folder::new();
    folder.write("plan.jmx", include_str!("../../../../examples/first.jmx"));
    let run = |name: &str| {
        let args = [
            "run",
            "plan.jmx",
            "--with-target",
            "-Jseconds=1",
            "--threshold",
            "errors<=1%",
            "--run-dir",
            name,
        ];
        folder.swell(&args).exits(0);
    };
    run("a");
    run("b");
    describes("run", &folder.read("a/run.json"));
    describes("summary", &folder.read("a/summary.json"));
    let outcome = describes("outcome", &folder.read("a/outcome.json"));
    assert_eq!(outcome["thresholds"].as_array().map(Vec::len), Some(1));
    let events = folder.read("a/events.ndjson");
    assert!(events.lines().count() >= 2, "{events}");
    events.lines().for_each(|line| _ = describes("event", line));
    describes("comparison", &folder.swell(&["compare", "a", "b", "--json"]).exits(0).out);
}

#[test]
fn traces_are_described() {
    let folder = Folder::new();
    folder.write("plan.jmx", include_str!("../../../../examples/first.jmx"));
    let traced = folder.swell(&["debug", "plan.jmx", "--with-target", "--json"]).exits(0);
    let events: Vec<_> = traced.out.lines().map(|line| describes("trace", line)).collect();
    let kinds: Vec<_> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, ["start", "iteration", "step", "user_end", "end"]);
}

#[test]
fn searches_are_described() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/fail?every=2", site.addr());
    let args = [
        "search",
        &url,
        "--users",
        "1..2",
        "--slo",
        "errors<1%",
        "--trial",
        "1s",
        "--warm-up",
        "0s",
        "-o",
        "out",
    ];
    folder.swell(&args);
    let found = describes("search", &folder.read("out/search.json"));
    assert!(found["answer"]["words"].is_string(), "{found}");
}

#[test]
fn sweeps_are_described() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/pool?workers={{workers}}&service=1ms", site.addr());
    let sweep = |more: &[&str]| {
        folder.swell(&[&["sweep", &url, "--setting", "workers=1", "--each", "1s"], more].concat()).exits(0);
    };
    sweep(&["--vary", "users=1,2", "-o", "sweep"]);
    let surface = describes("surface", &folder.read("sweep/surface.json"));
    assert_eq!(surface["cells"].as_array().map(Vec::len), Some(2));
    sweep(&["--search", "users=1..2", "--slo", "mean<9s", "-o", "capacity"]);
    describes("capacity", &folder.read("capacity/capacity.json"));
}

#[test]
fn matrices_are_described() {
    let folder = Folder::new();
    let args = [
        "matrix",
        "--tools",
        "swell",
        "--rtt",
        "1ms",
        "--users",
        "2",
        "--duration",
        "1s",
        "--rounds",
        "1",
        "-o",
        "out",
    ];
    folder.swell(&args).exits(0);
    let matrix = describes("matrix", &folder.read("out/matrix.json"));
    assert_eq!(matrix["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn every_schema_is_valid_and_listed() {
    let list = fs::read_to_string(reference().join("schemas.md")).expect("the list is there");
    let names: Vec<_> = fs::read_dir(reference())
        .expect("the folder is there")
        .filter_map(|entry| {
            entry.expect("readable").file_name().to_str()?.strip_suffix(".schema.json").map(str::to_owned)
        })
        .collect();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        assert!(jsonschema::draft202012::meta::is_valid(&schema(&name)), "{name}");
        assert!(list.contains(&format!("]({name}.schema.json)")), "schemas.md does not list {name}");
    }
}

#[test]
fn plans_as_text() {
    let folder = Folder::new();
    folder.write("plan.jmx", include_str!("../../../../examples/first.jmx"));
    let shown = describes("plan", &folder.swell(&["show", "plan.jmx", "--json"]).exits(0).out);
    assert!(shown["elements"].as_array().is_some_and(|elements| elements.len() > 3), "{shown}");
    let set = ["set", "plan.jmx", "/**/HTTP Request/path=/${nowhere}", "-o", "new.jmx"];
    folder.swell(&set).exits(0);
    folder.swell(&["set", "new.jmx", "/*/enabled=false", "/**/HTTP Request/testname=x", "-i"]).exits(0);
    let differences =
        describes("plan-diff", &folder.swell(&["diff", "plan.jmx", "new.jmx", "--json"]).exits(1).out);
    let whats: Vec<_> =
        differences["differences"].as_array().expect("a list").iter().map(|one| &one["what"]).collect();
    assert!(["enabled", "renamed", "property"].iter().all(|what| whats.contains(&&json!(what))), "{whats:?}");
    folder.swell(&["set", "plan.jmx", "/**/HTTP Request/path=/${nowhere}", "-i"]).exits(0);
    let linted = describes("lint", &folder.swell(&["lint", "plan.jmx", "--json"]).exits(1).out);
    assert_eq!(linted["findings"][0]["rule"], "variable-never-set", "{linted}");
}

#[test]
fn imports() {
    let folder = Folder::new();
    folder.write(
        "r.sh",
        "curl -v http://localhost/\nwget http://localhost/\ncurl -X DELETE http://localhost/\n",
    );
    let told = describes("import", &folder.swell(&["import", "r.sh", "-o", "r.jmx", "--json"]).exits(1).out);
    let outcomes: Vec<_> =
        told["notes"].as_array().expect("a list").iter().map(|note| &note["outcome"]).collect();
    for outcome in ["taken", "changed", "left out", "not needed"] {
        assert!(outcomes.contains(&&json!(outcome)), "{outcome}: {told}");
    }
    assert_eq!((&told["requests"], &told["complete"]), (&json!(2), &json!(false)));
}
