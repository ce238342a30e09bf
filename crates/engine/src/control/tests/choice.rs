//! Controllers that choose.

use super::*;

#[test]
fn interleaving_takes_one_child_a_visit() {
    let tree = simple(
        "root",
        vec![interleave(false, vec![S("one"), S("two")]), S("three"), loop_3("L", four_to_seven())],
    );
    let mut bench = Bench::new(false, tree);
    let runs: Vec<_> = ["one", "two", "one", "two"].iter().map(|s| format!("{s} three {THRICE}")).collect();
    assert_eq!(bench.runs(4), runs);
}

#[test]
fn interleaving_ignores_blocks_or_keeps_them() {
    let tree = |whole| {
        simple(
            "root",
            vec![interleave(whole, vec![S("one"), S("two"), loop_3("L", four_to_seven())]), S("three")],
        )
    };
    let ignored = "one|two|four|one|two|five|one|two|six|one";
    let runs: Vec<_> = ignored.split('|').map(|name| format!("{name} three")).collect();
    assert_eq!(Bench::new(false, tree(false)).runs(10), runs);
    let kept = ["one three", "two three", &format!("{THRICE} three"), "one three", "two three"];
    assert_eq!(Bench::new(false, tree(true)).runs(5), kept);

    let blocks = |whole| {
        let a = simple("a", vec![S("one"), S("two")]);
        let b = simple("b", vec![S("three"), S("four")]);
        simple("root", vec![interleave(whole, vec![a, b])])
    };
    assert_eq!(Bench::new(false, blocks(false)).runs(4), ["one", "three", "two", "four"]);
    assert_eq!(Bench::new(false, blocks(true)).runs(2), ["one two", "three four"]);
}

#[test]
fn interleaving_with_nothing_in_it_gives_nothing() {
    let tree = simple("root", vec![S("one"), interleave(false, vec![loop_3("L", vec![])])]);
    assert_eq!(Bench::new(false, tree).runs(4), ["one"; 4]);
}

#[test]
fn interleaving_across_users_starts_at_the_users_number() {
    let kind: fn(&Compiler) -> Kind = |_| Kind::Interleave { whole: false, across_users: true };
    let tree = simple("root", vec![C(kind, "I", vec![S("one"), S("two"), S("three")])]);
    assert_eq!(Bench::new(false, tree).runs(3), ["two", "three", "one"], "the user has number 1");
}

#[test]
fn random_controllers_take_one() {
    let random: fn(&Compiler) -> Kind = |_| Kind::Random { whole: false };
    let tree = simple("root", vec![C(random, "R", vec![S("a"), S("b"), S("c")])]);
    let runs = Bench::new(false, tree).runs(60);
    let seen: HashSet<_> = runs.iter().map(String::as_str).collect();
    assert_eq!(seen, HashSet::from(["a", "b", "c"]));
    assert_eq!(Bench::new(false, C(random, "R", vec![])).next(), None);

    let order: fn(&Compiler) -> Kind = |_| Kind::RandomOrder;
    let tree = simple("root", vec![C(order, "R", vec![S("a"), S("b"), S("c")])]);
    let runs = Bench::new(false, tree).runs(60);
    let seen: HashSet<_> = runs.iter().map(String::as_str).collect();
    assert_eq!(seen, HashSet::from(["a b c", "a c b", "b a c", "b c a", "c a b", "c b a"]));
}

#[test]
fn throughput_by_percent_spreads_evenly_and_by_number_stops() {
    fn tree(kind: fn(&Compiler) -> Kind) -> T {
        simple("root", vec![S("0"), C(kind, "T", vec![S("1"), S("2")]), S("3")])
    }
    fn throughput(c: &Compiler, percent: bool, amount: &str) -> Kind {
        let amount = Some(c.template(amount));
        Kind::Throughput(Box::new(Throughput { percent, amount, shared: None }))
    }
    let yes = "0 1 2 3";
    let no = "0 3";
    let table: [(Make, &[&str]); 7] = [
        (|c| throughput(c, true, "33.33"), &[no, yes, no, no, yes, no, no, yes, no]),
        (|c| throughput(c, true, "0.0"), &[no; 3]),
        (|c| throughput(c, true, "100"), &[yes; 3]),
        (|c| throughput(c, true, "no number"), &[yes; 3]),
        (|c| throughput(c, false, "2"), &[yes, yes, no, no]),
        (|c| throughput(c, false, "0"), &[no; 3]),
        (|c| throughput(c, false, "no number"), &[yes, no, no]),
    ];
    for (kind, runs) in table {
        assert_eq!(Bench::new(true, tree(kind)).runs(runs.len()), runs);
    }
}

#[test]
fn switch_goes_by_number_or_name() {
    fn tree(value: fn(&Compiler) -> Kind) -> T {
        let below =
            vec![S("zero"), simple("one", vec![S("1a"), S("1b")]), S("two"), simple("Default", vec![S("d")])];
        simple("root", vec![S("before"), C(value, "SW", below), S("after")])
    }
    fn switch(c: &Compiler, value: &str) -> Kind {
        let names = ["zero", "one", "two", "Default"].map(|name| c.template(name)).into();
        Kind::Switch { value: c.template(value), names }
    }
    let table: [(Make, &str); 9] = [
        (|c| switch(c, ""), "zero"),
        (|c| switch(c, "0"), "zero"),
        (|c| switch(c, " 1 "), "1a 1b"),
        (|c| switch(c, "one "), "1a 1b"),
        (|c| switch(c, "2"), "two"),
        (|c| switch(c, "7"), "zero"),
        (|c| switch(c, "-1"), "d"),
        (|c| switch(c, "X"), "d"),
        (|c| switch(c, "Two"), "d"),
    ];
    for (kind, middle) in table {
        assert_eq!(
            Bench::new(false, tree(kind)).runs(3),
            [
                format!("before {middle} after"),
                format!("before {middle} after"),
                format!("before {middle} after")
            ]
        );
    }
}

#[test]
fn if_is_asked_at_the_first_child_or_at_each() {
    fn tree(kind: fn(&Compiler) -> Kind) -> T {
        C(
            |c| Kind::Loop { loops: c.template("2"), forever: false },
            "L",
            vec![S("1"), C(kind, "If", vec![S("2"), simple("s", vec![S("3"), S("4")])])],
        )
    }
    fn condition(c: &Compiler, text: &str, expression: bool, every_child: bool) -> Kind {
        Kind::If { condition: c.template(text), expression, every_child, place: Rc::default(), script: None }
    }
    let table: [(Make, &str); 8] = [
        (|c| condition(c, "true", true, false), "1 2 3 4 1 2 3 4"),
        (|c| condition(c, "TRUE\n", true, false), "1 2 3 4 1 2 3 4"),
        (|c| condition(c, "${go}", true, false), "1 2 3 4 1"),
        (|c| condition(c, "${go}", true, true), "1 2 3 1"),
        (|c| condition(c, "1 == 1", false, false), "1 2 3 4 1 2 3 4"),
        (|c| condition(c, "\"${go}\" == \"true\"", false, true), "1 2 3 1"),
        (|c| condition(c, "1", false, false), "1 1"),
        (|c| condition(c, "no condition", false, false), "1 1"),
    ];
    for (kind, expected) in table {
        let mut bench = Bench::new(true, tree(kind));
        bench.cx.vars.put("go", "true");
        let mut names = Vec::new();
        while let Some(name) = bench.next() {
            names.push(name);
            if name == "3" {
                bench.cx.vars.put("go", "false");
            }
        }
        assert_eq!(names.join(" "), expected);
    }
}
