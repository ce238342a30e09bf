//! Controllers that repeat.

use super::*;

#[test]
fn simple_controllers_start_over() {
    let mut bench = Bench::new(
        false,
        simple("root", vec![simple("a", vec![S("one"), S("two")]), S("three"), simple("b", four_to_seven())]),
    );
    assert_eq!(bench.runs(2), ["one two three four five six seven"; 2]);
}

#[test]
fn a_loop_counts_and_shows_its_index() {
    let tree = simple("root", vec![simple("a", vec![S("one")]), loop_3("LC", four_to_seven())]);
    let mut bench = Bench::new(false, tree);
    for _ in 0..2 {
        let mut fours = 0;
        while let Some(name) = bench.next() {
            if name == "four" {
                assert_eq!(bench.var("__jm__LC__idx"), Some(fours.to_string()));
                fours += 1;
            }
        }
        assert_eq!(fours, 3);
    }
}

#[test]
fn an_index_that_a_script_overwrites_is_put_again() {
    let mut bench = Bench::new(false, loop_3("LC", vec![S("one"), S("two")]));
    assert_eq!((bench.next(), bench.var("__jm__LC__idx").as_deref()), (Some("one"), Some("0")));
    bench.cx.vars.put("__jm__LC__idx", "7");
    assert_eq!((bench.next(), bench.var("__jm__LC__idx").as_deref()), (Some("two"), Some("0")));
}

#[test]
fn loops_of_special_counts() {
    let zero = C(|c| Kind::Loop { loops: c.template("0"), forever: true }, "LC", vec![S("never")]);
    let mut bench = Bench::new(false, zero);
    assert_eq!((bench.next(), bench.var("__jm__LC__idx").as_deref()), (None, Some("0")));

    let forever = C(|c| Kind::Loop { loops: c.template("-1"), forever: true }, "LC", vec![S("on")]);
    let mut bench = Bench::new(false, forever);
    for turn in 0..42 {
        assert_eq!((bench.next(), bench.var("__jm__LC__idx")), (Some("on"), Some(turn.to_string())));
    }

    let ending = C(|c| Kind::Loop { loops: c.template("2"), forever: false }, "LC", vec![S("s")]);
    let mut bench = Bench::new(false, simple("root", vec![ending, S("t")]));
    assert_eq!(bench.runs(2), ["s s t", "t"], "a loop that does not start over leaves for good");
}

#[test]
fn a_random_count_is_read_once() {
    let tree =
        C(|c| Kind::Loop { loops: c.template("${__Random(1,12)}"), forever: false }, "LC", vec![S("s")]);
    let mut bench = Bench::new(false, tree);
    let first = bench.next();
    let limit = bench.states[0].limit.unwrap();
    let more = std::iter::from_fn(|| bench.next()).count() as i32;
    assert_eq!((first, more + 1), (Some("s"), limit));
}

#[test]
fn once_only_runs_in_the_first_iteration_of_its_loop() {
    let once = |below| C(|_| Kind::OnceOnly, "O", below);
    let inner = vec![S("four"), once(vec![S("five"), S("six")]), S("seven")];
    let tree = simple("root", vec![once(vec![S("one"), S("two")]), S("three"), loop_3("L", inner)]);
    let rest = "three four five six seven four seven four seven";
    assert_eq!(Bench::new(true, tree).runs(3), [format!("one two {rest}"), rest.to_owned(), rest.to_owned()]);
    let tree = C(
        |c| Kind::Loop { loops: c.template("2"), forever: true },
        "outer",
        vec![once(vec![S("one"), S("two")]), S("three"), loop_3("L", four_to_seven())],
    );
    assert_eq!(Bench::new(true, tree).run(), format!("one two three {THRICE} three {THRICE}"));
}

#[test]
fn a_loop_around_nothing_ends() {
    fn nothing(c: &Compiler) -> Kind {
        let amount = Some(c.template("0"));
        Kind::Throughput(Box::new(Throughput { percent: false, amount, shared: None }))
    }
    let tree = C(
        |c| Kind::Loop { loops: c.template("10000"), forever: true },
        "L",
        vec![C(nothing, "T", vec![S("1"), S("2")])],
    );
    let mut bench = Bench::new(true, tree);
    assert_eq!((bench.next(), bench.next()), (None, None));
    let endless = C(
        |c| Kind::Loop { loops: c.template("-1"), forever: true },
        "L",
        vec![C(|c| Kind::While { condition: c.template("false") }, "W", vec![S("s")])],
    );
    let mut bench = Bench::new(true, endless);
    assert_eq!(bench.walk(|walk| walk.next(ROOT)), Err(Halt::Barren(ROOT)));
}

