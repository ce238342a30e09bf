//! What a page says of a run besides its figures: what was run, with what, on which machine.

use std::path::Path;

use swell_expr::Properties;
use swell_plan::Plan;
use swell_report::is_secret;
use swell_report::page::{About, Apdex, LOAD_GENERATOR, TARGET};

use crate::args::{HitArgs, RunArgs, Setting};
use crate::transactions;

/// The tool and its version.
pub(crate) const MADE_BY: &str = concat!("Swell ", env!("CARGO_PKG_VERSION"));

/// A run of a plan.
pub(crate) fn of_run(args: &RunArgs, plan: &Plan, props: &Properties) -> About {
    let file = args.plan();
    let mut facts = vec![("Plan".to_owned(), file.display().to_string())];
    let set = properties(args.settings.in_order());
    if !set.is_empty() {
        facts.push(("Properties".to_owned(), set));
    }
    if args.with_target {
        let at = |name| props.get(name).unwrap_or_default();
        facts.push((TARGET.to_owned(), format!("built-in, {}:{}", at("host"), at("port"))));
    }
    facts.push(machine());
    About { title: name_of(file), facts, transactions: transactions::of_plan(plan), ..of_properties(props) }
}

/// A run of `swell hit`.
pub(crate) fn of_hit(args: &HitArgs, props: &Properties) -> About {
    let target = match (&args.urls[..], &args.urls_file) {
        ([first], None) => first.clone(),
        ([first, more @ ..], None) => format!("{first} and {} more", more.len()),
        (_, file) => file.as_deref().map(|file| format!("URLs of {}", file.display())).unwrap_or_default(),
    };
    let load = match args.rate {
        Some(rate) => format!("{rate} requests a second, up to {} users", args.users),
        None => format!("{} users", args.users),
    };
    let title = format!("swell hit {target}");
    let mut facts = vec![(TARGET.to_owned(), target), ("Load".to_owned(), load)];
    facts.push(machine());
    About { title, facts, ..of_properties(props) }
}

fn of_properties(props: &Properties) -> About {
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

/// Properties of the command line; values whose name says that they are secret are left out.
fn properties(settings: &[Setting]) -> String {
    let shown = |name: &str, value: &str| {
        let value = if is_secret(name) { "***" } else { value };
        format!("{name}={value}")
    };
    let texts: Vec<_> = settings
        .iter()
        .map(|setting| match setting {
            Setting::Property(name, value) | Setting::System(name, value) => shown(name, value),
            Setting::File(path) | Setting::SystemFile(path) => format!("those of {}", path.display()),
        })
        .collect();
    texts.join(", ")
}

/// The machine that Swell runs on; what it does not say is left out.
fn machine() -> (String, String) {
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
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
