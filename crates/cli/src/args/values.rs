//! Secrets, custom figures and variables of the environment: the options that plans and `swell hit`
//! share.

use std::path::PathBuf;

use clap::Args;

/// What requests contain and what is recorded of variables.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ValueArgs {
    /// Set a property to a secret that is masked everywhere: NAME=@FILE or NAME=env:VARIABLE;
    /// repeatable
    ///
    /// The value is masked on the terminal, in the log, in results files, in the folder of the run
    /// and on pages. Read it with `${__P(NAME)}`.
    #[arg(long = "secret", value_name = "NAME=SOURCE", value_parser = secret)]
    pub(crate) secrets: Vec<(String, SecretSource)>,
    /// Record the numbers of a variable as a custom figure: NAME or NAME=VARIABLE; repeatable
    ///
    /// After each sample that set the variable, its value counts for the label of the sample and
    /// for all samples. Rules name a figure like this: 'figure(order_total).p(95)<500'.
    #[arg(long = "figure", value_name = "NAME", value_parser = figure)]
    pub(crate) figures: Vec<String>,
    /// Read environment variables from this file, one NAME=VALUE a line; repeatable
    ///
    /// `${__env(NAME)}`, scripts and programs of the plan see them. A variable that is set already
    /// keeps its value.
    #[arg(long = "env-file", value_name = "FILE")]
    pub(crate) env_files: Vec<PathBuf>,
}

impl ValueArgs {
    /// The files that are read, without those of variables.
    pub(crate) fn secret_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.secrets.iter().filter_map(|(_, source)| source.file())
    }
}

/// Where the value of a secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SecretSource {
    /// In a file (`@FILE`).
    File(PathBuf),
    /// In a variable of the environment (`env:NAME`).
    Variable(String),
}

impl SecretSource {
    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Variable(_) => None,
        }
    }
}

/// A custom figure with its variable, as the property of figures has it.
fn figure(text: &str) -> Result<String, String> {
    let (name, variable) = text.split_once('=').unwrap_or((text, text));
    if swell_stats::FigureName::new(name).is_none() || variable.trim().is_empty() || variable.contains(',') {
        return Err(
            "expected NAME or NAME=VARIABLE; a name has letters, digits, `_`, `-` and `.`, at most 32"
                .to_owned(),
        );
    }
    Ok(text.to_owned())
}

/// A secret with the place of its value. A value itself is not shown.
fn secret(text: &str) -> Result<(String, SecretSource), String> {
    let wrong = || {
        "expected NAME=@FILE or NAME=env:VARIABLE; a value on the command line is visible to others on this machine"
            .to_owned()
    };
    let (name, source) = text.split_once('=').ok_or_else(wrong)?;
    let source = match (source.strip_prefix('@'), source.strip_prefix("env:")) {
        (Some(file), _) if !file.is_empty() => SecretSource::File(file.into()),
        (_, Some(variable)) if !variable.is_empty() => SecretSource::Variable(variable.to_owned()),
        _ => return Err(wrong()),
    };
    let name = name.trim();
    if name.is_empty() || name.contains(',') { Err(wrong()) } else { Ok((name.to_owned(), source)) }
}
