//! JMeter's unit tests of controllers as tables: which samplers come, in which order, over several runs of the root.

use std::collections::HashSet;
use std::sync::Arc;

use swell_elements::SampleResult;
use swell_expr::testing::TestHost;
use swell_expr::{Compiler, Context, Properties, RunInfo, UserIdentity, Vars};

use super::*;

type Make = fn(&Compiler) -> Kind;

/// A tree of controllers and samplers.
enum T {
    S(&'static str),
    C(Make, &'static str, Vec<T>),
}
use T::{C, S};

/// A user at a tree.
struct Bench {
    controls: Vec<Control>,
    samplers: Vec<&'static str>,
    states: Vec<State>,
    cx: Context,
    around: Around,
    /// Controllers are told of iterations of those above them, as in a plan; JMeter's unit tests mostly leave that out.
    wired: bool,
    compiler: Compiler,
}

#[derive(Default)]
struct Around {
    now_ns: i64,
    taken: HashSet<Arc<str>>,
    done: Vec<SampleResult>,
    iterations: u32,
}

impl Surroundings for Around {
    fn now_ns(&self) -> i64 {
        self.now_ns
    }

    fn user_iteration(&mut self, _cx: &mut Context) {
        self.iterations += 1;
    }

    fn element_iteration(&mut self, _element: u32, _cx: &mut Context) {}

    fn transaction_done(&mut self, result: SampleResult, _cx: &mut Context) {
        self.done.push(result);
    }

    fn try_lock(&mut self, name: &Arc<str>) -> bool {
        self.taken.insert(name.clone())
    }

    fn unlock(&mut self, name: &Arc<str>) {
        self.taken.remove(name);
    }
}

impl Bench {
    fn new(wired: bool, tree: T) -> Self {
        let compiler = Compiler::new(Arc::default());
        let vars = Vars::new(compiler.names.clone());
        let cx = Context {
            vars,
            props: Arc::new(Properties::default()),
            host: Arc::new(TestHost::default()),
            run: Arc::new(RunInfo::default()),
            user: UserIdentity { thread_name: "u".into(), group_name: "g".into(), thread_index: 1 },
            sampler_name: "".into(),
            iteration: 0,
            stop: None,
            random: rand::SeedableRng::seed_from_u64(1),
            thrown: None,
            function_states: Vec::new(),
            previous: None,
        };
        let (controls, samplers, states, around) = Default::default();
        let mut bench = Self { controls, samplers, states, cx, around, wired, compiler };
        bench.add(tree);
        bench.states = bench.controls.iter().map(State::new).collect();
        bench.walk(|walk| walk.initialize(ROOT));
        bench
    }

    fn add(&mut self, tree: T) -> Child {
        let (kind, name, below) = match tree {
            S(name) => {
                self.samplers.push(name);
                return Child::Sampler(SamplerId(self.samplers.len() as u32 - 1));
            }
            C(kind, name, below) => (kind(&self.compiler), name, below),
        };
        let id = ControlId(self.controls.len() as u32);
        let index = Some(self.compiler.names.slot(&format!("__jm__{name}__idx")));
        let (children, listeners, name) = (Vec::new(), Vec::new(), self.compiler.template(name));
        self.controls.push(Control { kind, children, listeners, name, shows_index: true, index });
        for child in below {
            let child = self.add(child);
            self.controls[id.0 as usize].children.push(child);
            if let Child::Control(below) = child
                && self.wired
                && self.controls[below.0 as usize].kind.listens()
            {
                self.controls[id.0 as usize].listeners.insert(0, IterationListener::Control(below));
            }
        }
        Child::Control(id)
    }

    fn walk<R>(&mut self, what: impl FnOnce(&mut Walk<'_>) -> R) -> R {
        let (states, cx, out) = (&mut self.states[..], &mut self.cx, &mut self.around);
        what(&mut Walk { controls: &self.controls, states, cx, out })
    }

    fn next(&mut self) -> Option<&'static str> {
        match self.walk(|walk| walk.next(ROOT)).expect("nothing halts here") {
            Some(Next::Sampler(sampler)) => Some(self.samplers[sampler.0 as usize]),
            Some(Next::Transaction(id)) => {
                let running = self.walk(|walk| walk.transaction(id).as_ref().map(|t| (t.sub, t.done)));
                match running {
                    Some((Some(Next::Sampler(sampler)), _)) => Some(self.samplers[sampler.0 as usize]),
                    Some((None, true)) => Some("END"),
                    other => panic!("{:?}", other.map(|(sub, _)| sub)),
                }
            }
            None => None,
        }
    }

    /// The samplers of one run of the root.
    fn run(&mut self) -> String {
        let names: Vec<_> = std::iter::from_fn(|| self.next()).take(200).collect();
        names.join(" ")
    }

    fn runs(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.run()).collect()
    }

    fn var(&self, name: &str) -> Option<String> {
        self.cx.vars.get(name).map(ToString::to_string)
    }
}

const ROOT: ControlId = ControlId(0);

fn simple(name: &'static str, below: Vec<T>) -> T {
    C(|_| Kind::Simple, name, below)
}

fn loop_3(name: &'static str, below: Vec<T>) -> T {
    C(|c| Kind::Loop { loops: c.template("3"), forever: true }, name, below)
}

fn interleave(whole: bool, below: Vec<T>) -> T {
    let kind: fn(&Compiler) -> Kind = if whole {
        |_| Kind::Interleave { whole: true, across_users: false }
    } else {
        |_| Kind::Interleave { whole: false, across_users: false }
    };
    C(kind, "I", below)
}

/// Four, then five and six in a controller, then seven.
fn four_to_seven() -> Vec<T> {
    vec![S("four"), simple("inner", vec![S("five"), S("six")]), S("seven")]
}

const THRICE: &str = "four five six seven four five six seven four five six seven";

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
        let (a, b) = (simple("a", vec![S("one"), S("two")]), simple("b", vec![S("three"), S("four")]));
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
fn throughput_by_percent_spreads_evenly_and_by_number_stops() {
    fn tree(kind: fn(&Compiler) -> Kind) -> T {
        simple("root", vec![S("0"), C(kind, "T", vec![S("1"), S("2")]), S("3")])
    }
    fn throughput(c: &Compiler, percent: bool, amount: &str) -> Kind {
        let amount = Some(c.template(amount));
        Kind::Throughput(Box::new(Throughput { percent, amount, shared: None }))
    }
    let (yes, no) = ("0 1 2 3", "0 3");
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
fn while_loops_look_at_text_or_at_the_last_sample() {
    fn tree(condition: fn(&Compiler) -> Kind) -> T {
        simple(
            "root",
            vec![S("before"), C(condition, "W", vec![S("1"), simple("s", vec![S("2")])]), S("after")],
        )
    }
    // Condition, last sample ok at first, and after how many samplers of the loop the last one fails.
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
fn if_is_asked_at_the_first_child_or_at_each() {
    fn tree(kind: fn(&Compiler) -> Kind) -> T {
        C(
            |c| Kind::Loop { loops: c.template("2"), forever: false },
            "L",
            vec![S("1"), C(kind, "If", vec![S("2"), simple("s", vec![S("3"), S("4")])])],
        )
    }
    fn condition(c: &Compiler, text: &str, expression: bool, every_child: bool) -> Kind {
        Kind::If { condition: c.template(text), expression, every_child }
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

#[test]
fn foreach_goes_through_the_variables() {
    fn each(c: &Compiler, start: Option<&str>, end: Option<&str>, separator: bool) -> Kind {
        let (input, output) = (c.template("in"), c.template("out"));
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

#[test]
fn a_critical_section_holds_its_lock_from_first_to_last_child() {
    let tree = simple(
        "root",
        vec![C(|c| Kind::Critical { lock: c.template("L") }, "CS", vec![S("a"), S("b")]), S("c")],
    );
    let mut bench = Bench::new(false, tree);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let name = bench.next();
        seen.push((name.unwrap_or("end"), bench.around.taken.len()));
    }
    assert_eq!(seen, [("a", 1), ("b", 1), ("c", 0), ("end", 0)]);
    bench.around.taken.insert("L".into());
    assert_eq!(bench.walk(|walk| walk.next(ROOT)), Err(Halt::Wait("L".into())));
    bench.around.taken.clear();
    assert_eq!(bench.run(), "a b c", "asked again, it goes on where it was");
}

#[test]
fn a_transaction_with_parent_sample_ends_with_a_turn_of_its_own() {
    let kind: fn(&Compiler) -> Kind = |_| Kind::Transaction { parent: true, include_timers: false };
    let tree = simple("root", vec![C(kind, "T", vec![S("a"), simple("s", vec![S("b")])]), S("c")]);
    assert_eq!(Bench::new(false, tree).runs(2), ["a b END c"; 2]);
}

#[test]
fn a_transaction_without_parent_sample_counts_as_jmeter_counts() {
    fn transaction(_: &Compiler) -> Kind {
        Kind::Transaction { parent: false, include_timers: true }
    }
    fn never(c: &Compiler) -> Kind {
        Kind::If { condition: c.template("false"), expression: true, every_child: false }
    }
    // What stands in it, and the number of samples that JMeter's message says.
    let table = [
        (vec![S("a"), S("b")], 2),
        (vec![], 0),
        (vec![C(never, "If", vec![S("x")])], 0),
        (vec![S("a"), C(never, "If", vec![S("x")])], 1),
        (vec![C(never, "If", vec![S("x")]), S("a")], 2),
    ];
    for (below, calls) in table {
        let mut bench = Bench::new(true, simple("root", vec![C(transaction, "T", below), S("z")]));
        bench.run();
        let messages: Vec<_> = bench.around.done.iter().map(|sample| sample.message.to_string()).collect();
        assert_eq!(
            messages,
            [format!("Number of samples in transaction : {calls}, number of failing samples : 0")]
        );
        assert_eq!(&*bench.around.done[0].code, "200");
    }
}

#[test]
fn a_transaction_sums_up_what_it_hears() {
    for include_timers in [true, false] {
        let kind: fn(&Compiler) -> Kind = if include_timers {
            |_| Kind::Transaction { parent: false, include_timers: true }
        } else {
            |_| Kind::Transaction { parent: false, include_timers: false }
        };
        let mut bench = Bench::new(false, simple("root", vec![C(kind, "T", vec![S("a"), S("b")])]));
        bench.around.now_ns = 1000;
        for (start_ns, end_ns, success) in [(1100, 1300, true), (1500, 1900, false)] {
            bench.next();
            let mut sample = SampleResult { success, bytes: 10, sent_bytes: 3, ..SampleResult::default() };
            sample.timing =
                swell_elements::Timing { start_ns, end_ns, first_byte_ns: start_ns + 50, ..sample.timing };
            bench.walk(|walk| walk.sample_occurred(ControlId(1), &sample));
            bench.around.now_ns = end_ns + 100;
        }
        bench.next();
        let result = &bench.around.done[0];
        assert_eq!((result.bytes, result.sent_bytes, result.success, &*result.code), (20, 6, false, ""));
        assert_eq!(&*result.message, "Number of samples in transaction : 2, number of failing samples : 1");
        let elapsed_ns = if include_timers { 1000 } else { 600 };
        assert_eq!(
            (result.timing.start_ns, result.timing.end_ns, result.timing.elapsed_ns()),
            (1000, 2000, elapsed_ns)
        );
        assert_eq!(result.timing.first_byte_ns, 1100, "latencies are summed");
    }
}
