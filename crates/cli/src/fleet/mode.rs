//! Which machines make the load of a run, from its options in Swell's spelling and in JMeter's.

use std::time::Duration;

use swell_expr::Properties;
use swell_fleet::OnLoss;
use swell_fleet::coordinator::{CoordinatorOptions, PHASE_TIMEOUT, interval_of};

use super::ssh::SshHost;
use crate::args::{FleetArgs, OnAgentLoss, RunArgs};
use crate::exit::Failure;

/// Environment variable: where to join.
pub(crate) const NATS: &str = "SWELL_NATS";

/// Where agents come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// They are started here.
    Children,
    /// They join.
    Joined,
}

/// A run on many machines.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    pub(crate) agents_from: From,
    pub(crate) coordinator: CoordinatorOptions,
    /// A broker that runs already.
    pub(crate) nats: Option<String>,
    /// JMeter's spelling: agents get no properties of `-J`.
    pub(crate) as_jmeter: bool,
    /// Machines on which agents are started over ssh.
    pub(crate) ssh: Vec<SshHost>,
}

/// How the load of a run is made; none: here. `controls`: it is that of `swell controller`.
///
/// # Errors
/// Options that do not go together.
pub(crate) fn mode_of(args: &RunArgs, props: &Properties, controls: bool) -> Result<Option<Mode>, Failure> {
    let fleet = &args.fleet;
    let as_jmeter = args.jmeter.run_remote || args.jmeter.remote_start.is_some();
    let is_asked = controls || as_jmeter || fleet.agents.is_some() || fleet.take.is_some();
    if !is_asked {
        return match option_for_agents(fleet) {
            Some(option) => {
                Err(Failure::settings(format!("{option} is for tests on many machines, and this is on one"))
                    .hint("say how many agents there are: --agents 3"))
            }
            None => Ok(None),
        };
    }
    if args.one.shape.shape.is_some() && (as_jmeter || fleet.jmeter_multiply) {
        return Err(Failure::settings(
            "--shape states the load of the whole test, and each agent is to run all of it",
        )
        .hint("leave out -r, -R and --jmeter-multiply: --agents N shares the load out"));
    }
    let (named, ssh) = named_agents(args, props);
    let nats = fleet.nats.clone().or_else(|| std::env::var(NATS).ok().filter(|_| as_jmeter));
    let agents_from = if controls || as_jmeter || nats.is_some() { From::Joined } else { From::Children };
    let agents = fleet.agents.map_or(named.len().max(1), usize::from);
    let default = Duration::from_secs(if controls && nats.is_none() { 600 } else { 30 });
    let timeout = fleet.agents_timeout.or_else(|| as_jmeter.then(|| patience(props))).unwrap_or(default);
    let coordinator = CoordinatorOptions {
        agents,
        named,
        timeout_ns: timeout.as_nanos() as i64,
        begin_without: as_jmeter && props.flag("client.continue_on_fail", false),
        on_loss: on_loss(args, props),
        multiply: as_jmeter || fleet.jmeter_multiply,
        slices: fleet.slices,
        allow_skew: fleet.allow_skew,
        interval_s: fleet.agents_interval.unwrap_or_else(|| interval_of(agents)),
        phase_timeout_ns: fleet.phase_timeout.unwrap_or(PHASE_TIMEOUT).as_nanos() as i64,
    };
    Ok(Some(Mode { agents_from, coordinator, nats, as_jmeter, ssh }))
}

