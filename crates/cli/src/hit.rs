//! `swell hit`: one URL, as a plan made in memory, so that everything that holds for plans holds for it.

use std::fmt::Write;
use std::sync::Arc;

use swell_engine::Settings;
use swell_expr::{Level, Properties, RunInfo};
use swell_plan::{Element, Node, Plan};
use swell_results::{FileOptions, ResultFiles};

use crate::args::HitArgs;
use crate::exit::{Exit, Failure};
use crate::host::Machine;
use crate::output;
use crate::run::setup;
use crate::run::{self, Job, Style, Wanted};

/// Without `-d` and `-n`.
const DEFAULT_SECONDS: f64 = 10.0;

/// Runs the command.
pub(crate) fn hit(args: &HitArgs) -> Result<Exit, Failure> {
    let mut plan = plan(args)?;
    if let Some(path) = &args.jtl {
        setup::add_results_file(&mut plan, path);
    }
    let files = ResultFiles::new(FileOptions {
        replace: args.force,
        on_failure: Some(Arc::new(output::results_fail)),
        ..FileOptions::new(".")
    });
    let props = Arc::new(Properties::default());
    let host = Arc::new(Machine::new(".".into(), None, Level::Error));
    let settings = Settings { props, host: host.clone(), run: Arc::new(RunInfo::default()) };
    let registry = setup::registry(&files);
    let prepared = setup::prepare(&plan, &registry, settings, &files)?;
    let workers = args.workers.map(usize::from);
    let job =
        Job { prepared, registry, files, host, workers, compat: false, clock: args.clock, commands: None };
    let ran = run::execute(job, Style::quiet())?;
    let summary = ran.desk.summary();
    let wanted = args.rate.filter(|_| !ran.interrupted).map(|rate| wanted(args, rate, summary.duration_s));
    let verdict = ran.verdict(wanted);
    output::write_hit(args, &ran, &summary, &verdict)?;
    Ok(ran.exit(&summary, args.strict.then_some(verdict.level)))
}

/// The starts that the rate asks for in the time that was given, or in the time that all the requests took.
fn wanted(args: &HitArgs, rate: f64, took_s: f64) -> Wanted {
    let starts = match args.requests {
        // Up to the last of them; the first is made at once.
        Some(requests) => (rate * took_s).max(requests as f64),
        None => rate * args.duration.map_or(DEFAULT_SECONDS, |time| time.as_secs_f64()),
    };
    Wanted { starts }
}

/// The plan that means the same.
fn plan(args: &HitArgs) -> Result<Plan, Failure> {
    let url = url::Url::parse(&args.url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = url else {
        return Err(Failure::settings(format!("`{}` is no http or https URL", args.url))
            .hint("write it whole, as in http://localhost:8080/path"));
    };
    check(args, &url)?;
    let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "swell hit"));
    for group in groups(args) {
        let mut group = group.with(Node::new(sampler(args, &url)?));
        group = group.with(Node::new(headers(args)?));
        if let Some(rate) = args.rate {
            group = group.with(Node::new(timer(rate)));
        }
        root = root.with(group);
    }
    Ok(Plan::new(root))
}

/// What would be left out or mean something else without a word.
fn check(args: &HitArgs, url: &url::Url) -> Result<(), Failure> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::settings("user and password in the URL are not sent")
            .hint("send them as -H 'Authorization: Basic …', in base64"));
    }
    if args.duration.is_some_and(|time| time.is_zero()) {
        return Err(Failure::settings("a test of no time sends nothing")
            .hint("-d 10s, or -n for a number of requests"));
    }
    if args.timeout.is_some_and(|time| time.as_millis() == 0) {
        return Err(
            Failure::settings("a timeout is at least 1ms").hint("leave --timeout out to wait for ever")
        );
    }
    Ok(())
}

/// Thread groups: one for a time; for a number of requests at most two, of which one makes one request more a user.
fn groups(args: &HitArgs) -> Vec<Node> {
    let users = u64::from(args.users);
    let seconds = args.duration.map(|time| time.as_secs_f64());
    let Some(requests) = args.requests else {
        return vec![group(users, -1, Some(seconds.unwrap_or(DEFAULT_SECONDS)))];
    };
    let (each, more) = ((requests / users).cast_signed(), requests % users);
    let parts = [(more, each + 1), (users - more, each)];
    let real = parts.into_iter().filter(|(users, loops)| *users > 0 && *loops > 0);
    real.map(|(users, loops)| group(users, loops, seconds)).collect()
}

fn group(users: u64, loops: i64, seconds: Option<f64>) -> Node {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", &loops.to_string());
    let mut group = Element::new("ThreadGroup", "ThreadGroupGui", "hit")
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.num_threads", &users.to_string())
        .with_text("ThreadGroup.ramp_time", "0")
        .with_text("ThreadGroup.on_sample_error", "continue")
        .with_flag("ThreadGroup.same_user_on_next_iteration", true);
    if let Some(seconds) = seconds {
        group = group
            .with_flag("ThreadGroup.scheduler", true)
            .with_text("ThreadGroup.duration", &format!("{seconds}"))
            .with_text("ThreadGroup.delay", "0");
    }
    Node::new(group)
}

