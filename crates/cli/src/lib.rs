//! The `swell` command: arguments, settings, messages, exit codes. The only place where parts are
//! joined.
//!
//! A library, since the optimisation level of a program's own package is that of the link-time
//! optimisation of all its libraries: this code is compiled for size, the request path for speed.
#![cfg_attr(
    not(feature = "fleet"),
    expect(dead_code, unused_imports, reason = "parts that only `fleet` uses")
)]

mod about;
mod args;
mod authoring;
mod browser;
mod calibrate;
mod check;
mod closed_idle;
mod colour;
mod compare;
mod ctl;
mod debug;
mod debug_host;
mod debug_page;
mod debug_questions;
mod doctor;
mod env_file;
mod exit;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(not(feature = "fleet"))]
#[path = "without_fleet.rs"]
mod fleet;
mod history;
mod hit;
mod http_sessions;
mod import;
mod jvm;
mod jvm_found;
mod kernel;
mod matrix;
mod messages;
mod output;
mod pages;
mod plan_text;
mod preflight;
mod print;
mod question_elements;
mod record;
mod report;
mod run;
mod search;
mod serve_runs;
mod session;
mod settings;
mod shape;
mod signals;
mod study;
mod study_folder;
mod subject;
mod sweep;
mod target;
mod target_process;
mod text_plan;
mod trials;

use std::process::ExitCode;

use args::{Command, parse};
use exit::{Exit, Failure};

/// A small request path makes small objects; this allocator keeps them on their worker.
#[global_allocator]
static ALLOCATOR: swell_net::Allocator = swell_net::Allocator;

/// Runs the command that the process's arguments name.
pub fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Settings } else { Exit::Fine };
            // Help goes to standard output; if that is closed, there is no reader.
            let _ = error.print();
            return ExitCode::from(exit as u8);
        }
    };
    colour::choose(cli.color);
    if let Some(mode) = cli.file_mode {
        // The process and what it starts: set before any thread and any file.
        swell_results::set_file_mode(mode);
    }
    let applied = env_file::apply(cli.command.env_files());
    let exit = applied.and_then(|()| execute(cli.command)).unwrap_or_else(|failure| {
        print::print_stderr(&failure.to_string());
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn makes_load(command: &Command) -> bool {
    matches!(
        command,
        Command::Run(_)
            | Command::Controller(_)
            | Command::Agent(_)
            | Command::Hit(_)
            | Command::Target(_)
            | Command::Calibrate(_)
            | Command::Search(_)
            | Command::Sweep(_)
            | Command::Matrix(_)
    )
}

fn execute(command: Command) -> Result<Exit, Failure> {
    // `doctor` shows the limits that it finds, and `check` opens little.
    if !matches!(command, Command::Check(_) | Command::Doctor(_)) {
        // One that cannot be raised is no fault: a connection that finds none left is an error
        // sample, a site serves as many as it can. Where it may not be raised, it stays as it is.
        let _ = swell_net::machine::raise_descriptor_limit();
    }
    if makes_load(&command)
        && let Some(warning) = kernel::warning()
    {
        print::print_stderr(&warning);
    }
    match command {
        Command::Run(args) => run::run(&args, false),
        Command::Controller(args) => run::run(&args, true),
        Command::Agent(args) => fleet::agent(&args),
        Command::Fleet(args) => fleet::fleet(&args),
        Command::Check(args) => check::check(&args),
        Command::Debug(args) => debug::debug(&args),
        Command::Show(args) => authoring::show(&args),
        Command::Set(args) => authoring::set(&args),
        Command::Diff(args) => authoring::diff(&args),
        Command::Lint(args) => authoring::lint(&args),
        Command::Fmt(args) => authoring::fmt(&args),
        Command::Hit(args) => hit::hit(&args),
        Command::Record(args) => record::record(&args),
        Command::Import(args) => import::import(&args),
        Command::Report(args) => report::report(&args),
        Command::Ctl(args) => ctl::ctl(&args),
        Command::Target(args) => target::target(&args),
        Command::Calibrate(args) => calibrate::calibrate(&args),
        Command::Search(args) => search::search(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Matrix(args) => matrix::matrix(&args),
        Command::Shape(args) => shape::shape(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::History(args) => history::history(&args),
        Command::Open(args) => history::open(&args),
        Command::Serve(args) => serve_runs::serve(&args),
        Command::Jvm(args) => jvm::jvm(&args),
        Command::Completions(args) => pages::completions(&args),
        Command::Man(args) => pages::man(&args),
        Command::Doctor(args) => {
            let (text, exit) = doctor::doctor(&args);
            print::print_stdout(&text)?;
            Ok(exit)
        }
    }
}
