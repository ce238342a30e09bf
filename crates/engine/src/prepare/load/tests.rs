//! Fields of thread groups as plans contain them.

use std::sync::Arc;

use swell_expr::testing::TestHost;
use swell_expr::{ForeignFunctions, Properties, RunInfo};
use swell_plan::{Element, Node, Property, PropertyValue};

use super::*;
use crate::Settings;
use crate::schedule::ScheduleMode;

const S: i64 = 1_000_000_000;

fn main_with(properties: &[(&str, &str)]) -> MainContext {
    let props = Properties::default();
    for (name, value) in properties {
        props.set(name, value);
    }
    let settings = Settings {
        props: Arc::new(props),
        host: Arc::new(TestHost::default()),
        run: Arc::new(RunInfo::default()),
        functions: ForeignFunctions::default(),
        edit: None,
        trace: None,
    };
    MainContext::new(&settings, None)
}

fn group(class: &str, texts: &[(&str, &str)]) -> Element {
    texts.iter().fold(Element::new(class, "G", "g"), |group, (name, text)| group.with_text(name, text))
}

fn rows(group: Element, name: &str, rows: &[&[&str]]) -> Element {
    let cell = |text: &&str| Property::new("1", PropertyValue::Text((*text).to_owned()));
    let row =
        |cells: &&[&str]| Property::new("2", PropertyValue::Collection(cells.iter().map(cell).collect()));
    group.with(name, PropertyValue::Collection(rows.iter().map(row).collect()))
}

/// What the table says of the class of a group.
fn load_of(group: &Element, main: &MainContext) -> Load {
    let registry = swell_api::Registry::of(crate::kinds());
    let (_, load) =
        super::super::own_load_of(&Node::new(group.clone()), &registry, main).expect("a thread group");
    load
}

/// Starts in milliseconds, and the end in seconds.
fn starts(group: &Element, main: &MainContext) -> (Vec<i64>, Option<i64>) {
    let origin = Origin { start_ns: 0, compat: false };
    let schedule = schedule(group, &load_of(group, main), main, origin).unwrap();
    let starts = schedule.starts().map(|start| start.start_ns / 1_000_000).collect();
    (starts, schedule.end_ns().map(|end_ns| end_ns / S))
}

const CONCURRENCY: &str = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
const ARRIVALS: &str = "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup";
const FREE_FORM: &str = "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup";
const ULTIMATE: &str = "kg.apc.jmeter.threads.UltimateThreadGroup";
const STEPPING: &str = "kg.apc.jmeter.threads.SteppingThreadGroup";

#[test]
fn fields_may_hold_functions_in_every_kind() {
    let main = main_with(&[("n", "2"), ("t", "4")]);
    let fields = [
        ("ThreadGroup.num_threads", "${__P(n)}"),
        ("Start users count", "1"),
        ("Start users period", "${__P(t)}"),
        ("flighttime", "1"),
    ];
    assert_eq!(starts(&group(STEPPING, &fields), &main), (vec![0, 4000], Some(5)));
    let group_rows =
        rows(group(ULTIMATE, &[]), "ultimatethreadgroupdata", &[&["${__P(n)}", "1", "0", "${__P(t)}", "0"]]);
    assert_eq!(starts(&group_rows, &main), (vec![1000, 1000], Some(5)));
    let fields = [("TargetLevel", "${__P(n)}"), ("RampUp", "0"), ("Hold", "${__P(t)}"), ("Unit", "M")];
    assert_eq!(starts(&group(CONCURRENCY, &fields), &main), (vec![0, 0], Some(240)));
    let fields = [("TargetLevel", "60"), ("Hold", "0.05"), ("Unit", "M")];
    assert_eq!(starts(&group(ARRIVALS, &fields), &main), (vec![0, 1000, 2000], Some(3)));
    let free = rows(group(FREE_FORM, &[("Unit", "S")]), "Schedule", &[&["1", "1", "${__P(n)}"]]);
    assert_eq!(starts(&free, &main), (vec![0, 1000, 2000], Some(2)));
    let fields = [
        ("OpenModelThreadGroup.schedule", "rate(${__P(n)}/s) even_arrivals(1 s)"),
        ("OpenModelThreadGroup.random_seed", ""),
    ];
    assert_eq!(starts(&group("OpenModelThreadGroup", &fields), &main), (vec![0, 500], Some(1)));
}

