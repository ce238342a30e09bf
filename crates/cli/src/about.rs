//! What a page says of a run besides its figures: what was run, with what, on which machine.

use swell_expr::Properties;
use swell_plan::Plan;
use swell_report::is_secret;
use swell_report::page::{About, TARGET};
use swell_session::{about_of_properties, machine, name_of, transactions_of};

use crate::args::{HitArgs, RunArgs, Setting};

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
    About { title: name_of(file), facts, transactions: transactions_of(plan), ..about_of_properties(props) }
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
    let values = &args.values;
    let secrets = values.secrets.iter().map(|(name, _)| format!("{name}=***"));
    let set: Vec<_> = secrets.chain(values.figures.iter().map(|figure| format!("figure {figure}"))).collect();
    if !set.is_empty() {
        facts.push(("Properties".to_owned(), set.join(", ")));
    }
    facts.push(machine());
    About { title, facts, ..about_of_properties(props) }
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
            Setting::Secret(name, _) => format!("{name}=***"),
            Setting::Figure(figure) => format!("figure {figure}"),
        })
        .collect();
    texts.join(", ")
}
