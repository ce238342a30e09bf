//! `--env-file`: variables of the environment from files.
//!
//! The process starts itself again with them, under its old number. So everything sees them that
//! sees the environment: `${__env()}`, scripts, the JVM, programs that a plan starts, and Swell's
//! own variables. A crate that reads such files would show the line that it cannot read, which may
//! have a password, and put variables where a password has a `$`.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use swell_expr::FileLimits;
use swell_report::is_secret;
use swell_run::host::read_whole;

use crate::exit::Failure;

/// The number of the process that has the variables already.
const APPLIED: &str = "SWELL_ENV_FILE_APPLIED";

/// Sets the variables of all files: the last file wins, and the environment wins over files. Where
/// that is done already, values whose names say that they are secret are masked from now on.
///
/// # Errors
/// A file cannot be read, or the process cannot start itself.
pub(crate) fn apply(files: &[PathBuf]) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let mut all = BTreeMap::new();
    for file in files {
        all.extend(read(file)?);
    }
    let own = std::process::id().to_string();
    if std::env::var(APPLIED).is_ok_and(|number| number == own) {
        let secret = all.iter().filter(|(name, _)| is_secret(name) || is_secret(&name.replace('_', ".")));
        secret.for_each(|(_, value)| swell_secrets::protect(value));
        return Ok(());
    }
    all.retain(|name, _| std::env::var_os(name).is_none());
    let cannot = |error| Failure::settings(format!("--env-file: cannot start Swell again: {error}"));
    let program = std::env::current_exe().map_err(cannot)?;
    let mut args = std::env::args_os();
    let mut command = Command::new(program);
    command.arg0(args.next().unwrap_or_default()).args(args).envs(all).env(APPLIED, own);
    Err(cannot(command.exec()))
}

fn read(file: &Path) -> Result<Vec<(String, String)>, Failure> {
    let shown = file.display();
    let bytes = read_whole(file, FileLimits::default())
        .map_err(|error| Failure::settings(format!("cannot read variables from `{shown}`: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::settings(format!("cannot read variables from `{shown}`: it is not UTF-8")))?;
    parse(&text).map_err(|line| {
        Failure::settings(format!("{shown}:{line}: invalid variable: expected NAME=VALUE")).hint(
            "put a value with quotes, `#` or several lines into quotes; `\"…\"` may contain escapes, `'…'` is literal",
        )
    })
}

/// The variables of a file, in their order.
///
/// # Errors
/// The number of the first line that is invalid.
fn parse(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut all = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(all);
        }
        let line = 1 + text[..text.len() - rest.len()].matches('\n').count();
        if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        let (name, after) = rest.split_once('=').ok_or(line)?;
        let name = name.trim_end();
        let name = name.strip_prefix("export ").map_or(name, str::trim_start);
        let is_name = |(at, c): (usize, char)| {
            c.is_ascii_alphabetic() || c == '_' || (at > 0 && (c.is_ascii_digit() || "-.".contains(c)))
        };
        if name.is_empty() || !name.char_indices().all(is_name) {
            return Err(line);
        }
        let (value, after) = value(after.trim_start_matches([' ', '\t'])).ok_or(line)?;
        if value.contains('\0') {
            return Err(line);
        }
        all.push((name.to_owned(), value));
        rest = after;
    }
}

/// The value at the start of a text, and what follows its line; none if it is invalid.
fn value(text: &str) -> Option<(String, &str)> {
    let (value, after) = match text.chars().next() {
        Some('\'') => text[1..].split_once('\'').map(|(value, after)| (value.to_owned(), after))?,
        Some('"') => quoted(&text[1..])?,
        _ => {
            let (line, after) = text.split_once('\n').unwrap_or((text, ""));
            let comment = [" #", "\t#"].iter().filter_map(|start| line.find(start)).min();
            let value = &line[..comment.unwrap_or(line.len())];
            let value = if value.starts_with('#') { "" } else { value.trim() };
            return Some((value.to_owned(), after));
        }
    };
    let (end, after) = after.split_once('\n').unwrap_or((after, ""));
    let end = end.trim();
    (end.is_empty() || end.starts_with('#')).then_some((value, after))
}

/// Up to the closing quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                c @ ('"' | '\\' | '$' | '\'') => value.push(c),
                other => value.extend(['\\', other]),
            },
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_names_and_values() {
        let text = "\u{feff}# shop\nHOST=example.com\nexport  PORT = 8080 # comment\nEMPTY=\nNONE= # nothing\n\n\
                    SINGLE='a \"b\" # $c \\n'\nDOUBLE=\"a 'b' # \\\"c\\\" \\n\\d\\$e\" # comment\nHASH=a#b\n\
                    KEY=\"one\ntwo\"\r\na.b-c=ü\nLAST=x=y";
        let wanted = [
            ("HOST", "example.com"),
            ("PORT", "8080"),
            ("EMPTY", ""),
            ("NONE", ""),
            ("SINGLE", "a \"b\" # $c \\n"),
            ("DOUBLE", "a 'b' # \"c\" \n\\d$e"),
            ("HASH", "a#b"),
            ("KEY", "one\ntwo"),
            ("a.b-c", "ü"),
            ("LAST", "x=y"),
        ];
        let read = parse(text).expect("valid");
        assert_eq!(read.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>(), wanted);
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn the_line_of_a_mistake_is_named_and_not_shown() {
        for (text, line) in [
            ("A=1\nB\n", 2),
            ("=x", 1),
            ("1A=x", 1),
            ("\n\nA B=x", 3),
            ("A='x", 1),
            ("A=1\nB=\"x\ny", 2),
            ("A='x' y", 1),
            ("A=\0", 1),
        ] {
            assert_eq!(parse(text), Err(line), "{text:?}");
        }
    }
}
