//! Runs a few random scripts of each language against the real engines. Without Java, the test
//! prints that and passes.

use swell_parity::scripts::{Engine, LANGUAGES, WITH_STATEMENTS, expressions, statements};

#[test]
fn what_runs_natively_is_what_the_engines_make_of_it() {
    let run = || {
        let mut engine = match Engine::start() {
            Ok(engine) => engine,
            Err(missing) => return println!("skipped: {missing}"),
        };
        let say = |text: &str| println!("{text}");
        for (name, language, function) in LANGUAGES {
            let totals =
                expressions(&mut engine, (language, function), 150, 1, &say).expect("the JVM answers");
            assert_eq!((totals.compared, totals.different), (150, 0), "{name}: {totals}");
            if WITH_STATEMENTS.contains(&name) {
                let totals = statements(&mut engine, language, 60, 1, &say).expect("the JVM answers");
                assert!(totals.different == 0 && totals.native > 0, "{name}: {totals}");
            }
        }
    };
    // Calls of the JVM need more stack than test threads have.
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(run);
    thread.expect("a thread").join().expect("no difference");
}
