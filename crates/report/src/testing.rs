//! Runs for the tests of this crate.

use swell_stats::{FailureKind, Observation, Recorder, Run, Users};

const START_NS: i64 = 1_700_000_000_000_000_000;

/// Two minutes of three samplers and a transaction, with errors and a slow spell.
pub(crate) fn run() -> Run {
    let mut run = Run::default();
    let mut recorder = Recorder::default();
    let labels = ["Home", "Search <b>&", "Order: confirm the purchase of everything", "Checkout"];
    for second in 0..120_i64 {
        for step in 0..100_u64 {
            let mixed = (second as u64 * 100 + step).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let slow = if (60..70).contains(&second) { 5 } else { 1 };
            let elapsed_ns = (8_000_000 + mixed * mixed / 20_000_000) * slow;
            let start_ns = START_NS + second * 1_000_000_000 + step as i64 * 10_000_000;
            let kind = (step % 4) as usize;
            recorder.record(&Observation {
                label: labels[kind],
                is_transaction: kind == 3,
                success: !mixed.is_multiple_of(97),
                start_ns,
                end_ns: start_ns + elapsed_ns as i64,
                elapsed_ns,
                elapsed_ms: elapsed_ns / 1_000_000,
                read_delay_ns: Some(mixed % 60_000),
                start_delay_ns: Some(mixed % 900_000),
                bytes: 5000,
                sent_bytes: 300,
                code: if mixed.is_multiple_of(2) {
                    "500"
                } else {
                    "Non HTTP response code: java.net.SocketTimeoutException"
                },
                message: if mixed.is_multiple_of(2) {
                    "Internal Server Error"
                } else {
                    "Read timed out\nafter a while"
                },
                kind: if mixed.is_multiple_of(2) {
                    FailureKind::Status
                } else {
                    FailureKind::ResponseTimeout
                },
                ..Observation::default()
            });
        }
        let active = (second as u64 * 2).min(50);
        let users = Users { active, started: active, finished: 0 };
        run.add(START_NS / 1_000_000_000 + second, &recorder.take_interval(), users);
    }
    run
}

/// Ten samples of one label.
pub(crate) fn small_run() -> Run {
    let mut run = Run::default();
    let mut recorder = Recorder::default();
    for step in 0..10 {
        let elapsed_ns = 1_000_000 * (step + 1);
        let start_ns = START_NS + step as i64;
        let end_ns = start_ns + elapsed_ns as i64;
        recorder.record(&Observation {
            label: "Home",
            success: true,
            elapsed_ns,
            start_ns,
            end_ns,
            ..Observation::default()
        });
    }
    run.add(START_NS / 1_000_000_000, &recorder.take_interval(), Users::default());
    run
}

/// Compares a text with a golden file, and writes it where `UPDATE_GOLDEN` is set.
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("the folder is there");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file is there");
    for (number, (ours, expected)) in text.lines().zip(golden.lines()).enumerate() {
        assert_eq!(ours, expected, "{name}:{}", number + 1);
    }
    assert_eq!(text.len(), golden.len(), "{name} has another length");
}
