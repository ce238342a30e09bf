//! `swell record`: a browser or another client through the recording proxy, and the plan of it.

mod instructions;
mod places;
mod plan;
mod summary;

use std::io::{self, BufRead as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use swell_record::{
    Authority, AuthorityError, Browser, BrowserError, BrowserOptions, HostPatterns, Limits, NotRecorded,
    Recorded, Recorder, RecorderError, RecorderOptions, Transactions, Trust, Upstream, Watch, default_folder,
    find_browser,
};
use swell_session::Signal;

use crate::args::{RecordArgs, RecordCaArgs, RecordSubcommand, TransactionsArg};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};
use crate::signals;

use places::Places;

/// How often to look whether the browser has ended.
const LOOK: Duration = Duration::from_millis(50);

/// What the command waits for.
enum Heard {
    /// A line of the terminal.
    Line(String),
    Signal(Signal),
    Watch(Watch),
}

/// Runs the command.
pub(crate) fn record(args: &RecordArgs) -> Result<Exit, Failure> {
    if let Some(RecordSubcommand::Ca(args)) = &args.command {
        return ca(args);
    }
    let places = Places::of(args)?;
    let bind = listen_at(args)?;
    let program = args.url.as_ref().map(|_| program(args)).transpose()?;
    let authority = Arc::new(authority(false)?);
    let (to, inbox) = mpsc::channel();
    let recorder = start(args, &places, (bind, authority.clone()), to.clone())?;
    let browser = match (&args.url, &program) {
        (Some(url), Some(program)) => Some(browser(args, &recorder, &authority, (url, program))?),
        _ => None,
    };
    say_start(args, &recorder, &authority, program.as_deref());
    signals::forward(to.clone(), Heard::Signal)
        .map_err(|error| Failure::settings(format!("cannot listen for signals: {error}")))?;
    read_lines(to);
    let problem = watch(&recorder, &inbox, browser);
    exit_on_signal(inbox);
    let recorded = recorder.finish();
    end(args, &places, &recorded, problem)
}

/// `swell record ca`.
fn ca(args: &RecordCaArgs) -> Result<Exit, Failure> {
    let authority = authority(args.renew)?;
    print_stdout(&instructions::of_authority(&authority))?;
    Ok(Exit::Fine)
}

fn authority(renew: bool) -> Result<Authority, Failure> {
    let folder = default_folder().ok_or(AuthorityError::NoFolder).map_err(of_authority)?;
    let authority = if renew { Authority::renew(&folder) } else { Authority::open(&folder) };
    authority.map_err(of_authority)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` wants it")]
fn of_authority(error: AuthorityError) -> Failure {
    Failure::settings(error.to_string())
}

/// Where the proxy listens: other machines could use it to reach what this one reaches.
fn listen_at(args: &RecordArgs) -> Result<SocketAddr, Failure> {
    let Some(address) = args.proxy else { return Ok((Ipv4Addr::LOCALHOST, 0).into()) };
    if address.ip().is_loopback() || args.allow_remote {
        return Ok(address);
    }
    let message = format!("{address} can be reached by other machines, which could use the proxy");
    Err(Failure::settings(message).hint("use 127.0.0.1, or allow it with --allow-remote"))
}

fn program(args: &RecordArgs) -> Result<PathBuf, Failure> {
    match &args.browser {
        Some(program) => Ok(program.clone()),
        None => find_browser().map_err(of_browser),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` wants it")]
fn of_browser(error: BrowserError) -> Failure {
    let hint =
        "install Chromium, name a browser of its kind with --browser, or record any client with --proxy";
    Failure::settings(error.to_string()).hint(hint)
}

fn start(
    args: &RecordArgs,
    places: &Places,
    (bind, authority): (SocketAddr, Arc<Authority>),
    to: Sender<Heard>,
) -> Result<Recorder, Failure> {
    let hosts = args.host.clone().unwrap_or_default();
    let options = RecorderOptions {
        bind,
        authority,
        trust: trust(args)?,
        upstream: upstream(args, bind)?,
        raw: places.raw.clone(),
        overwrites: args.force || args.again,
        transactions: match args.transactions {
            TransactionsArg::Auto => Transactions::Auto,
            TransactionsArg::Enter => Transactions::Enter,
            TransactionsArg::None => Transactions::None,
        },
        browses: args.url.as_deref().and_then(|url| url::Url::parse(url).ok()?.host_str().map(str::to_owned)),
        limits: if HostPatterns::is_empty(&hosts) { Limits::ALL_HOSTS } else { Limits::NAMED_HOSTS },
        hosts,
    };
    // The command may have ended meanwhile.
    let watch = move |watch| drop(to.send(Heard::Watch(watch)));
    Recorder::start(options, watch).map_err(|error| {
        let failure = Failure::settings(error.to_string());
        match error {
            RecorderError::Exists(_) => failure.hint(places::OVERWRITE),
            RecorderError::File(..) => failure,
            RecorderError::Listen(..) => {
                failure.hint("use --proxy with another address; port 0 is a free one")
            }
        }
    })
}

fn upstream(args: &RecordArgs, bind: SocketAddr) -> Result<Upstream, Failure> {
    let of_environment = |name: &str| std::env::var(name).ok();
    let upstream = Upstream::new(args.upstream.clone(), of_environment);
    let upstream = upstream.map_err(|error| {
        Failure::settings(error.to_string()).hint("--upstream names another proxy for this recording")
    })?;
    // Port 0 becomes one where nothing listens yet.
    if bind.port() != 0 && upstream.is_at_own_port(bind.port()) {
        let what = format!("the proxy on the way to servers would be the recorder itself, at {bind}");
        return Err(Failure::settings(what).hint("unset HTTP_PROXY and HTTPS_PROXY, or use --upstream"));
    }
    Ok(upstream)
}

fn trust(args: &RecordArgs) -> Result<Trust, Failure> {
    let Some(path) = &args.cacert else {
        return Ok(if args.insecure { Trust::All } else { Trust::Machine });
    };
    let text = std::fs::read(path);
    let text = text.map_err(|error| Failure::settings(format!("cannot read {}: {error}", path.display())))?;
    match swell_connect::certificates_of_pem(&text) {
        Ok(roots) if !roots.is_empty() => Ok(Trust::Roots(roots)),
        _ => Err(Failure::settings(format!("{} contains no certificate in PEM form", path.display()))),
    }
}

fn browser(
    args: &RecordArgs,
    recorder: &Recorder,
    authority: &Authority,
    (url, program): (&str, &std::path::Path),
) -> Result<Browser, Failure> {
    let key_hash = authority.key_hash();
    let options = BrowserOptions {
        program,
        proxy: recorder.address(),
        key_hash: &key_hash,
        url,
        headless: args.headless,
    };
    Browser::start(&options).map_err(of_browser)
}

fn say_start(
    args: &RecordArgs,
    recorder: &Recorder,
    authority: &Authority,
    program: Option<&std::path::Path>,
) {
    if let (Some(url), Some(program)) = (&args.url, program) {
        print_stderr(&format!("recording {url} in {}", program.display()));
        print_stderr("close the browser or press Ctrl-C to end");
    } else {
        print_stderr(instructions::of_clients(recorder.address(), authority).trim_end());
        print_stderr("recording; press Ctrl-C to end");
    }
    if args.transactions != TransactionsArg::None {
        print_stderr("Enter begins a transaction; a name typed before it names it");
    }
}

/// Lines of the terminal, on a separate thread: a read of standard input cannot be ended.
fn read_lines(to: Sender<Heard>) {
    let read = move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if to.send(Heard::Line(line)).is_err() {
                return;
            }
        }
    };
    // Without the thread there are only transactions that begin by themselves.
    let _ = thread::Builder::new().name("swell-lines".to_owned()).spawn(read);
}

