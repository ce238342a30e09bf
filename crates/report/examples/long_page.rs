//! The data of the live page of a long run with many labels, as files that
//! `web/test/browser/long.mjs` serves: a snapshot and ticks.
//!
//! `cargo run --profile profiling -p swell-report --example long_page -- 5000 8 FOLDER`: labels,
//! hours, where to write.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use swell_report::page::{About, RunPage, SCRIPT, STYLE, live_shell};
use swell_stats::{Interval, Observation, Recorder, Users, Wanted};

/// Intervals in which the hours are counted: longer than seconds, so that it takes no hours; the
/// page has as many points and cells.
const INTERVAL_MS: i64 = 30_000;

/// Ticks of a second each.
const TICKS: i64 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [labels, hours, folder] = &arguments[..] else { return Err("LABELS HOURS FOLDER are wanted".into()) };
    let (labels, hours, folder): (usize, i64, _) = (labels.parse()?, hours.parse()?, PathBuf::from(folder));
    fs::create_dir_all(&folder)?;
    let names: Vec<_> =
        (0..labels).map(|number| format!("GET /shop/section-{}/item-{number:04}", number % 40)).collect();
    let mut page = RunPage::new(About { title: "long".to_owned(), ..About::default() }).followed();
    let mut at_ms = 1_700_000_000_000;
    let end_ms = at_ms + hours * 3_600_000;
    while at_ms < end_ms {
        page.add(&interval(&names, at_ms, INTERVAL_MS));
        at_ms += INTERVAL_MS;
        // Ticks of the past were taken.
        let _ = page.tick();
    }
    let mut snapshot = serde_json::to_value(page.document(None, true))?;
    let status = serde_json::json!({
        "revision": 0, "phase": "main", "is_paused": false, "is_over": false, "users": 50, "samples": 1, "errors": 0, "groups": [],
    });
    snapshot["last_id"] = 0.into();
    snapshot["status"] = status.clone();
    fs::write(folder.join("snapshot.json"), snapshot.to_string())?;
    let mut ticks = String::new();
    for _ in 0..TICKS {
        page.add(&interval(&names, at_ms, 1000));
        at_ms += 1000;
        let mut tick = serde_json::to_value(page.tick())?;
        tick["status"] = status.clone();
        ticks.push_str(&tick.to_string());
        ticks.push('\n');
    }
    fs::write(folder.join("ticks.ndjson"), ticks)?;
    for (name, text) in
        [("index.html", live_shell("long").as_str()), ("app.js", &SCRIPT), ("app.css", &STYLE)]
    {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}

/// Two samples of each label.
fn interval(names: &[String], start_ms: i64, length_ms: i64) -> Interval {
    let mut recorder = Recorder::default();
    for (number, label) in names.iter().enumerate() {
        for step in 0..2 {
            let mixed = (start_ms as u64 / 1000 * 131 + number as u64 * 31 + step)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                >> 44;
            let elapsed_ns = 1_000_000 * (1 + number as u64 % 7) + mixed * 100;
            let start_ns = start_ms * 1_000_000;
            recorder.record(&Observation {
                label,
                success: !mixed.is_multiple_of(89),
                start_ns,
                end_ns: start_ns + elapsed_ns as i64,
                elapsed_ns,
                bytes: 1000,
                code: "503",
                message: "Service Unavailable",
                ..Observation::default()
            });
        }
    }
    let labels = recorder.take_interval();
    let users = Users { active: 50, started: 50, finished: 0 };
    let wanted = Wanted { users: Some(50), per_s: None };
    Interval { start_ms, length_ms: length_ms.unsigned_abs(), labels, users, wanted, ..Interval::default() }
}
