//! What is made of the definition of the command line: completions for shells, man pages.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit::{Exit, Failure};
use crate::print;

/// Who wrote a page, for its foot.
const VERSION: &str = concat!("swell ", env!("CARGO_PKG_VERSION"));

/// Prints the completions.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "swell", &mut script);
    print(&script)
}

/// Prints a man page.
pub(crate) fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let mut all = Cli::command();
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => {
            let names =
                all.get_subcommands().map(|command| format!("`{}`", command.get_name())).collect::<Vec<_>>();
            let unknown = || {
                Failure::settings(format!("unknown command `{name}`"))
                    .hint(format!("commands are {}", names.join(", ")))
            };
            let command = all.find_subcommand(name).ok_or_else(unknown)?.clone();
            let title = format!("swell-{name}");
            command.display_name(title)
        }
    };
    let mut text = Vec::new();
    // What `--version` prints has several lines, and a title has one.
    let made = clap_mangen::Man::new(page).source(VERSION).render(&mut text);
    made.map_err(|error| Failure::lost(format!("cannot make the page: {error}")))?;
    print(&text)
}

fn print(text: &[u8]) -> Result<Exit, Failure> {
    print::print_stdout(&String::from_utf8_lossy(text)).map(|()| Exit::Fine)
}
