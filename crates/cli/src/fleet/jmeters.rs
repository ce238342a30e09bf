//! JMeter's spelling of tests on many machines (`-s`, `-r`, `-R`), and what of it means something
//! else here.

use super::agent::agent;
use super::mode::NATS;
use crate::args::{AgentArgs, RunArgs, Setting, SettingArgs, agent_args};
use crate::exit::{Exit, Failure};
use crate::print::print_stderr;
use crate::settings;

/// `-s`: an agent, for runs that are announced at the broker that the environment names.
pub(crate) fn serve_as_jmeter(args: &RunArgs) -> Result<Exit, Failure> {
    if std::env::var_os(NATS).is_none() {
        return Err(Failure::settings("-s: no broker address given").hint(
            "Swell's agents call the broker of a test, not the other way round: set SWELL_NATS=nats://HOST:4222, or type `swell agent` with the line of the controller",
        ));
    }
    say_what_is_ignored(&args.settings);
    let props = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
    let words = ["swell", "agent"].map(std::ffi::OsString::from).into_iter().chain(args.jvm.words());
    let given = agent_args(words).map_err(|error| Failure::settings(error.to_string()))?;
    // JMeter's server has its own properties, and can be set to exit after a test.
    let once = given.once || props.flag("server.exitaftertest", false);
    agent(&AgentArgs { settings: args.settings.clone(), once, ..*given })
}

/// What `-r` and `-R` mean here, where that is easily overlooked.
pub(super) fn say_what_it_means(args: &RunArgs) {
    print_stderr(
        "-r and -R: each agent runs the whole plan, as JMeter's servers do; `--agents N` shares its load out instead",
    );
    if !args.settings.local.is_empty() {
        print_stderr(&format!(
            "agents do not get the properties of -J, as in JMeter ({}): -G sets them everywhere",
            args.settings.local.join(", ")
        ));
    }
    say_what_is_ignored(&args.settings);
}

/// Says which properties of RMI are ignored: Swell does not use RMI.
fn say_what_is_ignored(settings: &SettingArgs) {
    let names = names_of_rmi(settings);
    if !names.is_empty() {
        print_stderr(&format!(
            "properties of RMI have no effect ({}): agents call the broker of a test, encrypted other than on the loopback",
            names.join(", ")
        ));
    }
}

fn names_of_rmi(settings: &SettingArgs) -> Vec<&str> {
    let is_of_rmi = |name: &&str| {
        ["server.rmi.", "client.rmi.", "java.rmi."].iter().any(|prefix| name.starts_with(prefix))
            || *name == "server_port"
    };
    settings.in_order().iter().filter_map(name_of).filter(is_of_rmi).collect()
}

fn name_of(setting: &Setting) -> Option<&str> {
    match setting {
        Setting::Property(name, _) | Setting::System(name, _) | Setting::Secret(name, _) => Some(name),
        Setting::File(_) | Setting::SystemFile(_) | Setting::Figure(_) => None,
    }
}