/// Waits for the end: of the browser, of a limit, or by a signal. What went wrong with the browser.
fn watch(recorder: &Recorder, inbox: &Receiver<Heard>, mut browser: Option<Browser>) -> Option<String> {
    loop {
        match inbox.recv_timeout(LOOK) {
            Ok(Heard::Line(name)) => {
                recorder.begin_page(&name);
                let name = name.trim();
                let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
                print_stderr(&format!("transaction{name}: begins with the next request"));
            }
            Ok(Heard::Signal(Signal::Dump)) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Heard::Signal(_)) | Err(RecvTimeoutError::Disconnected) => return None,
            Ok(Heard::Watch(Watch::NotRecorded { host, why })) if !NotRecorded::is_wanted(&why) => {
                print_stderr(&format!("not recorded: {host}: {why}"));
            }
            Ok(Heard::Watch(Watch::NotRecorded { .. } | Watch::Pages(_))) => {}
            Ok(Heard::Watch(Watch::Full(why))) => {
                print_stderr(&format!("recording ends: {why}; name the hosts with --host to record more"));
                return None;
            }
            Ok(Heard::Watch(Watch::Failed(why))) => {
                print_stderr(&format!("recording ends: {why}"));
                return None;
            }
        }
        let Some(running) = &mut browser else { continue };
        match running.ended() {
            Ok(None) => {}
            Ok(Some(status)) => {
                let failure = Browser::failure(status)?;
                let message = running.last_message().map(|line| format!(": {line}")).unwrap_or_default();
                return Some(format!("the browser {failure}{message}"));
            }
            Err(error) => return Some(format!("the browser is lost: {error}")),
        }
    }
}

/// A signal while the plan is made ends the process.
fn exit_on_signal(inbox: Receiver<Heard>) {
    thread::spawn(move || {
        for heard in inbox {
            if matches!(heard, Heard::Signal(signal) if signal != Signal::Dump) {
                std::process::exit(Exit::Interrupted as i32);
            }
        }
    });
}

fn end(
    args: &RecordArgs,
    places: &Places,
    recorded: &Recorded,
    problem: Option<String>,
) -> Result<Exit, Failure> {
    if recorded.exchanges == 0 {
        let why =
            problem.or_else(|| recorded.not_recorded.first().map(|one| format!("{}: {}", one.host, one.why)));
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let failure =
            Failure { exit: Exit::NothingRan, ..Failure::settings(format!("nothing was recorded{why}")) };
        return Err(failure.hint(instructions::NOTHING));
    }
    if let Some(problem) = problem {
        print_stderr(&format!("warning: {problem}; the plan is made of what was recorded before"));
    }
    if let Some(why) = &recorded.ended_early {
        print_stderr(&format!("warning: {why}; what came later is missing"));
    }
    let made = plan::make(args, places)?;
    plan::write(args, places, &made)?;
    print_stdout(&summary::text(args, places, recorded, &made))?;
    Ok(Exit::Fine)
}
