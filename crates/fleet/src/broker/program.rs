//! The program `nats-server`: where it is, whether it will do, and how it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::FleetError;

/// Environment variable: the program.
pub const VARIABLE: &str = "SWELL_NATS_SERVER";

/// The oldest version that will do: it has limits of life for single keys and answers for signs of
/// life.
pub const OLDEST: (u32, u32) = (2, 11);

/// Where `swell fleet install` puts programs: `swell/bin` in the user's cache.
pub fn install_folder() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/tmp".into())).join(".cache");
    cache.unwrap_or_else(home).join("swell").join("bin")
}

/// The program: the one that is named, else of [`VARIABLE`], the path, or [`install_folder`].
///
/// # Errors
/// There is none, or it is too old.
pub fn find(named: Option<&Path>) -> Result<PathBuf, FleetError> {
    let variable = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let asked = named.map(Path::to_owned).or(variable);
    let places = on_path.chain([install_folder()]).map(|folder| folder.join("nats-server"));
    let found = asked.or_else(|| places.into_iter().find(|path| path.is_file()));
    let program = found.ok_or_else(|| {
        FleetError::new("nats-server not found: the controller and its agents exchange messages through it")
            .hint(
                "install it with `swell fleet install` (needs Go) or `brew install nats-server`, \
                give its path with --nats-server, or give the URL of a running server with --nats",
            )
    })?;
    check(&program)?;
    Ok(program)
}

fn check(program: &Path) -> Result<(), FleetError> {
    let told = Command::new(program).arg("--version").output();
    let told =
        told.map_err(|error| FleetError::new(format!("cannot start `{}`: {error}", program.display())))?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned() + &String::from_utf8_lossy(&told.stderr);
    let version = version_of(&text).ok_or_else(|| {
        FleetError::new(format!("`{}` reports no nats-server version: {}", program.display(), text.trim()))
    })?;
    is_new_enough(version)
}

/// Whether a server of that version will do.
pub(crate) fn is_new_enough((major, minor): (u32, u32)) -> Result<(), FleetError> {
    if (major, minor) >= OLDEST {
        return Ok(());
    }
    let (oldest, least) = OLDEST;
    Err(FleetError::new(format!(
        "nats-server {major}.{minor} is too old: version {oldest}.{least} or later is required"
    ))
    .hint("`swell fleet install` installs the latest version (needs Go)"))
}

/// `nats-server: v2.15.2` or `2.15.2`.
pub(crate) fn version_of(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let mut numbers = text[start..].split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Installs the latest version with Go and returns its path.
///
/// # Errors
/// Go is missing, or fails; the text lists alternatives.
pub fn install() -> Result<PathBuf, FleetError> {
    let folder = install_folder();
    let other = "run `brew install nats-server`; or `docker run -p 4222:4222 nats -js` with --nats \
        nats://127.0.0.1:4222; or download it from github.com/nats-io/nats-server and give its path \
        with --nats-server";
    let cannot = |what: String| FleetError::new(what).hint(other);
    fs::create_dir_all(&folder)
        .map_err(|error| cannot(format!("cannot make `{}`: {error}", folder.display())))?;
    let mut go = Command::new("go");
    go.args(["install", "github.com/nats-io/nats-server/v2@latest"]).env("GOBIN", &folder);
    let status =
        go.status().map_err(|error| cannot(format!("cannot start `go` to install nats-server: {error}")))?;
    if !status.success() {
        return Err(cannot(format!("`go install` failed with {status}: Go 1.26 or later is required")));
    }
    find(Some(&folder.join("nats-server")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_old_ones_refused() {
        assert_eq!(version_of("nats-server: v2.15.2\n"), Some((2, 15)));
        assert_eq!(version_of("2.9.10"), Some((2, 9)));
        assert_eq!(version_of("none"), None);
        assert!(is_new_enough((2, 11)).is_ok() && is_new_enough((3, 0)).is_ok());
        let error = is_new_enough((2, 9)).expect_err("it is old");
        assert!(error.message.contains("nats-server 2.9 is too old: version 2.11 or later"), "{error}");
    }
}