fn sampler(args: &HitArgs, url: &url::Url) -> Result<Element, Failure> {
    let path = request_path(url);
    let timeout = args.timeout.map(|time| time.as_millis().to_string()).unwrap_or_default();
    let mut sampler = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", &path)
        .with_text("HTTPSampler.domain", url.host_str().unwrap_or_default())
        .with_text("HTTPSampler.port", &url.port().map(|port| port.to_string()).unwrap_or_default())
        .with_text("HTTPSampler.protocol", url.scheme())
        .with_text("HTTPSampler.path", &path)
        .with_text("HTTPSampler.method", &args.method)
        .with_flag("HTTPSampler.follow_redirects", false)
        .with_flag("HTTPSampler.auto_redirects", false)
        .with_flag("HTTPSampler.use_keepalive", !args.no_keepalive)
        .with_text("HTTPSampler.connect_timeout", &timeout)
        .with_text("HTTPSampler.response_timeout", &timeout);
    if let Some(body) = body(args)? {
        let argument = Element::new("HTTPArgument", "HTTPArgument", "")
            .with_flag("HTTPArgument.always_encode", false)
            .with_text("Argument.value", &body)
            .with_text("Argument.metadata", "=");
        let arguments = Element::new("Arguments", "HTTPArgumentsPanel", "")
            .with_elements("Arguments.arguments", [argument]);
        sampler = sampler
            .with_flag("HTTPSampler.postBodyRaw", true)
            .with_element("HTTPsampler.Arguments", arguments);
    }
    Ok(sampler)
}

/// Path and query, what a URI may not hold percent-encoded. So no `${` is left, either.
fn request_path(url: &url::Url) -> String {
    let mut out = String::new();
    let mut put = |text: &str, wrong: &[char]| {
        for c in text.chars() {
            if c.is_ascii() && wrong.contains(&c) {
                let _infallible = write!(out, "%{:02X}", c as u32);
            } else {
                out.push(c);
            }
        }
    };
    const WRONG: &[char] = &['|', '^', '{', '}', '`', '\\', '"', '<', '>', ' ', '[', ']'];
    put(url.path(), WRONG);
    if let Some(query) = url.query() {
        put("?", &[]);
        put(query, &WRONG[..10]);
    }
    out
}

/// The text of `-b`, or of the file that it names. `${` in it is data, not an expression.
fn body(args: &HitArgs) -> Result<Option<String>, Failure> {
    let Some(text) = &args.body else { return Ok(None) };
    let text = match text.strip_prefix('@') {
        None => text.clone(),
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::settings(format!("cannot read the body from `{file}`: {error}")))?,
    };
    Ok(Some(literal(&text)))
}

/// Written so that the expression language gives it back as it is. It leaves a text without a reference untouched, even
/// its backslashes, so `\${` alone would stay as it stands.
fn literal(text: &str) -> String {
    if text.contains("${") {
        text.replace('\\', "\\\\").replace("${", "${__char(36)}{")
    } else {
        text.to_owned()
    }
}

fn headers(args: &HitArgs) -> Result<Element, Failure> {
    let mut pairs = Vec::new();
    for header in &args.headers {
        let Some((name, value)) = header.split_once(':') else {
            return Err(Failure::settings(format!("`{header}` is no header")).hint("write `Name: value`"));
        };
        pairs.push((name.trim().to_owned(), literal(value.trim())));
    }
    if !pairs.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
        pairs.push(("User-Agent".to_owned(), concat!("swell/", env!("CARGO_PKG_VERSION")).to_owned()));
    }
    let headers = pairs.into_iter().map(|(name, value)| {
        Element::new("Header", "", "").with_text("Header.name", &name).with_text("Header.value", &value)
    });
    Ok(Element::new("HeaderManager", "HeaderPanel", "Headers")
        .with_elements("HeaderManager.headers", headers))
}

/// A schedule that all users share: requests are evenly spaced, and late ones are made up for.
fn timer(rate: f64) -> Element {
    Element::new("ConstantThroughputTimer", "TestBeanGUI", "rate")
        .with_text("throughput", &format!("{}", rate * 60.0))
        .with_text("calcMode", "swell.schedule")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn args(line: &[&str]) -> HitArgs {
        let cli = crate::args::Cli::try_parse_from(["swell", "hit"].iter().chain(line)).expect("valid");
        let crate::args::Command::Hit(args) = cli.command else { panic!("hit is meant") };
        args
    }

    fn shares(line: &[&str]) -> Vec<(String, String)> {
        let text = |node: &Node, name: &str| node.element.text_or_empty(name).to_owned();
        groups(&args(line))
            .iter()
            .map(|g| {
                let main = g
                    .element
                    .element("ThreadGroup.main_controller")
                    .expect("set")
                    .text_or_empty("LoopController.loops");
                (text(g, "ThreadGroup.num_threads"), main.to_owned())
            })
            .collect()
    }

    #[test]
    fn a_number_of_requests_is_shared_out_exactly() {
        let pairs = |list: &[(&str, &str)]| -> Vec<_> {
            list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        assert_eq!(shares(&["http://a/", "-n", "100", "-c", "10"]), pairs(&[("10", "10")]));
        assert_eq!(shares(&["http://a/", "-n", "103", "-c", "10"]), pairs(&[("3", "11"), ("7", "10")]));
        assert_eq!(shares(&["http://a/", "-n", "3", "-c", "10"]), pairs(&[("3", "1")]));
        assert_eq!(shares(&["http://a/", "-c", "7"]), pairs(&[("7", "-1")]));
    }

    #[test]
    fn wrong_urls_headers_and_bodies_are_refused_with_a_hint() {
        for line in [
            &["localhost:80"][..],
            &["ftp://a/"],
            &["http://"],
            &["http://a/", "-H", "no colon"],
            &["http://a/", "-b", "@no/such"],
        ] {
            assert_eq!(plan(&args(line)).err().map(|f| f.exit), Some(Exit::Settings), "{line:?}");
        }
    }

    #[test]
    fn dollars_in_bodies_are_data() {
        assert_eq!(literal("a$b\\c"), "a$b\\c");
        assert_eq!(literal("${x} \\ $"), "${__char(36)}{x} \\\\ $");
    }
}
