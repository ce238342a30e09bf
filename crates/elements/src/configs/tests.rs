//! Counter, Random Variable and User Parameters.

use std::sync::Arc;

use swell_expr::Context;
use swell_java::format::DecimalFormat;
use swell_plan::PropertyValue;

use crate::testing::{Bench, collection, element, property, text};
use crate::testing::{iteration_element, pre_processor};

/// Values of the variable `c` over iterations.
fn counts(properties: &[(&str, &str)], iterations: &[u64]) -> String {
    let bench = Bench::new();
    let full: Vec<_> =
        properties.iter().map(|(name, value)| (format!("CounterConfig.{name}"), *value)).collect();
    let full: Vec<_> = full.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let mut element = element("CounterConfig", &full);
    element.properties.push(text("CounterConfig.name", "c"));
    let counter = iteration_element(&element, &bench).expect("a known class");
    let mut cx = bench.user();
    let mut next = |iteration: &u64| {
        cx.iteration = *iteration;
        counter.iteration_start(&mut cx);
        read(&cx, "c")
    };
    iterations.iter().map(&mut next).collect::<Vec<_>>().join(" ")
}

fn read(cx: &Context, name: &str) -> String {
    cx.vars.get(name).map_or_else(|| "-".to_owned(), ToString::to_string)
}

#[test]
fn a_counter_counts_wraps_and_resets() {
    for (properties, iterations, wanted) in [
        (&[("start", "1"), ("end", "3"), ("incr", "1")][..], &[1, 2, 3, 4, 5][..], "1 2 3 1 2"),
        (&[("start", "5"), ("incr", "10")], &[1, 2, 3], "5 15 25"),
        (&[("start", "1"), ("end", "3"), ("incr", "1"), ("per_user", "true")], &[1, 2, 3, 4], "1 2 3 1"),
        (
            &[("start", "1"), ("incr", "1"), ("per_user", "true"), ("reset_on_tg_iteration", "true")],
            &[1, 1, 2, 2, 2, 3],
            "1 2 1 2 3 1",
        ),
        (&[("start", "1"), ("incr", "1"), ("reset_on_tg_iteration", "true")], &[1, 1, 2, 2], "1 2 3 4"),
        (&[("start", "7"), ("incr", "1"), ("format", "user_000")], &[1, 2], "user_007 user_008"),
        (&[("start", "7"), ("incr", "1"), ("format", "0.0.0")], &[1], "7"),
        (&[], &[1, 2], "0 0"),
        (&[("start", "3"), ("end", "1"), ("incr", "1")], &[1, 2], "3 3"),
        (
            &[("start", "9223372036854775807"), ("incr", "1")],
            &[1, 2],
            "9223372036854775807 9223372036854775807",
        ),
    ] {
        assert_eq!(counts(properties, iterations), wanted, "{properties:?}");
    }
}

#[test]
fn a_global_counter_is_shared_by_workers_and_an_own_one_by_nobody() {
    for (per_user, wanted) in [("false", ["1", "2", "3", "4"]), ("true", ["1", "1", "2", "1"])] {
        let shared = Arc::default();
        let workers = [Bench::sharing(Arc::clone(&shared)), Bench::sharing(shared)];
        let properties = [
            ("CounterConfig.start", "1"),
            ("CounterConfig.incr", "1"),
            ("CounterConfig.name", "c"),
            ("CounterConfig.per_user", per_user),
        ];
        let element = element("CounterConfig", &properties);
        let counters = workers.each_ref().map(|bench| iteration_element(&element, bench).expect("known"));
        let mut users = [workers[0].user(), workers[1].user(), workers[0].user()];
        let found = [(0, 0), (1, 1), (0, 0), (0, 2)].map(|(worker, user): (usize, usize)| {
            counters[worker].iteration_start(&mut users[user]);
            read(&users[user], "c")
        });
        assert_eq!(found, wanted, "per_user {per_user}");
    }
}

fn randoms(properties: &[(&str, &str)], users: &[u32]) -> Vec<String> {
    let bench = Bench::new();
    let mut element = element("RandomVariableConfig", properties);
    element.properties.push(text("variableName", "r"));
    let random = iteration_element(&element, &bench).expect("a known class");
    let mut contexts: Vec<_> = (0..3).map(|number| bench.user_number(number)).collect();
    let mut next = |user: &u32| {
        let cx = &mut contexts[*user as usize];
        random.iteration_start(cx);
        read(cx, "r")
    };
    users.iter().map(&mut next).collect()
}

#[test]
fn seeded_random_variables_are_those_of_jmeter() {
    // new java.util.Random(10).nextInt(99999), three times.
    let properties = [("minimumValue", "1"), ("maximumValue", "99999"), ("randomSeed", "10")];
    assert_eq!(randoms(&properties, &[0, 1, 0]), ["2800", "1951", "32830"]);
    let own = [&properties[..], &[("perThread", "true")]].concat();
    assert_eq!(randoms(&own, &[0, 1, 0, 1]), ["2800", "2800", "1951", "1951"]);
}