#[test]
fn while_loops_look_at_text_or_at_the_last_sample() {
    fn tree(condition: fn(&Compiler) -> Kind) -> T {
        simple(
            "root",
            vec![S("before"), C(condition, "W", vec![S("1"), simple("s", vec![S("2")])]), S("after")],
        )
    }
    // Condition, last sample ok at first, and after how many samplers of the loop the last one
    // fails.
    let table: [(Make, bool, usize, &str); 6] = [
        (|c| Kind::While { condition: c.template("") }, true, 3, "before 1 2 1 2 after"),
        (|c| Kind::While { condition: c.template(" last ") }, true, 3, "before 1 2 1 2 after"),
        (|c| Kind::While { condition: c.template("") }, false, 9, "before 1 2 after"),
        (|c| Kind::While { condition: c.template("LAST") }, false, 9, "before after"),
        (|c| Kind::While { condition: c.template("False") }, true, 9, "before after"),
        (|c| Kind::While { condition: c.template("${GO}") }, true, 3, "before 1 2 1 2 after"),
    ];
    for (kind, ok, fails_after, expected) in table {
        let mut bench = Bench::new(false, tree(kind));
        for _ in 0..2 {
            let mut names = Vec::new();
            bench.cx.vars.put(LAST_SAMPLE_OK, if ok { "true" } else { "false" });
            bench.cx.vars.put("GO", "x");
            let mut in_loop = 0;
            while let Some(name) = bench.next() {
                names.push(name);
                in_loop += usize::from(name == "1" || name == "2");
                if in_loop == fails_after {
                    bench.cx.vars.put(LAST_SAMPLE_OK, "false");
                    bench.cx.vars.put("GO", "false");
                }
            }
            assert_eq!(names.join(" "), expected);
        }
    }
}

#[test]
fn foreach_goes_through_the_variables() {
    fn each(c: &Compiler, start: Option<&str>, end: Option<&str>, separator: bool) -> Kind {
        let input = c.template("in");
        let output = c.template("out");
        let [start, end] = [start, end].map(|text| text.map(|text| c.template(text)));
        Kind::ForEach(Box::new(ForEach { input, output, start, end, separator }))
    }
    let table: [(Make, &[&str]); 6] = [
        (|c| each(c, None, None, true), &["a", "b", "c"]),
        (|c| each(c, Some("1"), None, true), &["b", "c"]),
        (|c| each(c, Some("0"), Some("2"), true), &["a", "b"]),
        (|c| each(c, None, Some(""), true), &[]),
        (|c| each(c, None, None, false), &["x"]),
        (|c| each(c, Some("5"), None, true), &[]),
    ];
    for (kind, expected) in table {
        let mut bench = Bench::new(true, simple("root", vec![C(kind, "F", vec![S("s")]), S("t")]));
        for (name, value) in [("in_1", "a"), ("in_2", "b"), ("in_3", "c"), ("in_5", "e"), ("in1", "x")] {
            bench.cx.vars.put(name, value);
        }
        for _ in 0..2 {
            let mut seen = Vec::new();
            while let Some(name) = bench.next() {
                if name == "s" {
                    seen.push(bench.var("out").unwrap());
                }
            }
            assert_eq!(seen, expected);
        }
    }
}

#[test]
fn runtime_ends_between_samplers() {
    let tree = simple(
        "root",
        vec![C(|c| Kind::RunTime { seconds: c.template("10") }, "R", vec![S("a"), S("b")]), S("c")],
    );
    let mut bench = Bench::new(false, tree);
    for _ in 0..2 {
        let mut names = Vec::new();
        while let Some(name) = bench.next() {
            names.push(name);
            bench.around.now_ns += 3_000_000_000;
        }
        assert_eq!(names.join(" "), "a b a b c");
    }
    let none = C(|c| Kind::RunTime { seconds: c.template("0") }, "R", vec![S("a")]);
    assert_eq!(Bench::new(false, none).next(), None);
}
