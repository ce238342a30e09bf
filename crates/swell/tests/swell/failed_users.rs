//! Users that an error ended are in the summary and in the verdict.

use swell_plan::{Element, Node};

use crate::support::{Folder, jmeter, plan};

/// Users who take a sample, and of whom this many then meet a controller that cannot be evaluated.
fn folder(users: u32, failing: u32) -> Folder {
    let controller = |condition: String| {
        let element = Element::new("IfController", "IfControllerPanel", "if")
            .with_text("IfController.condition", &condition)
            .with_flag("IfController.useExpression", true);
        Node::new(element).with(plan::nap(0))
    };
    // The function wants numbers.
    let good = plan::group(users - failing, 2).with(plan::nap(0)).with(controller("true".to_owned()));
    let bad = plan::group(failing, 2).with(plan::nap(0)).with(controller("${__intSum(x,1)}".to_owned()));
    Folder::with_plan([good, bad])
}

#[test]
fn users_that_an_error_ended_are_counted_with_their_cause_and_judged() {
    let many = folder(4, 2);
    let said = "error: 2 of 4 users were ended by an error, and made no further load: 2 by java.lang.NumberFormatException";
    let judged = "INVALID   50 % of the users were ended by an error, so their load is missing";
    many.swell(&["run", "plan.jmx"]).exits(0).says(&[said]).prints(&["unusable", judged]);
    many.swell(&["run", "plan.jmx", "--strict"]).exits(111);
    let json = many.swell(&["run", "plan.jmx", "--json"]).exits(0).json();
    let ended = &json["users"]["ended_by_errors"];
    assert_eq!(ended[0]["users"], 2, "{json}");
    assert!(
        ended[0]["cause"].as_str().is_some_and(|cause| cause.contains("NumberFormatException")),
        "{ended}"
    );
    // The other users go on.
    assert_eq!(json["total"]["samples"], 2 * 4 + 2, "{json}");
    let few = folder(40, 1).swell(&["run", "plan.jmx", "--json"]).exits(0).json();
    let gates = few["verdict"]["gates"].as_array().expect("gates").clone();
    let gate = gates.iter().find(|gate| gate["criterion"] == "FailedUsers").expect("it is judged");
    assert_eq!((gate["level"].as_str(), gate["value"].as_f64()), (Some("DEGRADED"), Some(0.025)), "{gate}");
}

#[test]
fn without_such_users_nothing_is_said_of_them() {
    let ended =
        Folder::with_plan([plan::group(2, 2).with(plan::nap(0))]).swell(&["run", "plan.jmx", "--json"]);
    let json = ended.exits(0).json();
    assert_eq!(json["users"]["ended_by_errors"].as_array().map(Vec::len), Some(0), "{json}");
}

#[test]
fn an_error_of_a_script_that_ends_its_users_is_counted() {
    if jmeter().is_none() {
        return;
    }
    let script = Element::new("JSR223Sampler", "TestBeanGUI", "full")
        .with_text("cacheKey", "true")
        .with_text("scriptLanguage", "groovy")
        .with_text("script", "throw new OutOfMemoryError('made up')");
    let folder = Folder::with_plan([plan::group(2, 3).with(plan::nap(0)).with(Node::new(script))]);
    let ended = folder.swell(&["run", "plan.jmx", "--scripts", "jvm"]).exits(0);
    ended
        .says(&["error: 2 of 2 users were ended by an error", "2 by java.lang.OutOfMemoryError: made up"])
        .prints(&["unusable", "100 % of the users were ended by an error"]);
}

#[test]
fn a_jvm_that_cannot_start_ends_the_run_at_once() {
    if jmeter().is_none() {
        return;
    }
    // It looks like Java 17, and its program ends with status 3.
    let script = Element::new("JSR223Sampler", "TestBeanGUI", "script")
        .with_text("scriptLanguage", "groovy")
        .with_text("script", "log.info('x')");
    let folder = Folder::with_plan([plan::group(2, 3).with(plan::nap(0)).with(Node::new(script))]);
    for (name, text) in [("release", "JAVA_VERSION=\"17.0.1\"\n"), ("lib/server/libjvm.so", "")] {
        let file = folder.at(&format!("java/{name}"));
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
    let args = ["run", "plan.jmx", "-l", "out.jtl", "--scripts", "jvm", "--java-home", "java"];
    let ended = folder.swell(&args).exits(107);
    ended.says(&["error: the JVM cannot be used: ", "nothing was run"]).prints(&["no verdict"]);
}
