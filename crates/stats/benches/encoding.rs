//! Size and time of encoded figures: `cargo bench -p swell-stats --profile profiling --bench
//! encoding`.

use std::hint::black_box;
use std::time::Instant;

use swell_stats::encoding::{decode, encode};
use swell_stats::{Histogram, Observation, Precision, Recorder, Snapshot};

/// Microseconds that each call takes.
fn each_us(mut work: impl FnMut()) -> f64 {
    const TIMES: u32 = 200;
    let started = Instant::now();
    (0..TIMES).for_each(|_| work());
    started.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
}

/// Times around 50 ms with a long tail, in nanoseconds.
fn times(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |step| {
        let part = (step * 7919 % count) as f64 / count as f64;
        (20e6 + 30e6 * part / (1.0 - part + 1.0 / count as f64).sqrt()) as u64
    })
}

/// What is counted of a label with these times, nanoseconds.
fn counted(times: impl Iterator<Item = u64>) -> Snapshot {
    let mut recorder = Recorder::default();
    for elapsed_ns in times {
        let first_byte_ns = Some(elapsed_ns / 2);
        recorder.record(&Observation {
            label: "a",
            success: true,
            elapsed_ns,
            first_byte_ns,
            ..Observation::default()
        });
    }
    recorder.take_interval()
}

/// What a machine counts of a label in a second; `phase` makes seconds differ.
fn second(samples: u64, phase: u64) -> Snapshot {
    counted(times(samples).map(|elapsed_ns| elapsed_ns + elapsed_ns / 997 * phase))
}

/// Bytes a second of a label: with three digits each second, or with two and the third each minute.
fn two_precisions() {
    for samples in [10, 100, 1_000, 10_000] {
        let mut minute = Snapshot::default();
        (0..60).for_each(|phase| minute.add_fine(&second(samples, phase).rows[0]));
        let one = second(samples, 7);
        println!(
            "{samples:6} samples a second, 2 histograms: {:6} bytes with three digits; {:6} with two, {:5.0} for the third each minute; {:5.1} us to make two of three",
            encode(&one).len(),
            encode(&one.coarse(0)).len(),
            encode(&minute).len() as f64 / 60.0,
            each_us(|| drop(black_box(one.coarse(0)))),
        );
    }
}

fn main() {
    two_precisions();
    for samples in [100, 1_000, 10_000, 100_000] {
        let mut histogram = Histogram::new(Precision::Three);
        times(samples).for_each(|elapsed_ns| histogram.record(elapsed_ns));
        let snapshot = counted(times(samples));
        let bytes = encode(&snapshot);
        let mut total = Snapshot::default();
        println!(
            "{samples:6} samples, 2 histograms: {:6} bytes, encode {:6.1} us, decode {:6.1} us, decode and merge {:6.1} us",
            bytes.len(),
            each_us(|| drop(black_box(encode(&snapshot)))),
            each_us(|| drop(black_box(decode::<Snapshot>(&bytes)))),
            each_us(|| total.merge(&decode(&bytes).expect("it was encoded"))),
        );
        let v2 = histogram.to_hdr_v2_deflate().expect("it fits");
        println!(
            "                1 as HdrHistogram V2: {:6} bytes, encode {:6.1} us, decode {:6.1} us",
            v2.len(),
            each_us(|| drop(black_box(histogram.to_hdr_v2_deflate()))),
            each_us(|| drop(black_box(Histogram::from_hdr_v2(&v2, Precision::Three)))),
        );
    }
}
