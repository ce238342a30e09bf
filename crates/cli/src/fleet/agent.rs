//! `swell agent`.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use swell_fleet::agent::{AgentOptions, AgentOutcome, serve};
use swell_fleet::{Join, Scratch};
use swell_run::TrialSettings;

use super::mode::NATS;
use super::{failed, host_name, join_at};
use crate::args::AgentArgs;
use crate::exit::{Exit, Failure};
use crate::messages;
use crate::print::print_stderr;
use crate::settings;
use crate::signals;

/// Runs the command until it is interrupted, or for one run.
pub(crate) fn agent(args: &AgentArgs) -> Result<Exit, Failure> {
    let url = args.url.clone().or_else(|| std::env::var(NATS).ok()).ok_or_else(|| {
        Failure::settings("no broker address given")
            .hint("give the line that the controller printed, or set SWELL_NATS to a broker")
    })?;
    let join = join_at(&url, &args.creds)?;
    // Names of files are those of the folder that the agent was started in.
    let own = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
    let own: Arc<[(String, String)]> = own.entries().into();
    let asked = Arc::new(AtomicBool::new(false));
    leave_on_signals(asked.clone())?;
    if args.until_stdin_ends {
        let asked = asked.clone();
        std::thread::spawn(move || {
            // Its end, or an error: the parent is gone either way.
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            asked.store(true, Ordering::Relaxed);
        });
    }
    if args.clock_shift != 0.0 {
        swell_net::shift_clock((args.clock_shift * 1e9) as i64);
    }
    let host = host_name();
    let name = args.name.clone().unwrap_or_else(|| host.chars().map(in_names).collect());
    let once = args.once || join.run.is_some();
    let started_in = std::env::current_dir()
        .map_err(|error| Failure::settings(format!("cannot read the working folder: {error}")))?;
    if !args.quiet {
        print_stderr(&format!("agent {name} joins at {}", join.place()));
    }
    loop {
        let folder = folder(args)?;
        let options = AgentOptions {
            started_in: started_in.clone(),
            ..options(args, &join, (&name, &host), folder.path(), &own, &asked)
        };
        let left = serve(&options);
        // A folder in which a process works cannot be removed everywhere.
        let _ = std::env::set_current_dir("/");
        drop(folder);
        match left.map_err(|error| named(&name, failed(error)))? {
            AgentOutcome::Abandoned => {
                let left = abandoned(&name, args);
                if once {
                    return Err(left);
                }
                print_stderr(&left.to_string());
            }
            AgentOutcome::Asked => {
                return Ok(if args.until_stdin_ends { Exit::Fine } else { Exit::Interrupted });
            }
            AgentOutcome::End => return Ok(Exit::Fine),
            AgentOutcome::Over if once => return Ok(Exit::Fine),
            AgentOutcome::Over if !args.quiet => print_stderr("the run finished; waiting for the next"),
            AgentOutcome::Over => {}
        }
    }
}

fn abandoned(name: &str, args: &AgentArgs) -> Failure {
    let waited_s = args.controller_timeout.as_secs();
    Failure::settings(format!("agent {name}: no answer from the controller of the run for {waited_s} s"))
        .hint("`swell controller PLAN --nats URL --take RUN` leads a run on whose controller was lost, as long as its agents wait (--controller-timeout)")
}

fn named(name: &str, failure: Failure) -> Failure {
    Failure { message: format!("agent {name}: {}", failure.message), ..failure }
}

/// Replaces a character that names may not contain.
fn in_names(c: char) -> char {
    if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }
}

/// The first signal asks to leave, a second ends the process.
fn leave_on_signals(asked: Arc<AtomicBool>) -> Result<(), Failure> {
    let (to, signals) = std::sync::mpsc::channel();
    signals::forward(to, |signal| signal)?;
    std::thread::spawn(move || {
        for signal in signals {
            if signal == swell_session::Signal::Dump {
                continue;
            }
            if asked.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        }
    });
    Ok(())
}

/// A folder for one run, which is the working folder, so that plans find their files by their
/// names.
fn folder(args: &AgentArgs) -> Result<Scratch, Failure> {
    let base = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    let now_s = u64::try_from(swell_net::now_ns() / 1_000_000_000).unwrap_or(0);
    let made = Scratch::new(&base, "agent", &swell_fleet::run_id(now_s));
    let made = made.and_then(|folder| std::env::set_current_dir(folder.path()).map(|()| folder));
    made.map_err(|error| {
        Failure::settings(format!("cannot make a folder for the run in `{}`: {error}", base.display()))
            .hint("--folder names another place")
    })
}

fn options(
    args: &AgentArgs,
    join: &Join,
    (name, host): (&str, &str),
    folder: &Path,
    props: &Arc<[(String, String)]>,
    asked: &Arc<AtomicBool>,
) -> AgentOptions {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jvm = args.jvm.settings(&args.settings, &[]);
    let scripts = args.jvm.mode();
    let timestamps = args.clock.source();
    let asked = asked.clone();
    let quiet = args.quiet;
    let own = name.to_owned();
    let props = props.clone();
    AgentOptions {
        join: join.clone(),
        name: name.to_owned(),
        host: host.to_owned(),
        workers: args.workers.map_or(processors as u32, u32::from),
        folder: folder.to_owned(),
        started_in: folder.to_owned(),
        patience: args.controller_timeout,
        allows_scripts: args.allow_scripts,
        allows_processes: args.allow_process,
        allows_files: args.allow_files,
        settings: Box::new(move |_, folder| {
            let settings = TrialSettings::new(folder);
            for (name, value) in &*props {
                settings.props.set(name, value);
            }
            TrialSettings {
                scripts,
                jvm: jvm.clone(),
                timestamps,
                messages: messages::plain_sink(),
                ..settings
            }
        }),
        say: Arc::new(move |text| {
            if !quiet {
                print_stderr(&format!("agent {own}: {text}"));
            }
        }),
        leaves: Box::new(move || asked.load(Ordering::Relaxed)),
    }
}