/// An option that only a test with agents has a use for, if one is given.
fn option_for_agents(fleet: &FleetArgs) -> Option<&'static str> {
    let given = [
        ("--nats", fleet.nats.is_some()),
        ("--agents-timeout", fleet.agents_timeout.is_some()),
        ("--on-agent-loss", fleet.on_agent_loss.is_some()),
        ("--phase-timeout", fleet.phase_timeout.is_some()),
        ("--agents-interval", fleet.agents_interval.is_some()),
        ("--slices", fleet.slices.is_some()),
        ("--jmeter-multiply", fleet.jmeter_multiply),
        ("--allow-skew", fleet.allow_skew),
        ("--send-file", !fleet.send_files.is_empty()),
        ("--local-files", fleet.local_files),
        ("--listen", fleet.listen.is_some()),
        ("--advertise", fleet.advertise.is_some()),
        ("--nats-server", fleet.nats_server.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

fn on_loss(args: &RunArgs, props: &Properties) -> OnLoss {
    let has_rules = args.one.observe.thresholds.options().has_rules(props);
    let default = if has_rules { OnLoss::Abort } else { OnLoss::Redistribute };
    args.fleet.on_agent_loss.map_or(default, OnLoss::from)
}

impl std::convert::From<OnAgentLoss> for OnLoss {
    fn from(said: OnAgentLoss) -> Self {
        match said {
            OnAgentLoss::Redistribute => Self::Redistribute,
            OnAgentLoss::Continue => Self::Continue,
            OnAgentLoss::Abort => Self::Abort,
        }
    }
}

/// `-R`, or `remote_hosts` with `-r`, without ports, and those of them that are to be started over
/// ssh. This machine stands for any agent.
fn named_agents(args: &RunArgs, props: &Properties) -> (Vec<String>, Vec<SshHost>) {
    let list = args.jmeter.remote_start.clone();
    let list = list.or_else(|| args.jmeter.run_remote.then(|| props.get("remote_hosts").unwrap_or_default()));
    let mut names = Vec::new();
    let mut ssh = Vec::new();
    for host in list.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|host| !host.is_empty()) {
        if let Some(host) = SshHost::read(host, ssh.len() + 1) {
            names.push(host.name.clone());
            ssh.push(host);
        } else {
            names.push(host.split(':').next().unwrap_or_default().to_owned());
        }
    }
    let is_any = |host: &String| host == "localhost" || host.starts_with("127.");
    (if names.iter().any(is_any) { Vec::new() } else { names }, ssh)
}

/// How long JMeter tries to reach its servers (`client.tries`, `client.retries_delay`), and at
/// least the usual time.
fn patience(props: &Properties) -> Duration {
    let number = |name, default| u64::try_from(props.number(name, default)).unwrap_or(0);
    let tried = number("client.tries", 1) * number("client.retries_delay", 5000);
    Duration::from_millis(tried.max(30_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn mode(line: &[&str], controls: bool, set: &[(&str, &str)]) -> Option<Mode> {
        let matches = RunArgs::augment_args(Command::new("t")).no_binary_name(true).get_matches_from(line);
        let args = RunArgs::from_arg_matches(&matches).expect("valid");
        let props = swell_run::jmeter_defaults();
        for (name, value) in set {
            props.set(name, value);
        }
        mode_of(&args, &props, controls).expect("options that go together")
    }

    #[test]
    fn options_say_who_makes_the_load() {
        assert!(mode(&["p.jmx"], false, &[]).is_none());
        let here = mode(&["p.jmx", "--agents", "3"], false, &[]).expect("many");
        assert_eq!(
            (here.agents_from, here.coordinator.agents, here.coordinator.multiply),
            (From::Children, 3, false)
        );
        assert_eq!(
            (here.coordinator.on_loss, here.coordinator.timeout_ns),
            (OnLoss::Redistribute, 30_000_000_000)
        );
        let joined = mode(&["p.jmx", "--agents", "3", "--nats", "nats://h"], false, &[]).expect("many");
        assert_eq!(joined.agents_from, From::Joined);
        let gated = mode(&["p.jmx", "--agents", "2", "--threshold", "errors<1%"], false, &[]).expect("many");
        assert_eq!(gated.coordinator.on_loss, OnLoss::Abort);
        let set = [("swell.threshold.1", "errors<1%")];
        let gated = mode(&["p.jmx", "--agents", "2"], false, &set).expect("many");
        assert_eq!(gated.coordinator.on_loss, OnLoss::Abort, "a rule of a property is one, too");
        let controlled = mode(&["p.jmx"], true, &[]).expect("many");
        assert_eq!((controlled.coordinator.agents, controlled.coordinator.timeout_ns), (1, 600_000_000_000));
    }

    #[test]
    fn jmeters_spelling_multiplies_and_names_its_servers() {
        let named = mode(&["-n", "-t", "p.jmx", "-R", "h1:1099, h2"], false, &[]).expect("many");
        assert_eq!(
            (named.coordinator.named, named.coordinator.agents, named.coordinator.multiply),
            (vec!["h1".into(), "h2".into()], 2, true)
        );
        let set = [("remote_hosts", "a,b,c"), ("client.tries", "10"), ("client.continue_on_fail", "true")];
        let all = mode(&["-n", "-t", "p.jmx", "-r"], false, &set).expect("many");
        assert_eq!(
            (all.coordinator.agents, all.coordinator.timeout_ns, all.coordinator.begin_without),
            (3, 50_000_000_000, true)
        );
        let set = [("remote_hosts", "a:1099,ssh:me@b.example.com:2222, ssh:10.0.0.7")];
        let some = mode(&["-n", "-t", "p.jmx", "-r"], false, &set).expect("many");
        assert_eq!(some.coordinator.named, ["a", "b-example-com-1", "10-0-0-7-2"]);
        let started: Vec<_> = some.ssh.iter().map(|host| (host.target.as_str(), host.port)).collect();
        assert_eq!(started, [("me@b.example.com", Some(2222)), ("10.0.0.7", None)]);
        let any = mode(&["-n", "-t", "p.jmx", "-r"], false, &[]).expect("many");
        assert_eq!((any.coordinator.named.len(), any.coordinator.agents), (0, 1));
    }
}