#[test]
fn random_variables_stay_in_their_range_and_wrong_ranges_set_nothing() {
    for seed in ["", "abcd"] {
        let properties = [("minimumValue", "0"), ("maximumValue", "10"), ("randomSeed", seed)];
        for number in randoms(&properties, &[0; 100]) {
            assert!((0..=10).contains(&number.parse::<i32>().expect("a number")), "{number}");
        }
    }
    let wrong = [("minimumValue", "10"), ("maximumValue", "0")];
    assert_eq!(randoms(&wrong, &[0]), ["-"]);
    let formatted = [("minimumValue", "10"), ("maximumValue", "10"), ("outputFormat", "000.00")];
    assert_eq!(randoms(&formatted, &[0]), ["010.00"]);
}

fn user_parameters(per_iteration: &str) -> swell_plan::Element {
    let mut element = element("UserParameters", &[("UserParameters.per_iteration", per_iteration)]);
    element.properties.push(collection("UserParameters.names", &["a", "b"]));
    let columns = [collection("1", &["a0", "b0"]), collection("2", &["a1"])].to_vec();
    element.properties.push(property("UserParameters.thread_values", PropertyValue::Collection(columns)));
    element
}

#[test]
fn user_parameters_give_each_user_a_column() {
    let bench = Bench::new();
    let element = user_parameters("false");
    assert!(iteration_element(&element, &bench).is_none());
    let parameters = pre_processor(&element, &bench).expect("a known class");
    for (user, wanted) in [(0, ["a0", "b0"]), (1, ["a1", "-"]), (2, ["a0", "b0"])] {
        let mut cx = bench.user_number(user);
        parameters.process(&mut cx);
        assert_eq!([read(&cx, "a"), read(&cx, "b")], wanted, "user {user}");
    }
}

#[test]
fn user_parameters_once_an_iteration_leave_samplers_alone() {
    let bench = Bench::new();
    let element = user_parameters("true");
    let mut cx = bench.user();
    pre_processor(&element, &bench).expect("a known class").process(&mut cx);
    assert_eq!(read(&cx, "a"), "-");
    iteration_element(&element, &bench).expect("per iteration").iteration_start(&mut cx);
    assert_eq!(read(&cx, "a"), "a0");
}

/// Printed by OpenJDK 17 with the locale en-US.
#[test]
fn numbers_are_formatted_as_the_java_library_formats_them() {
    #[rustfmt::skip]
        let facts: &[(&str, i64, Option<&str>)] = &[
            ("0", 5, Some("5")),
            ("000", 5, Some("005")),
            ("000.00", 10, Some("010.00")),
            ("#", 0, Some("0")),
            ("#,##0", 1_234_567, Some("1,234,567")),
            ("#,##0.00", -1234, Some("-1,234.00")),
            ("00,00", 12345, Some("1,23,45")),
            ("'id'-000", 7, Some("id-007")),
            ("user000", 7, Some("user007")),
            ("user_0000", 12, Some("user_0012")),
            ("###.##", 12, Some("12")),
            ("#.", 12, Some("12.")),
            (".00", 12, Some("12.00")),
            ("0%", 12, Some("1200%")),
            ("0‰", 2, Some("2000‰")),
            ("0;(0)", -5, Some("(5)")),
            ("0;0-", -5, Some("5-")),
            ("'#'0", 5, Some("#5")),
            ("0''x", 5, Some("5'x")),
            ("x''", 5, Some("x'5")),
            ("0.0.0", 5, None),
            ("0#", 5, None),
            ("", 5, Some("5")),
            ("abc", 5, Some("abc5")),
            ("-0", 5, Some("-5")),
            ("-0", -5, Some("--5")),
            ("000000000000000000000000", i64::MIN, Some("-000009223372036854775808")),
            ("0", 0, Some("0")),
            ("#,###,##0", 1_234_567, Some("1,234,567")),
            ("#,#,##0", 1_234_567, Some("1,234,567")),
            ("#,", 5, None),
            ("0,", 5, None),
            ("#.#", 5, Some("5")),
            ("0;", 5, Some("5")),
            ("0;", -5, Some("-5")),
            (";0", 5, None),
            ("00.##00", 5, None),
            ("0 EUR", 5, Some("5 EUR")),
            ("%0", 5, Some("%500")),
            ("#'", 5, None),
            ("''", 5, Some("'5")),
            ("'a", 5, None),
            ("{0}", 5, Some("{5}")),
            ("00000X", 5, Some("00005X")),
            ("0X0", 5, Some("05X")),
            ("+0", 5, Some("+5")),
            ("a;b", -5, None),
            ("0.00;0", -5, Some("-5.00")),
            ("%05d", 5, Some("%5005d")),
            ("#0,000", 5, Some("0,005")),
            ("0%%", 5, None),
        ];
    for (pattern, number, wanted) in facts {
        let found = DecimalFormat::new(pattern).ok().map(|format| format.format_i64(*number));
        assert_eq!(found.as_deref(), *wanted, "pattern {pattern:?}, number {number}");
    }
}
