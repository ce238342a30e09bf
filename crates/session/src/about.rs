//! What a page says of a run besides its figures: with what, on which machine.

use std::path::Path;

use swell_expr::Properties;
use swell_report::page::{About, Apdex, LOAD_GENERATOR};

/// The tool and its version.
pub const MADE_BY: &str = concat!("Swell ", env!("CARGO_PKG_VERSION"));

/// What properties say about the page of a run.
pub fn of_properties(props: &Properties) -> About {
    let default = Apdex::default();
    let ms =
        |name: &str, default| props.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default);
    About {
        made_by: MADE_BY.to_owned(),
        apdex: Apdex {
            satisfied_ms: ms("jmeter.reportgenerator.apdex_satisfied_threshold", default.satisfied_ms),
            tolerated_ms: ms("jmeter.reportgenerator.apdex_tolerated_threshold", default.tolerated_ms),
        },
        ..About::default()
    }
}

/// The machine that Swell runs on, as a fact of the page.
pub fn machine() -> (String, String) {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let kernel = read("/proc/sys/kernel/osrelease").map(|text| format!("Linux {}", text.trim()));
    let cpus = read("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = match model {
        Some((_, model)) => format!("{cores} × {model}"),
        None => format!("{cores} processors"),
    };
    let name = read("/proc/sys/kernel/hostname").map(|text| text.trim().to_owned());
    let parts: Vec<_> = name.into_iter().chain([cores]).chain(kernel).collect();
    (LOAD_GENERATOR.to_owned(), parts.join(", "))
}

/// The name of a file without its folder.
pub fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
