//! Runs each target briefly from several fixed seeds. `make fuzz` runs longer.

use std::path::Path;
use std::time::Duration;

use swell_fuzz::watch::{Ending, Fault, watch};
use swell_fuzz::work::Runs;
use swell_fuzz::{BROKEN, Corpus, TARGETS, Target};

/// Each seed takes a development build about a second per target.
const SEEDS: [u64; 2] = [1, 2];

fn run(target: &Target, seed: u64, limit: Duration) -> Ending {
    let program = Path::new(env!("CARGO_BIN_EXE_swell-fuzz"));
    let runs = Runs { seed, first: 0, count: target.short_runs, time: None };
    watch(program, target.name, runs, limit).expect("the worker can be watched")
}

/// Runs a target from each seed, and prints how to repeat a failing input.
fn check(name: &str) {
    let target = Target::named(name).expect("there is such a target");
    for seed in SEEDS {
        match run(target, seed, Duration::from_secs(20)) {
            Ending::Passed(count) => assert_eq!(count, target.short_runs),
            Ending::Failed(fault) => {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("failures");
                let path = fault.keep(name, &folder).expect("the input can be kept");
                panic!(
                    "{}: run {} of seed {seed}\n{}\nrepeat it: cargo run -p swell-fuzz -- repeat {name} {}",
                    fault.what,
                    fault.current.run,
                    fault.words.trim_end(),
                    path.display()
                );
            }
        }
    }
}

/// Defines one test per target, and a test that every target has one.
macro_rules! tests {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check($name);
        })*

        #[test]
        fn each_target_has_a_test_and_seeds() {
            let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(targets, [$($name),*]);
            for name in targets {
                let seeds = Corpus::of(name).expect("the seeds can be read").seeds;
                assert!(Corpus::folder(name).is_dir() && seeds.len() >= 3, "{name}");
            }
        }
    };
}

tests! {
    cache: "cache",
    challenge: "challenge",
    chunks: "chunks",
    content_type: "content-type",
    cookies: "cookies",
    css: "css",
    csv: "csv",
    dates: "dates",
    dns: "dns",
    encodings: "encodings",
    exposition: "exposition",
    figures: "figures",
    file_names: "file-names",
    fleet: "fleet",
    grpc_json: "grpc-json",
    grpc_messages: "grpc-messages",
    heads: "heads",
    hpack: "hpack",
    html: "html",
    http2_client: "http2-client",
    http2_server: "http2-server",
    import_artillery: "import-artillery",
    import_curl: "import-curl",
    import_har: "import-har",
    import_http: "import-http",
    import_insomnia: "import-insomnia",
    import_log: "import-log",
    import_openapi: "import-openapi",
    import_hurl: "import-hurl",
    import_postman: "import-postman",
    import_urls: "import-urls",
    import_vegeta: "import-vegeta",
    jmx: "jmx",
    json: "json",
    jsonpath: "jsonpath",
    jtl: "jtl",
    jtl_read: "jtl-read",
    keystores: "keystores",
    perf_data: "perf-data",
    plan_edits: "plan-edits",
    properties: "properties",
    regex: "regex",
    resources: "resources",
    save_config: "save-config",
    schedule: "schedule",
    shapes: "shapes",
    templates: "templates",
    tool_outputs: "tool-outputs",
    urls: "urls",
    websocket: "websocket",
    xml: "xml",
    xpath: "xpath",
}

fn fault_of(name: &str) -> Fault {
    let target = BROKEN.iter().find(|target| target.name == name).expect("there is such a target");
    match run(target, SEEDS[0], Duration::from_secs(1)) {
        Ending::Passed(count) => panic!("{name}: nothing was seen in {count} inputs"),
        Ending::Failed(fault) => fault,
    }
}

#[test]
fn a_fault_is_seen_whatever_it_is_and_its_input_is_kept() {
    let table = [
        ("broken-panic", "a panic", "this input is wrong"),
        ("broken-hang", "one input took more than 1s", ""),
        ("broken-stack", "the process ended by signal 6", "has overflowed its stack"),
        ("broken-memory", "a panic", "held 2097152 bytes at one time"),
        ("broken-abort", "the process ended by signal 6", "memory allocation of 3221225472 bytes failed"),
    ];
    assert_eq!(
        table.map(|row| row.0).as_slice(),
        BROKEN.iter().map(|target| target.name).collect::<Vec<_>>()
    );
    for (name, what, words) in table {
        let fault = fault_of(name);
        assert!(fault.what.starts_with(what), "{name}: {}", fault.what);
        assert!(fault.words.contains(words), "{name}: {}", fault.words);
        assert!(!fault.current.input.starts_with(b"seed"), "{name}: this input is fine");
        let folder = tempfile::tempdir().expect("a folder");
        let path = fault.keep(name, folder.path()).expect("the input can be kept");
        assert_eq!(std::fs::read(path).expect("it exists"), fault.current.input);
    }
}
