//! Time to count one sample: `cargo bench -p swell-stats --profile profiling`.

use std::hint::black_box;
use std::time::Instant;

use swell_stats::{Observation, Recorder};

fn main() {
    const SAMPLES: u64 = 2_000_000;
    for labels in [1, 8, 1000] {
        let names: Vec<String> = (0..labels).map(|number| format!("Transaction number {number}")).collect();
        let mut recorder = Recorder::default();
        let started = Instant::now();
        for step in 0..SAMPLES {
            let elapsed_ns = 1_000_000 + step * 7919 % 4_000_000;
            recorder.record(black_box(&Observation {
                label: &names[step as usize % names.len()],
                success: true,
                elapsed_ns,
                elapsed_ms: elapsed_ns / 1_000_000,
                read_delay_ns: Some(step * 31 % 50_000),
                start_delay_ns: Some(step * 17 % 90_000),
                first_byte_ns: Some(elapsed_ns / 2),
                bytes: 500,
                ..Observation::default()
            }));
        }
        let each_ns = started.elapsed().as_nanos() as f64 / SAMPLES as f64;
        println!("{labels:5} labels: {each_ns:6.1} ns/sample, {} rows", recorder.take_interval().rows.len());
    }
}
