//! Arguments of what is made of the definition of the command line: completions for shells, man
//! pages.

use clap::Args;

/// `swell completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell completions bash > ~/.local/share/bash-completion/completions/swell
  swell completions zsh > ~/.zfunc/_swell        with ~/.zfunc in $fpath
  swell completions fish > ~/.config/fish/completions/swell.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell to generate completions for
    pub(crate) shell: clap_complete::Shell,
}

/// `swell man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell man | man -l -
  swell man hit > swell-hit.1")]
pub(crate) struct ManArgs {
    /// Command to document [default: all commands]
    pub(crate) command: Option<String>,
}
