//! The Parallel Controller: parallel branches, their effects, and who receives their samples.

use crate::bench::{Bench, Ran, calmly, element, group, java, plan, sampler, text};

const MS: i64 = 1_000_000;
const CLASS: &str = "com.blazemeter.jmeter.controller.ParallelSampler";

fn parallel(parent: bool, more: &str, below: &[String]) -> String {
    let properties = format!(r#"<boolProp name="PARENT_SAMPLE">{parent}</boolProp>{more}"#);
    element(CLASS, "P", &properties, &below.concat())
}

fn run(users: u32, loops: i32, below: &[String]) -> Ran {
    Bench::default().run(&plan(&group("G", users, loops, "", &below.concat())))
}

fn simple(name: &str, below: &[String]) -> String {
    element("GenericController", name, "", &below.concat())
}

fn action(action: i32, target: i32) -> String {
    let properties = [
        text("ActionProcessor.action", &action.to_string()),
        text("ActionProcessor.target", &target.to_string()),
    ];
    element("TestAction", "act", &properties.concat(), "")
}

#[test]
fn branches_run_at_once_within_one_sample() {
    let branches =
        [java("a", "OK", 300), simple("S", &[java("b", "OK", 100), java("c", "OK", 100)]), sampler("d")];
    let Some(ran) = calmly(|| run(1, 1, &[parallel(true, "", &branches), sampler("after")])) else { return };
    assert_eq!(ran.labels(), ["P", "after"]);
    let whole = &ran.heard[0];
    assert_eq!(whole.subs, ["d", "b", "c", "a"], "as they end");
    assert!((300..500).contains(&(whole.elapsed_ns / MS)), "{}", whole.elapsed_ns / MS);
    assert_eq!((&*whole.code, &*whole.message, whole.success), ("200", "OK", true));
    assert!(ran.heard[1].start_ns >= whole.end_ns);
}

#[test]
fn a_branch_that_fails_fails_the_whole() {
    let ran = run(1, 1, &[parallel(true, "", &[sampler("a"), java("b", "NO", 0)])]);
    assert!(!ran.heard[0].success);
    let stop = text("ThreadGroup.on_sample_error", "stopthread");
    let below =
        [parallel(true, "", &[simple("S", &[java("a", "NO", 0), sampler("b")])]), sampler("never")].concat();
    let ran = Bench::default().run(&plan(&group("G", 1, 2, &stop, &below)));
    assert_eq!(ran.labels(), ["P"], "the user acts on the whole");
    assert_eq!(ran.heard[0].subs, ["a", "b"], "the branch does not");
}

#[test]
fn without_a_sample_of_the_whole_listeners_hear_of_each() {
    let ran = run(1, 2, &[parallel(false, "", &[java("a", "OK", 60), sampler("b")]), sampler("after")]);
    assert_eq!(ran.labels(), ["b", "a", "after", "b", "a", "after"]);
    assert_eq!(ran.heard[0].thread, "parallel P", "as the plug-in names the threads of its pool");
    assert_eq!((ran.outcome.samples, ran.outcome.users), (6, 1));
    let spent = ran.outcome.spent;
    assert!(spent.waited_ns + spent.sampled_ns > spent.lived_ns / 2, "{spent:?}");
}

#[test]
fn variables_go_into_branches_and_come_back() {
    let set = |name: &str, value: &str, wait_ms: u32| {
        java(&format!("${{__chooseRandom({value},{value},{name})}}"), "OK", wait_ms)
    };
    let branches = [
        simple("A", &[set("x", "1${y}", 50), sampler("a ${x}")]),
        simple("B", &[set("z", "3${y}", 0), sampler("b ${z}")]),
    ];
    let first = java("${__chooseRandom(2,2,y)}", "OK", 0);
    let ran = run(1, 1, &[first, parallel(true, "", &branches), sampler("${x} ${y} ${z}")]);
    assert_eq!(ran.heard[1].subs, ["32", "b 32", "12", "a 12"]);
    assert_eq!(ran.labels()[2], "12 2 32");
}

#[test]
fn a_limit_lets_some_wait_for_others() {
    let limit = r#"<boolProp name="LIMIT_MAX_THREAD_NUMBER">true</boolProp><stringProp name="MAX_THREAD_NUMBER">${__P(lanes,2)}</stringProp>"#;
    let branches = [java("a", "OK", 200), java("b", "OK", 100), java("c", "OK", 200), sampler("d")];
    let ran = run(1, 1, &[parallel(true, limit, &branches)]);
    assert_eq!(ran.heard[0].subs, ["b", "a", "d", "c"]);
    assert!(ran.heard[0].elapsed_ns >= 300 * MS);
}

#[test]
fn controllers_work_in_branches_and_parallels_in_parallels() {
    let loops = [
        text("LoopController.loops", "2"),
        r#"<boolProp name="LoopController.continue_forever">false</boolProp>"#.to_owned(),
    ];
    let looped = element("LoopController", "L", &loops.concat(), &sampler("l"));
    let condition = [
        text("IfController.condition", "${__P(no,false)}"),
        r#"<boolProp name="IfController.useExpression">true</boolProp>"#.to_owned(),
    ];
    let never = element("IfController", "I", &condition.concat(), &sampler("never"));
    let inner = parallel(true, "", &[java("x", "OK", 40), sampler("y")]);
    let ran = run(2, 2, &[parallel(true, "", &[simple("S", &[looped, never]), inner])]);
    assert_eq!(ran.heard.len(), 4);
    for whole in &ran.heard {
        assert_eq!(whole.subs, ["l", "l", "P"]);
    }
    assert_eq!(ran.outcome.users, 2);
}

#[test]
fn an_action_in_a_branch_reaches_its_user() {
    let stop = parallel(false, "", &[simple("S", &[sampler("a"), action(0, 0), sampler("never")])]);
    assert_eq!(run(1, 3, &[stop, sampler("after")]).labels(), ["a"], "stop thread");
    let next = parallel(false, "", &[simple("S", &[sampler("a"), action(3, 0), sampler("never")])]);
    assert_eq!(run(1, 2, &[next, sampler("after")]).labels(), ["a", "a"], "next thread loop");
}

#[test]
fn transactions_around_and_within() {
    let around = |parent: bool, below: &str| {
        element(
            "TransactionController",
            "T",
            &format!(r#"<boolProp name="TransactionController.parent">{parent}</boolProp>"#),
            below,
        )
    };
    let ran = run(1, 1, &[around(false, &parallel(false, "", &[sampler("a"), java("b", "NO", 30)]))]);
    assert_eq!(ran.labels(), ["a", "b", "T"]);
    assert!(!ran.heard[2].success, "it hears of the branches");
    let ran = run(1, 1, &[around(true, &parallel(true, "", &[sampler("a")]))]);
    assert_eq!((ran.labels(), &ran.heard[0].subs), (vec!["T"], &vec!["P".to_owned()]));
    let ran =
        run(1, 1, &[parallel(true, "", &[around(false, &sampler("a")), around(true, &java("b", "OK", 50))])]);
    // As the plug-in: what is in a transaction's sample is also next to it, and one without is
    // lost.
    assert_eq!(ran.heard[0].subs, ["a", "b", "T"]);
}

#[test]
fn nothing_to_run_is_a_sample_of_nothing() {
    let ran = run(1, 2, &[parallel(true, "", &[])]);
    assert_eq!((ran.labels(), ran.heard[0].success), (vec!["P", "P"], true));
}

#[test]
fn a_stop_at_once_cuts_branches() {
    let stop = group("Stop", 1, 1, "", &[java("s", "OK", 200), action(2, 2)].concat());
    let slow = group("G", 1, 1, "", &parallel(true, "", &[java("a", "OK", 60_000), java("b", "OK", 60_000)]));
    let ran = Bench::default().run(&plan(&[slow, stop].concat()));
    assert!(ran.outcome.ended_ns - ran.outcome.started_ns < 10_000 * MS);
    assert_eq!(ran.outcome.cut, 2);
}
