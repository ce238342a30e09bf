//! Time to write one row: `cargo bench -p swell-results --profile profiling`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use swell_api::{DataType, HttpDetails, SampleResult, Text, Timing};
use swell_expr::testing::context_for;
use swell_expr::{Compiler, Properties};
use swell_results::{RowFormat, Save, SaveConfig};

/// Rows of each kind; another number can be given, as for a count of instructions: `-- 20000`.
const ROWS: u32 = 2_000_000;

fn main() {
    let sample = sample();
    let rows = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(ROWS);
    let cx = context_for(&Compiler::new(Arc::default()));
    for (name, xml) in [("CSV as -l", false), ("XML attributes", true)] {
        let mut format = format();
        format.config.set(Save::Xml, xml);
        let mut out = Vec::with_capacity(128 * 1024);
        let mut bytes = 0;
        let started = Instant::now();
        for _ in 0..rows {
            format.sample(black_box(&sample), &cx, &mut out);
            if out.len() > 64 * 1024 {
                bytes += out.len();
                out.clear();
            }
        }
        let each_ns = started.elapsed().as_nanos() as f64 / f64::from(rows);
        println!("{name:15} {each_ns:6.1} ns/row, {} bytes/row", bytes / rows as usize);
    }
}

fn format() -> RowFormat {
    RowFormat {
        config: SaveConfig::from_properties(&Properties::default()).expect("defaults are valid"),
        stamp: None,
        variables: Vec::new(),
        host_name: String::new(),
        default_encoding: "UTF-8".into(),
        functional: false,
        xml_pi: String::new(),
    }
}

fn sample() -> SampleResult {
    let start_ns = 1_700_000_000_123_000_000;
    SampleResult {
        label: Text::from("Search for a product"),
        code: Text::from("200"),
        message: Text::from("OK"),
        success: true,
        data_type: DataType::Text,
        timing: Timing {
            start_ns,
            end_ns: start_ns + 42_000_000,
            first_byte_ns: start_ns + 30_000_000,
            ..Timing::default()
        },
        bytes: 12_345,
        sent_bytes: 417,
        thread_name: Text::from("Thread Group 1-17"),
        group_threads: 250,
        all_threads: 1000,
        url: Some(Text::from("https://shop.example.com/search?q=shoes&page=2")),
        http: Some(Box::new(HttpDetails::default())),
        ..SampleResult::default()
    }
}
