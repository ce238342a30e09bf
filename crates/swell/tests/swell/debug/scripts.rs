//! What scripts log, print and throw is shown at their step.

use serde_json::Value;

use super::*;
use crate::support::jmeter;

fn script(class: &str, name: &str, text: &str) -> String {
    el(class, name, &[("scriptLanguage", "groovy"), ("cacheKey", "true"), ("script", text)], "")
}

/// What the scripts of a plan with one request logged and printed, by their names.
fn outputs(
    folder: &Folder,
    server: &Server,
    scripts: &str,
    more: &[&str],
) -> Vec<(String, Vec<(String, String)>)> {
    folder.write("plan.jmx", plan(&http("GET", "/items", &[], scripts)));
    let traced = call(folder, server, &[&["debug", "plan.jmx", "--json"], more].concat()).run().exits(0);
    let events: Vec<Value> =
        traced.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let step = events.iter().find(|event| event["event"] == "step").unwrap_or_else(|| panic!("{traced}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = |action: &Value| {
        let lines = action["output"].as_array().cloned().unwrap_or_default();
        lines.iter().map(|line| (text(&line["level"]), text(&line["text"]))).collect()
    };
    let actions = step["actions"].as_array().expect("actions");
    actions.iter().map(|action| (text(&action["element"]["name"]), lines(action))).collect()
}

#[test]
fn lines_that_native_scripts_log_are_part_of_their_step() {
    let server = Server::start(shop);
    let folder = Folder::new();
    let scripts = script("JSR223PostProcessor", "sign", "log.info('signed ' + vars.get('flag'))");
    let outputs = outputs(&folder, &server, &scripts, &["--scripts", "native"]);
    let (_, lines) = outputs.iter().find(|(name, _)| name == "sign").unwrap_or_else(|| panic!("{outputs:?}"));
    assert_eq!(lines.len(), 1, "{outputs:?}");
    assert!(lines[0].0 == "info" && lines[0].1.ends_with(": signed yes"), "{lines:?}");
    let shown = call(&folder, &server, &["debug", "plan.jmx", "--all"]).run().exits(0);
    shown.prints(&["info: ", ": signed yes"]);
}

#[test]
fn scripts_on_the_jvm_show_what_they_log_print_set_and_throw() {
    if jmeter().is_none() {
        return;
    }
    let server = Server::start(shop);
    let folder = Folder::new();
    let speaks = "def names = ['a', 'b'].collect { it.toUpperCase() }\nlog.warn('names ' + names)\n\
                  println 'one'\nprint 'two ' + names\nOUT.println(' and three')\nprint 'no end'\n\
                  vars.put('made', names.join('-'))";
    let throws = "def text = 'x'\n\ntext.nowhere()";
    let scripts =
        script("JSR223PreProcessor", "speaks", speaks) + &script("JSR223PostProcessor", "throws", throws);
    let jvm = ["--scripts", "jvm"];
    let outputs = outputs(&folder, &server, &scripts, &jvm);
    let of = |wanted: &str| {
        let found = outputs.iter().find(|(name, _)| name == wanted);
        found.map_or_else(|| panic!("{outputs:?}"), |(_, lines)| lines.clone())
    };
    let speaks = of("speaks");
    let levels: Vec<&str> = speaks.iter().map(|(level, _)| level.as_str()).collect();
    assert_eq!(levels, ["warn", "output", "output", "output"], "{speaks:?}");
    assert!(speaks[0].1.ends_with(": names [A, B]"), "{speaks:?}");
    let printed: Vec<&str> = speaks[1..].iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(printed, ["one", "two [A, B] and three", "no end"]);
    let throws = of("throws");
    let (level, text) = throws.first().expect("the exception");
    assert!(level == "error" && text.contains("MissingMethodException"), "{throws:?}");
    let shown = call(&folder, &server, &[&["debug", "plan.jmx", "--all"], &jvm[..]].concat()).run().exits(0);
    let shown = shown.prints(&["sets made = \"A-B\"", "output: two [A, B] and three", "line 3"]);
    assert!(!shown.err.contains("and three"), "{shown}");
    // What passed shows what a person would look for, too.
    let short = call(&folder, &server, &[&["debug", "plan.jmx"], &jvm[..]].concat()).run().exits(0);
    short.prints(&["speaks (line ", "warn: ", "throws (line ", "error: "]);
}
