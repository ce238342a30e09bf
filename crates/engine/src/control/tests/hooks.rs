//! Controllers that observe their children: transactions, critical sections.

use super::*;

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
    assert_eq!(bench.run(), "a b c", "asked again, it continues from the same place");
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
        Kind::If {
            condition: c.template("false"),
            expression: true,
            every_child: false,
            place: Rc::default(),
            script: None,
        }
    }
    // Its contents, and the number of samples in JMeter's message.
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
                swell_api::Timing { start_ns, end_ns, first_byte_ns: start_ns + 50, ..sample.timing };
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
