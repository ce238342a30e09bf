//! The plan that means the same as the command line.

use swell_import::elements::{GroupLoad, thread_group};
use swell_plan::{Element, Node, Plan};
use swell_run::{RunShape, ShapeUnit};

use super::auth::Auth;
use super::grpc::{Grpc, is_grpc};
use super::websocket::WebSocket;
use super::{request, urls};
use crate::args::HitArgs;
use crate::exit::Failure;

/// Without `-d` and `-n`.
pub(super) const DEFAULT_SECONDS: f64 = 10.0;

/// Makes the plan.
///
/// # Errors
/// What of the command line is wrong, with a hint.
pub(super) fn plan(args: &HitArgs, shape: Option<&RunShape>) -> Result<Plan, Failure> {
    check(args)?;
    if let Some(socket) = WebSocket::of(args)? {
        return websocket(args, shape, &socket);
    }
    if let Some(method) = Grpc::of(args)? {
        return Ok(calls(args, shape, &method));
    }
    let addresses = urls::all(args)?;
    let auth = Auth::of(args, &addresses)?;
    let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "swell hit"));
    // URLs of one site differ only in their paths.
    let one_site = addresses.iter().all(|address| address.origin() == addresses[0].origin());
    let mut samplers = Vec::with_capacity(addresses.len());
    for address in &addresses {
        let name = if one_site { address.path() } else { format!("{}{}", address.origin(), address.path()) };
        samplers.push(Node::new(request::sampler(args, address, &name)?));
    }
    let authorization = if let Auth::Header(value) = &auth { Some(value.clone()) } else { None };
    let headers = request::headers(args, authorization)?;
    let rate = rate(args, shape);
    for mut group in groups(args, shape) {
        for node in choice(args, &samplers) {
            group = group.with(node);
        }
        group = group.with(Node::new(headers.clone()));
        if let Auth::Manager(manager) = &auth {
            group = group.with(Node::new(manager.clone()));
        }
        if let Some(rate) = rate {
            group = group.with(Node::new(timer(rate)));
        }
        root = root.with(group);
    }
    Ok(Plan::new(root))
}

/// The plan of a gRPC method.
fn calls(args: &HitArgs, shape: Option<&RunShape>, method: &Grpc) -> Plan {
    let rate = rate(args, shape);
    let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "swell hit"));
    for mut group in groups(args, shape) {
        group = group.with(Node::new(method.sampler(args)));
        if let Some(rate) = rate {
            group = group.with(Node::new(timer(rate)));
        }
        root = root.with(group);
    }
    Plan::new(root)
}

/// The plan of a WebSocket. A user whose connection fails opens another one, if the test has a time
/// and not a number of messages.
fn websocket(args: &HitArgs, shape: Option<&RunShape>, socket: &WebSocket) -> Result<Plan, Failure> {
    let headers = request::headers(args, None)?;
    let rate = rate(args, shape);
    let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "swell hit"));
    for Share { users, loops, seconds } in shares(args, shape) {
        let mut group = group(&Share { users, loops: loops.min(1), seconds }, "startnextloop");
        for node in socket.steps(args, loops, rate.map(timer)) {
            group = group.with(node);
        }
        root = root.with(group.with(Node::new(headers.clone())));
    }
    Ok(Plan::new(root))
}

/// Requests a second; the shape takes the place of any rate.
fn rate(args: &HitArgs, shape: Option<&RunShape>) -> Option<f64> {
    let shaped_rate = shape.filter(|shape| shape.shape.unit() != Some(ShapeUnit::Users));
    args.rate.or_else(|| shaped_rate.map(|shape| shape.shape.mean().max(1.0)))
}

