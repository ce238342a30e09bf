use super::*;
use proptest::prelude::*;

fn parsed(text: &str) -> Threshold {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn p(percent: f64) -> Metric {
    Metric::Time(Times::Elapsed, Statistic::Quantile(percent / 100.0))
}

#[test]
fn figures_comparisons_and_limits() {
    use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
    for (text, metric, comparison, limit) in [
        ("p(95)<500ms", p(95.0), Less, 500.0),
        ("p99.9 <= 1.5s", p(99.9), LessOrEqual, 1500.0),
        ("p(99)<800", p(99.0), Less, 800.0),
        ("median < 250us", p(50.0), Less, 0.25),
        ("max<2m", Metric::Time(Times::Elapsed, Statistic::Max), Less, 120_000.0),
        ("latency.mean<5ms", Metric::Time(Times::Latency, Statistic::Mean), Less, 5.0),
        ("response.p(99)<1s", Metric::Time(Times::Response, Statistic::Quantile(0.99)), Less, 1000.0),
        ("errors<1%", Metric::ErrorPercent, Less, 1.0),
        ("errors <= 10", Metric::Errors, LessOrEqual, 10.0),
        ("rps>200", Metric::Rate, Greater, 200.0),
        ("throughput >= 600/m", Metric::Rate, GreaterOrEqual, 10.0),
        ("rate>200/s", Metric::Rate, Greater, 200.0),
        ("samples>1000", Metric::Samples, Greater, 1000.0),
        ("apdex>0.9", APDEX, Greater, 0.9),
        (
            "apdex( 300ms, 1.2s ) >= 0.85",
            Metric::Apdex { satisfied_ms: 300, tolerated_ms: 1200 },
            GreaterOrEqual,
            0.85,
        ),
    ] {
        let rule = parsed(text);
        assert_eq!((rule.metric, rule.comparison), (metric, comparison), "{text}");
        let Limit::Fixed(found) = rule.limit else { panic!("{text}: {:?}", rule.limit) };
        assert!((found - limit).abs() < 1e-9, "{text}: {found}");
        assert!(matches!(rule.scope, Scope::All) && !rule.aborts && rule.window == Window::Whole);
    }
}

#[test]
fn custom_figures_have_statistics_counts_and_negative_limits() {
    let name = FigureName::new("order_total").expect("a name");
    let p95 = FigurePart::Statistic(Statistic::Quantile(0.95));
    for (text, part, limit) in [
        ("figure(order_total).p(95)<500", p95, 500.0),
        ("figure( order_total ) p(95) < 500", p95, 500.0),
        ("figure(\"order_total\").p95<0.5", p95, 0.5),
        ("figure(order_total).min>-2.5 abort", FigurePart::Statistic(Statistic::Min), -2.5),
        ("figure(order_total).mean<9 for 10s", FigurePart::Statistic(Statistic::Mean), 9.0),
        ("figure(order_total).sum>=1", FigurePart::Sum, 1.0),
        ("figure(order_total).count>100", FigurePart::Count, 100.0),
    ] {
        let rule = parsed(text);
        assert_eq!(rule.metric, Metric::Figure(name, part), "{text}");
        assert!(
            matches!(rule.limit, Limit::Fixed(found) if found.to_bits() == f64::to_bits(limit)),
            "{text}: {:?}",
            rule.limit
        );
    }
    for (text, why) in [
        ("figure<5", "expected the name of a figure in parentheses"),
        ("figure(a b).mean<5", "expected the name of a figure in parentheses"),
        ("figure(a", "expected the name of a figure in parentheses"),
        ("figure(a)<5", "expected what of figure(a) the rule means"),
        ("figure(a).p(95)<5ms", "`ms` is an invalid unit of a custom figure"),
        ("figure(a).count<-5", "missing a limit"),
        ("p(95)<-5", "missing a limit"),
    ] {
        let said = parse(text).expect_err(text).to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn a_rule_on_a_group_takes_its_patterns() {
    let mut rule = parsed("group(\"check out\"): p(95)<800ms");
    let mut groups = Vec::new();
    Group::add("pay=x", &mut groups).expect("a group");
    let why = rule.find_group(&groups).expect_err("unknown");
    assert!(why.starts_with("unknown group `check out`") && why.ends_with("`pay`"), "{why}");
    Group::add("check out=^GET /pay", &mut groups).expect("a group");
    assert_eq!(rule.find_group(&groups), Ok(()));
    assert_eq!(parsed("group(pay): errors<1%").find_group(&groups), Ok(()));
    for text in ["group: errors<1%", "group(pay: errors<1%", "group(pay) errors<1%"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn an_index_with_other_times_than_two_rising_ones_is_refused() {
    for (text, why) in [
        ("apdex(500)>0.9", "apdex requires two times"),
        ("apdex(500,)>0.9", "apdex requires two times"),
        ("apdex(1s,500ms)>0.9", "less than the second"),
        ("apdex(5x,7)>0.9", "`x` is an invalid unit of time"),
        ("apdex>0.9s", "`s` is an invalid unit of apdex"),
    ] {
        let said = parse(text).expect_err(text).to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn a_blank_between_a_number_and_a_clause_or_a_unit() {
    let rule = parsed("errors<1% abort");
    assert!(rule.aborts);
    let rule = parsed("rps > 200 for 10s after 1m abort");
    assert_eq!((rule.window, rule.after_ms, rule.aborts), (Window::For(10_000), 60_000, true));
    let rule = parsed("samples>5 over 30");
    assert_eq!(rule.window, Window::Over(30_000));
    assert_eq!(parsed("p(99)<800 after 60s").after_ms, 60_000);
}

#[test]
fn scopes() {
    let told = |text: &str| {
        let scope = parsed(text).scope;
        (scope.told(), scope.is_each())
    };
    for (text, wanted, each) in [
        (r#"label("Log in"): p(99)<1s"#, "the label `Log in`", false),
        (r#"label('a "b"'):p(99)<1s"#, r#"the label `a "b"`"#, false),
        (r#"label("a \"b\""): p(99)<1s"#, r#"the label `a "b"`"#, false),
        (r"label(/^api\/.*/): errors<1%", "a label that matches /^api/.*/", false),
        (r#"transaction("Buy"): mean<1s"#, "the transaction `Buy`", false),
        ("each label: p(95)<1s", "any label", true),
        ("each transaction(/x/): p(95)<1s", "a transaction that matches /x/", true),
    ] {
        assert_eq!(told(text), (wanted.to_owned(), each), "{text}");
    }
}

#[test]
fn limits_of_a_baseline() {
    for (text, factor, plus) in [
        ("p(95)<baseline", 1.0, 0.0),
        ("p(95) < baseline * 1.1", 1.1, 0.0),
        ("p(95)<baseline+10%", 1.1, 0.0),
        ("rps>baseline-5%", 0.95, 0.0),
        ("p(95)<baseline+50ms", 1.0, 50.0),
        ("mean<baseline-1s", 1.0, -1000.0),
        ("errors<baseline+10% abort", 1.1, 0.0),
    ] {
        let rule = parsed(text);
        let Limit::Baseline { factor: f, plus: p } = rule.limit else { panic!("{text}") };
        assert!((f - factor).abs() < 1e-9 && (p - plus).abs() < 1e-9, "{text}: {f} {p}");
        assert!(rule.needs_baseline());
    }
    assert_eq!(Limit::Baseline { factor: 1.5, plus: 1.0 }.value(Some(10.0)), Some(16.0));
    assert_eq!(Limit::Baseline { factor: 1.5, plus: 1.0 }.value(None), None);
}

/// The message, what is marked, and the hint.
fn wrong(text: &str) -> (String, String, String) {
    let error = parse(text).expect_err(text);
    (error.message, text[error.at..error.at + error.length].to_owned(), error.hint)
}

#[test]
fn what_is_wrong_is_named_with_the_right_words() {
    for (text, message, marked, hint) in [
        ("", "the rule is empty", "", "figures are p(99)"),
        ("p(99)<800mss", "`mss` is an invalid unit of time", "800mss", "use us, ms, s, m or h"),
        ("error<1%", "unknown figure `error`", "error", "did you mean `errors`?"),
        ("lable(\"x\"): p(9)<1", "unknown figure `lable`", "lable", "did you mean `label`?"),
        ("p(99)=800", "missing a comparison before `=`", "=", "invalid comparison: use <"),
        ("p(99)", "missing a comparison", "", "invalid comparison: use <"),
        ("p(99)<", "missing a limit", "", "invalid limit: expected a number"),
        ("p(99)<fast", "missing a limit before `fast`", "fast", "invalid limit: expected a number"),
        ("p(101)<1s", "invalid percentile: expected a number above 0 and up to 100", "p(101)", "p(99)<800ms"),
        ("p(x)<1s", "invalid percentile: expected p(99) or p(99.9)", "x", ""),
        (
            "latency<1s",
            "the rule does not say which of the latency times it means",
            "latency",
            "write latency.p(95)",
        ),
        ("latency.p9x<1s", "unknown figure `p9x`", "p9x", ""),
        ("errors<0.01", "invalid number of failed samples `0.01`", "0.01", "a share is written 1%"),
        (
            "samples>5ms",
            "`ms` is an invalid unit of a number of samples",
            "5ms",
            "use a number without a unit",
        ),
        ("rps>5%", "`%` is an invalid unit of a rate", "5%", "use /s"),
        ("rps>5 fro 10s", "unexpected `fro`", "fro", "did you mean `for`?"),
        ("p(95)<500 ms", "unexpected `ms`", "ms", "without a space before `ms`"),
        ("home: p(95)<500ms", "unknown figure `home`", "home", "write label(\"home\")"),
        ("rps>5 for", "missing a time", "", "such as 10s"),
        ("rps>5 for 0s", "invalid window: expected more than 0 s", "for 0s", ""),
        ("rps>5 over 1h", "invalid window: expected more than 0 s and at most 10 m", "over 1h", ""),
        ("rps>5 for 1s over 2s", "a rule can have only one window", "over", "write two rules"),
        ("label(Login): p(99)<1s", "expected a label in quotes", "Login", "label(\"Login\")"),
        ("label(\"Login): p(99)<1s", "missing closing \"", "\"", ""),
        ("label(\"Login\" p(99)<1s", "missing `)`", "p", ""),
        ("label(\"Login\") p(99)<1s", "expected `:` between", "p", "label(\"Login\"): p(99)<800ms"),
        ("label(/(/): p(99)<1s", "invalid regular expression", "/(/", ""),
        ("each p(99)<1s", "expected what to judge separately after `each`", "p", "each label: p(95)<1s"),
        ("p(99)<baseline*x", "missing a number before `x`", "x", "baseline*1.1"),
        ("p(99)<800ms; errors<1%", "unexpected `;`", ";", "options are"),
    ] {
        let found = wrong(text);
        assert!(found.0.starts_with(message), "{text}: {found:?}");
        assert_eq!(found.1, marked, "{text}: {found:?}");
        assert!(found.2.contains(hint), "{text}: {found:?}");
    }
}

#[test]
fn an_error_shows_where_it_is() {
    let shown = parse("label(\"Ö\"): p(99)<800mss").expect_err("wrong").to_string();
    let wanted = "`mss` is an invalid unit of time\n  label(\"Ö\"): p(99)<800mss\n                    ^^^^^^\n  hint: use us, ms, s, m or h; a number without a unit is milliseconds";
    assert_eq!(shown, wanted);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(label|each|p|\\(|\\)|\"|/|<|=|[0-9]|\\.|ms|%|baseline|\\*|\\+|for|after|abort|é| |:){0,14}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.to_string().contains(&error.message));
        }
    }
}
