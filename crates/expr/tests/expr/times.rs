//! Time functions, compared with JMeter 5.6.3 on Java 17 in UTC and English.

use std::sync::Arc;

use proptest::prelude::*;
use swell_expr::testing::{TestHost, context_of};
use swell_java::time::{DatePattern, Defaults, Fields, parse_duration};

use crate::{check, compiler, fixed_seed};

fn eval(text: &str, zone: &str) -> (String, Vec<String>) {
    let compiler = compiler();
    let host = Arc::new(TestHost { time_zone: zone.to_owned(), ..TestHost::default() });
    let mut cx = context_of(compiler.names.clone(), host.clone());
    (compiler.template(text).eval(&mut cx).into_owned(), host.log_lines())
}

#[test]
fn as_jmeter_gives_them() {
    check(include_str!("tables/times.tsv"), |text| eval(text, "UTC").0);
}

#[test]
fn now() {
    check(include_str!("tables/now.tsv"), |text| eval(text, "America/New_York").0);
}

#[test]
fn aliases_come_from_properties() {
    let compiler = compiler();
    let mut cx = context_of(compiler.names.clone(), Arc::default());
    cx.props.set("time.YMD", "yyyy/MM/dd");
    cx.props.set("time.USER1", " /1000 ");
    assert_eq!(compiler.template("${__time(YMD)} ${__time(USER1)}").eval(&mut cx), "2017/07/14 1500000000");
}

#[test]
fn what_is_wrong_is_logged() {
    for (text, line) in [
        (
            "${__time(abcd)}",
            "Users 1-1 - __time: java.lang.IllegalArgumentException: Unable to parse date format abcd",
        ),
        ("${__timeShift(HHH,,,)}", "Format date pattern 'HHH' is invalid: Too many pattern letters: H"),
        (
            "${__RandomDate(,2020-01-02,2020-01-01)}",
            "__RandomDate: end 2020-01-01 must be after start 2020-01-02",
        ),
    ] {
        assert_eq!(eval(text, "UTC"), (String::new(), vec![line.to_owned()]), "{text}");
    }
    let (text, log) = eval("${__time(yyyy)}", "Nowhere/Land");
    assert_eq!(text, "2017");
    assert!(log[0].starts_with("unknown time zone `Nowhere/Land`, UTC is used"), "{log:?}");
}

#[test]
fn random_dates_stay_within_their_bounds() {
    let compiler = compiler();
    let mut cx = context_of(compiler.names.clone(), Arc::default());
    let template = compiler.template("${__RandomDate(,2020-02-28,2020-03-01,,)}");
    let mut seen: Vec<String> = (0..60).map(|_| template.eval(&mut cx).into_owned()).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["2020-02-28", "2020-02-29"]);
}

#[test]
fn durations() {
    for (text, ms) in [
        ("PT20.345S", Some(20_345)),
        ("PT15M", Some(900_000)),
        ("P2DT3H4M", Some(183_840_000)),
        ("PT-6H3M", Some(-21_420_000)),
        ("-PT-6H+3M", Some(21_420_000)),
        ("pt0,5s", Some(500)),
        ("PT-0.5S", Some(-500)),
        ("P", None),
        ("PT", None),
        ("P1DT", None),
        ("P1H", None),
        ("PT1H2H", None),
        ("PT1", None),
        ("1D", None),
        ("PT0.1234567890S", None),
        ("PT99999999999999999999S", None),
    ] {
        assert_eq!(parse_duration(text).map(|duration| duration.as_millis()), ms, "{text}");
    }
}