/// What would be left out or mean something else without a word.
fn check(args: &HitArgs) -> Result<(), Failure> {
    if args.streams > 1 && args.one.version.http1 {
        return Err(Failure::settings("HTTP/1.1 has one request at a time on a connection")
            .hint("leave --streams out, or use -c for more connections"));
    }
    let is_plain = |url: &String| !url.starts_with("https://") && !is_grpc(url);
    if args.streams > 1 && !args.one.version.http2 && args.urls.iter().any(is_plain) {
        return Err(Failure::settings("--streams needs HTTP/2, which is not negotiated without TLS")
            .hint("--http2 uses HTTP/2 for http:// URLs; the server must accept it without an upgrade"));
    }
    if args.duration.is_some_and(|time| time.is_zero()) {
        return Err(
            Failure::settings("a test must take some time").hint("-d 10s, or -n for a number of requests")
        );
    }
    if args.one.shape.shape.is_some() && (args.rate.is_some() || args.requests.is_some() || args.debug) {
        return Err(Failure::settings(
            "a load shape says how many requests there are: it does not go with -r, -n and --debug",
        )
        .hint("'hold(500, 1m)' is a rate of 500 a second, 'users: hold(500, 1m)' are 500 users"));
    }
    let option = match (&args.values.secrets[..], &args.values.figures[..]) {
        ([_, ..], _) => Some("--secret"),
        (_, [_, ..]) => Some("--figure"),
        _ => None,
    };
    if let Some(option) = option.filter(|_| !args.request.functions) {
        return Err(Failure::settings(format!("{option} has no effect without --functions")).hint(
            "with --functions, ${__P(NAME)} in a URL, a header or the body is a secret, and ${__Random(1,9,NAME)} sets a variable",
        ));
    }
    if args.request.timeout.is_some_and(|time| !time.is_zero() && time.as_millis() == 0) {
        return Err(Failure::settings("a timeout is at least 1ms").hint("--timeout 0 waits without a limit"));
    }
    Ok(())
}

/// One URL is asked for again and again; of several, each iteration takes the next one of all
/// users, or one at random.
fn choice(args: &HitArgs, samplers: &[Node]) -> Vec<Node> {
    if samplers.len() == 1 {
        return samplers.to_vec();
    }
    let controller = if args.random {
        Element::new("RandomController", "RandomControlGui", "any URL")
    } else {
        Element::new("InterleaveControl", "InterleaveControlGui", "next URL")
            .with_flag("InterleaveControl.accrossThreads", true)
    };
    vec![samplers.iter().cloned().fold(Node::new(controller), Node::with)]
}

/// Users that do the same.
struct Share {
    users: u64,
    /// Requests of each; -1 for no end.
    loops: i64,
    seconds: Option<f64>,
}

/// Thread groups.
fn groups(args: &HitArgs, shape: Option<&RunShape>) -> Vec<Node> {
    shares(args, shape).iter().map(|share| group(share, "continue")).collect()
}

/// One share for a time; for a number of requests at most two, of which one makes one request more
/// a user.
fn shares(args: &HitArgs, shape: Option<&RunShape>) -> Vec<Share> {
    if args.debug {
        return vec![Share { users: 1, loops: 1, seconds: None }];
    }
    let users = args.all_users();
    let asked_s = args.duration.map(|time| time.as_secs_f64());
    let shape_s = shape.map(|shape| shape.shape.length_s());
    let seconds = shape_s.into_iter().chain(asked_s).reduce(f64::min);
    let Some(requests) = args.requests else {
        return vec![Share { users, loops: -1, seconds: Some(seconds.unwrap_or(DEFAULT_SECONDS)) }];
    };
    let each = (requests / users).cast_signed();
    let more = requests % users;
    let parts = [(more, each + 1), (users - more, each)];
    let real = parts.into_iter().filter(|(users, loops)| *users > 0 && *loops > 0);
    real.map(|(users, loops)| Share { users, loops, seconds }).collect()
}

fn group(share: &Share, on_error: &'static str) -> Node {
    Node::new(thread_group(
        "hit",
        &GroupLoad {
            users: share.users.to_string(),
            loops: share.loops.to_string(),
            ramp: "0".to_owned(),
            duration: share.seconds.map(|seconds| format!("{seconds}")),
            on_error,
        },
    ))
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
    use crate::exit::Exit;
    use clap::Parser;

    fn args(line: &[&str]) -> HitArgs {
        let cli = crate::args::Cli::try_parse_from(["swell", "hit"].iter().chain(line)).expect("valid");
        let crate::args::Command::Hit(args) = cli.command else { panic!("hit is meant") };
        *args
    }

    fn shares(line: &[&str]) -> Vec<(String, String)> {
        let text = |node: &Node, name: &str| node.element.text_or_empty(name).to_owned();
        groups(&args(line), None)
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
        assert_eq!(shares(&["http://a/", "--debug"]), pairs(&[("1", "1")]));
    }

    #[test]
    fn what_is_wrong_is_refused_with_a_hint() {
        for line in [
            &["ftp://a/"][..],
            &["http://"],
            &["http://a/", "-H", "no colon"],
            &["http://a/", "-H", "bad name: x"],
            &["http://a/", "-X", "GE T"],
            &["http://a/", "-b", "@no/such"],
            &["http://a/", "--form", "=x"],
            &["http://a/", "--multipart", "f=@no/such"],
            &["http://a/", "-u", "ada"],
            &["--urls", "no/such"],
        ] {
            assert_eq!(plan(&args(line), None).err().map(|f| f.exit), Some(Exit::Settings), "{line:?}");
        }
    }
}
