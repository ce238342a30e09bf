//! A plug-in jar that is named nowhere in Swell: what its classes are is read from the jar.

use swell_plan::{Element, Node};

use crate::support::{Ended, Folder, plan, plugin_jar, site};

fn odd(class: &str, name: &str) -> Element {
    Element::new(&format!("org.nowhere.odd.{class}"), "org.nowhere.odd.Gui", name)
}

fn knock(name: &str, text: &str) -> Node {
    Node::new(odd("Knock", name).with_text("Knock.text", text))
}

/// A group whose elements of the plug-in are called one by one.
fn group() -> Node {
    plan::group(1, 1)
        .with(Node::new(odd("Pause", "pause")))
        .with(Node::new(odd("Ledger", "ledger").with_text("Ledger.file", "ledger.txt")))
}

/// The value of a column in the rows of `out.jtl`.
fn column(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.read("out.jtl");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = lines.next().expect("a header").iter().position(|column| *column == name).expect("the column");
    lines.map(|line| line[at].to_owned()).collect()
}

fn swell(folder: &Folder, args: &[&str]) -> Ended {
    folder.swell(&[args, &["-Jsearch_paths=odd.jar"]].concat())
}

/// What `swell check` says of each class: how it is run and why.
fn checked(folder: &Folder) -> Vec<(String, String, String)> {
    let ended = swell(folder, &["check", "plan.jmx", "--json"]).exits(0);
    let json = ended.json();
    let elements = json["elements"].as_array().expect("elements").iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    elements.map(|of| (text(&of["class"]), text(&of["support"]), text(&of["why"]))).collect()
}

fn of<'a>(checked: &'a [(String, String, String)], class: &str) -> (&'a str, &'a str) {
    let found = checked
        .iter()
        .find(|(of, _, _)| of.ends_with(class))
        .unwrap_or_else(|| panic!("{class}: {checked:?}"));
    (&found.1, &found.2)
}

#[test]
fn its_elements_and_functions_run_in_a_native_plan() {
    let site = site();
    let group =
        group().with(plan::get(site.addr(), "/bytes/10")).with(knock("${__oddShout(knock)}", "${paused}"));
    let folder = Folder::with_plan([group]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let checked = checked(&folder);
    for class in ["Pause", "Ledger", "Knock"] {
        let (support, why) = of(&checked, class);
        assert!(support == "jvm" && why.contains("odd.jar"), "{class}: {support} {why}");
    }
    assert_eq!(of(&checked, "HTTPSamplerProxy").0, "native");
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(column(&folder, "label"), ["/bytes/10", "KNOCK!"]);
    assert_eq!(column(&folder, "responseMessage"), ["OK", "yes"]);
    assert_eq!(folder.read("ledger.txt"), "/bytes/10\nKNOCK!\n");
}

#[test]
fn its_controller_has_the_thread_group_run_whole_on_jmeters_engine() {
    let site = site();
    let twice = Node::new(odd("Twice", "twice"))
        .with(plan::get(site.addr(), "/bytes/10"))
        .with(knock("knock", "${paused}"));
    let other = plan::group(1, 1).with(plan::get(site.addr(), "/bytes/20"));
    let folder = Folder::with_plan([group().with(twice), other]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let checked = checked(&folder);
    let (support, why) = of(&checked, "Twice");
    assert!(support == "jvm" && why.contains("it is a controller, from odd.jar"), "{why}");
    let http: Vec<_> = checked.iter().filter(|(class, _, _)| class == "HTTPSamplerProxy").collect();
    assert!(
        http[0].1 == "jvm" && http[0].2.contains("because of `twice` (org.nowhere.odd.Twice)"),
        "{http:?}"
    );
    assert_eq!(http[1].1, "native", "the other group");
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let mut labels = column(&folder, "label");
    labels.sort();
    assert_eq!(labels, ["/bytes/10", "/bytes/10", "/bytes/20", "knock", "knock"]);
    assert_eq!(folder.read("ledger.txt"), "/bytes/10\n/bytes/10\nknock\nknock\n");
}

#[test]
fn what_has_two_roles_has_both() {
    let around = Node::new(odd("Around", "around"));
    let folder = Folder::with_plan([plan::group(1, 2).with(knock("k", "${around}")).with(around)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let (support, why) = (checked(&folder), "it is a pre-processor and post-processor, from odd.jar");
    assert!(of(&support, "Around").1.contains(why), "{support:?}");
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(column(&folder, "responseMessage"), ["x", "xxx"]);
}

#[test]
fn a_class_that_no_jar_has_is_named_also_where_jmeters_engine_would_run_it() {
    let twice = Node::new(odd("Twice", "twice")).with(Node::new(odd("AbsentSampler", "absent")));
    let listener = Node::new(odd("AbsentListener", "nobody"));
    let folder = Folder::with_plan([plan::group(1, 1).with(twice).with(listener)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let ended = swell(&folder, &["run", "plan.jmx"]);
    ended.refused(&["org.nowhere.odd.AbsentSampler", "no jar on JMeter's class path has its class"]);
    let twice = Node::new(odd("Twice", "twice")).with(knock("k", "m"));
    folder.write(
        "plan.jmx",
        plan::jmx([plan::group(1, 1).with(twice).with(Node::new(odd("AbsentListener", "nobody")))]),
    );
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(column(&folder, "label"), ["k", "k"]);
}

#[test]
fn a_config_element_that_nothing_reads_hears_of_the_start_and_the_end_of_the_test() {
    let door = Node::new(odd("Door", "door"));
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0)).with(door)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    assert_eq!(of(&checked(&folder), "Door").0, "jvm");
    swell(&folder, &["run", "plan.jmx"]).exits(0);
    assert_eq!(folder.read("door.txt"), "opened\nclosed\n");
}