#[test]
fn the_property_of_the_run_comes_before_the_rows_of_the_plan() {
    let main = main_with(&[("threads_schedule", "spawn(1,3s,0s,1s,0s)")]);
    let plan = rows(group(ULTIMATE, &[]), "ultimatethreadgroupdata", &[&["2", "1", "0", "4", "0"]]);
    assert_eq!(starts(&plan, &main), (vec![3000], Some(4)));
    let old = rows(group(ULTIMATE, &[]), "threads_schedule", &[&["1", "1", "0", "4", "0"]]);
    assert_eq!(starts(&old, &main_with(&[])), (vec![1000], Some(5)));
}

#[test]
fn limits_of_arrivals() {
    let main = main_with(&[]);
    let fields = [("TargetLevel", "10"), ("Hold", "60"), ("ArrivalsLimit", "2"), ("ConcurrencyLimit", "7")];
    let group = group(ARRIVALS, &fields);
    let origin = Origin { start_ns: 0, compat: false };
    let schedule = schedule(&group, &load_of(&group, &main), &main, origin).unwrap();
    assert_eq!(schedule.starts().count(), 2);
    assert!(matches!(schedule.mode(), ScheduleMode::Iterations { at_most: Some(7) }));
}

#[test]
fn what_is_wrong_is_said_before_the_run_if_it_is_known_then() {
    let said = |group: &Element| {
        let main = main_with(&[]);
        check_constants(group, &load_of(group, &main), &main);
        let found = main.compile.diagnostics.take();
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let open =
        |schedule: &str| said(&group("OpenModelThreadGroup", &[("OpenModelThreadGroup.schedule", schedule)]));
    assert!(
        open("rate(1/s) random_arrivals(5)").contains("character 28"),
        "{}",
        open("rate(1/s) random_arrivals(5)")
    );
    assert_eq!(open("${schedule}"), "");
    let stepping = |users: &str| said(&group(STEPPING, &[("ThreadGroup.num_threads", users)]));
    assert!(stepping("many").contains("not a whole number"));
    assert_eq!(stepping("${__P(many)}"), "");
    let row = rows(
        group(ULTIMATE, &[]),
        "ultimatethreadgroupdata",
        &[&["2", "1", "0", "4", "0"], &["2", "1.5", "0", "4", "0"]],
    );
    assert!(said(&row).contains("row 2, column 2"), "{}", said(&row));
    let two = rows(
        group(ULTIMATE, &[]),
        "ultimatethreadgroupdata",
        &[&["2", "1", "0", "4", "0", "x"], &["2", "1"]],
    );
    assert!(said(&two).contains("row 2 of `ultimatethreadgroupdata` has 2 of 5 columns"), "{}", said(&two));
    let concurrency = |hold: &str| said(&group(CONCURRENCY, &[("TargetLevel", "1"), ("Hold", hold)]));
    assert!(concurrency("long").contains("`Hold` is `long`"));
    assert_eq!(concurrency("1.5") + &concurrency("") + &concurrency("${x}"), "");
}

#[test]
fn a_target_that_is_no_constant_can_change() {
    assert!(target_varies(&group(CONCURRENCY, &[("TargetLevel", "${__P(n,3)}")])));
    assert!(!target_varies(&group(CONCURRENCY, &[("TargetLevel", "3")])));
    let varying = group(CONCURRENCY, &[("TargetLevel", "${__P(n,3)}")]);
    assert_eq!((target(&varying, &main_with(&[])), target(&varying, &main_with(&[("n", "-1")]))), (3, 0));
}
