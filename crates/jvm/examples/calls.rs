//! Measures the cost of JVM calls: CPU of the whole process per call, including JIT compilers and
//! garbage collection, after warm-up.
//!
//! `cargo run --profile profiling -p swell-jvm --example calls [CALLS]`

use std::sync::mpsc;
use std::time::Instant;

use swell_jvm::request::{self, CallState, Family, Overrides, Previous, Script, ScriptRole, UserIdentity};
use swell_jvm::{Config, HttpPart, Jvm, JvmAnswer, Sample, Transport, ValueChange};
use swell_pool::{Pool, PoolOptions};

const WARM_UP: u32 = 20_000;

/// CPU time of this process in nanoseconds, in steps of 10 ms.
fn cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    (11..13).map(|field| fields[field].parse::<u64>().expect("ticks") * 10_000_000).sum()
}

fn script<'a>(family: Family, role: ScriptRole, language: &'a str, text: &'a str) -> Script<'a> {
    Script {
        family,
        role,
        strict: false,
        reset_interpreter: false,
        language,
        label: "bench",
        text,
        file: "",
        parameters: "",
        cache_key: "true",
    }
}

fn measure(name: &str, calls: u32, mut call: impl FnMut(u32)) {
    (0..WARM_UP).for_each(&mut call);
    let cpu = cpu_ns();
    let wall = Instant::now();
    (0..calls).for_each(&mut call);
    let per_call = |ns: u64| ns as f64 / f64::from(calls) / 1000.0;
    let wall = u64::try_from(wall.elapsed().as_nanos()).expect("not that long");
    println!("{name:<44} {:>7.2} us CPU {:>7.2} us wall", per_call(cpu_ns() - cpu), per_call(wall));
}

fn main() {
    let calls = std::env::args().nth(1).map_or(100_000, |calls| calls.parse().expect("a number of calls"));
    let begin = Instant::now();
    let jvm = Jvm::start(&Config::default()).unwrap_or_else(|error| panic!("{error}"));
    println!("started in {:.0} ms", begin.elapsed().as_secs_f64() * 1000.0);
    // As in a run: not on the main thread, and with the stack that threads of a pool have.
    let bench = std::thread::Builder::new().stack_size(2 << 20).spawn(move || all(jvm, calls, begin));
    bench.expect("a thread").join().expect("no panic");
}

fn all(jvm: Jvm, calls: u32, begin: Instant) {
    let mut message = Vec::new();
    let identity = UserIdentity { thread_name: "G 1-1", thread_number: 0, group: "G", group_threads: 1 };
    request::user_started(&mut message, 1, &identity);
    jvm.tell(&message).expect("the user starts");
    let increment = "vars.put('n', '' + (vars.get('n').toInteger() + 1))";
    let sine = include_str!("sine.bsh");
    let json = "vars.put('id', '' + new groovy.json.JsonSlurper().parseText(prev.getResponseDataAsString()).items[3].id)";
    let scripts = [
        script(Family::Jsr223, ScriptRole::PreProcessor, "groovy", increment),
        Script { strict: true, ..script(Family::Jsr223, ScriptRole::PreProcessor, "groovy", increment) },
        script(Family::BeanShell, ScriptRole::PreProcessor, "", sine),
        Script { strict: true, ..script(Family::BeanShell, ScriptRole::PreProcessor, "", sine) },
        script(Family::Jsr223, ScriptRole::PostProcessor, "groovy", json),
    ];
    for (number, script) in (0..).zip(&scripts) {
        request::define_script(&mut message, number, script);
        jvm.tell(&message).expect("the script is taken");
    }
    let mut request = Vec::new();
    let mut answer = Vec::new();
    let mut run = |script: u32, state: &CallState<'_>| {
        request::run_script(&mut request, 1, script, &Overrides::default(), state);
        jvm.call(&request, &mut answer).expect("an answer");
        let read = JvmAnswer::read(&answer).expect("understood");
        assert!(read.fault.is_none() && read.variables.len() == 1, "{read:?}");
    };
    let one = |value: &str, run: &mut dyn FnMut(&CallState<'_>)| {
        let variables = [("n", ValueChange::Text(value))];
        run(&CallState { variables: &variables, ..CallState::default() });
    };
    one("0", &mut |state| run(0, state));
    println!("first script after {:.0} ms", begin.elapsed().as_secs_f64() * 1000.0);
    let names = [
        "Groovy, one variable in, one out",
        "the same, JMeter's element",
        "BeanShell, sine",
        "the same, JMeter's element",
    ];
    for (number, name) in (0..).zip(names) {
        let calls = if number == 3 { calls / 5 } else { calls };
        measure(name, calls, |n| one(&n.to_string(), &mut |state| run(number, state)));
    }
    let body = body();
    measure("Groovy, JSON body of 1 KB", calls, |n| {
        // Another body each time, so that the variable changes.
        let body = body.replace("\"id\": 3", &format!("\"id\": {n}"));
        let sample = Sample {
            body: Some(body.as_bytes()),
            http: Some(HttpPart { method: "GET", ..HttpPart::default() }),
            ..Sample::default()
        };
        run(4, &CallState { previous: Previous::Is(&sample), ..CallState::default() });
    });
    pooled(jvm, calls);
}

fn body() -> String {
    let items: Vec<String> =
        (0..20).map(|n| format!("{{\"id\": {n}, \"name\": \"item {n}\", \"on\": true}}")).collect();
    format!("{{\"items\": [{}]}}", items.join(", "))
}

/// The first script through a pool, with many users whose calls are under way at a time.
fn pooled(jvm: Jvm, calls: u32) {
    const USERS: u32 = 64;
    let mut message = Vec::new();
    for user in 0..u64::from(USERS) {
        let identity =
            UserIdentity { thread_name: "G 1-1", thread_number: 0, group: "G", group_threads: USERS };
        request::user_started(&mut message, 100 + user, &identity);
        jvm.tell(&message).expect("the user starts");
    }
    let pool = Pool::new(PoolOptions::blocking("calls", 2));
    let (sender, receiver) = mpsc::channel();
    let submit = |user: u64, n: u32, mut message: Vec<u8>| {
        let value = n.to_string();
        let variables = [("n", ValueChange::Text(value.as_str()))];
        let state = CallState { variables: &variables, ..CallState::default() };
        request::run_script(&mut message, user, 0, &Overrides::default(), &state);
        let sender = sender.clone();
        pool.detach(move || {
            let answered = jvm.call(&message, &mut Vec::new());
            // The last ones come after the bench.
            let _ = sender.send((user, answered, message));
        });
    };
    for user in 0..u64::from(USERS) {
        submit(100 + user, 0, Vec::new());
    }
    measure("the first, 64 users on a pool of 2 threads", calls, |n| {
        let (user, answered, message) = receiver.recv().expect("an answer");
        answered.expect("it ran");
        submit(user, n, message);
    });
}