#[test]
fn what_a_pattern_formats_it_parses() {
    let moment = "2024-02-29T23:05:09.120+05:30[Asia/Kolkata]".parse::<jiff::Zoned>().expect("a moment");
    for pattern in [
        "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
        "d/M/yyyy h:m:s.SSS a Z",
        "EEEE, d MMMM yyyy HH:mm:ss.SSS OOOO",
        "yyyyMMddHHmmssSSSX",
        "uuuu-DDD kk:mm:ss.SSS xxxxx",
        "yy-MM-dd GGGG N O",
    ] {
        let parsed = DatePattern::new(pattern).expect(pattern);
        let mut text = String::new();
        parsed.format(&Fields::from(&moment), &mut text).expect(pattern);
        let fields =
            parsed.parse(&text, Defaults::default()).unwrap_or_else(|reason| panic!("{pattern}: {reason}"));
        assert_eq!(
            (fields.date, fields.time),
            (Some(moment.date()), Some(moment.time())),
            "{pattern}: {text}"
        );
        assert_eq!(fields.offset, Some(moment.offset()), "{pattern}: {text}");
    }
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn any_pattern_and_text_end_without_a_panic(pattern in pattern(), text in "[-+0-9A-Za-z:/ .é]{0,20}") {
        let Ok(pattern) = DatePattern::new(&pattern) else { return Ok(()) };
        let moment = "2024-02-29T23:05:09.120+05:30[Asia/Kolkata]".parse::<jiff::Zoned>().expect("a moment");
        let mut shown = String::new();
        let _ = pattern.format(&Fields::from(&moment), &mut shown);
        let defaults = Defaults { year: Some(2024), midnight: Some(moment.offset()) };
        for text in [&text, &shown] {
            let _ = pattern.parse(text, defaults);
            let _ = pattern.parse(text, Defaults::default());
        }
    }

    #[test]
    fn any_duration_ends_without_a_panic(text in "[-+]?P?[-+0-9DTHMS.,é]{0,30}") {
        let _ = parse_duration(&text);
    }
}

fn pattern() -> impl Strategy<Value = String> {
    let letters =
        prop::sample::select("GuyDMLdQqYwWEecFahKkHmsSAnNVzOXxZp'[]- :/é".chars().collect::<Vec<_>>());
    prop::collection::vec((letters, 1..6_usize), 0..8)
        .prop_map(|runs| runs.into_iter().map(|(letter, count)| letter.to_string().repeat(count)).collect())
}

#[test]
fn a_pattern_of_thousands_of_optional_parts_is_refused_instead_of_the_stack_running_out() {
    for pattern in ["[".repeat(50_000), format!("{}yyyy{}", "[".repeat(101), "]".repeat(101))] {
        let words = DatePattern::new(&pattern).map(drop).unwrap_err();
        assert_eq!(words, "Pattern nests optional parts ([...]) more than 100 deep");
    }
    let deep = DatePattern::new(&format!("{}yyyy{}", "[".repeat(100), "]".repeat(100))).unwrap();
    assert!(deep.parse("2020", Defaults::default()).is_ok());
}

#[test]
fn a_year_of_an_era_below_1_is_refused_as_in_java() {
    let pattern = DatePattern::new("yyyy-MM-dd").unwrap();
    for (text, year) in [("-4952-02-29", "-4952"), ("0000-01-01", "0")] {
        let words = pattern.parse(text, Defaults::default()).unwrap_err();
        let range = "valid values 1 - 999999999/1000000000";
        let wanted =
            format!("Text '{text}' could not be parsed: Invalid value for YearOfEra ({range}): {year}");
        assert_eq!(words, wanted);
    }
}

#[test]
fn a_month_that_no_year_has_shows_as_its_number_instead_of_a_panic() {
    let pattern = DatePattern::new("qqqqq 'Q'").unwrap();
    assert!(pattern.parse("9 Q", Defaults::default()).is_err(), "unknown name");
    for (read, show, text) in [("MM", "MMM", "13"), ("qq", "QQQ", "00"), ("MM", "LLLL", "00")] {
        let moment = DatePattern::new(read).unwrap().parse(text, Defaults::default()).unwrap();
        let mut out = String::new();
        DatePattern::new(show).unwrap().format(&moment, &mut out).unwrap();
        assert_eq!(out, text.parse::<i64>().unwrap().to_string(), "{read} {text}");
    }
}
