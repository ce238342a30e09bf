//! Credentials for an existing broker: a file with a JWT and the seed of its NKey, as `nsc` writes
//! it, or the seed of an NKey alone.

use std::fmt;
use std::path::Path;

use crate::FleetError;

/// First line of a JWT in such a file.
const JWT: &str = "-----BEGIN NATS USER JWT-----";
/// Characters of the seed of a user.
const SEED: usize = 58;

/// What a user proves who they are with.
#[derive(Clone, PartialEq, Eq)]
pub enum Creds {
    /// The text of a file with a JWT and a seed.
    Jwt(String),
    /// A seed.
    NKey(String),
}

/// Without what is secret.
impl fmt::Debug for Creds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jwt(_) => "a JWT",
            Self::NKey(_) => "an NKey",
        })
    }
}

impl Creds {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or has neither.
    pub fn read(path: &Path) -> Result<Self, FleetError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            FleetError::new(format!("cannot read the credentials `{}`: {error}", path.display()))
        })?;
        of_text(&text).ok_or_else(|| {
            FleetError::new(format!(
                "`{}` holds no broker credentials: expected a JWT with its seed, or the seed of an NKey",
                path.display()
            ))
            .hint("create one with `nsc generate creds`, or with `nk -gen user` (a seed starts with SU)")
        })
    }
}

fn of_text(text: &str) -> Option<Creds> {
    let is_seed = |line: &&str| {
        line.len() == SEED
            && line.starts_with("SU")
            && line.bytes().all(|byte| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte))
    };
    let seed = text.lines().map(str::trim).find(is_seed)?;
    Some(if text.contains(JWT) { Creds::Jwt(text.to_owned()) } else { Creds::NKey(seed.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_a_jwt_with_a_seed_or_a_seed() {
        let seed = format!("SU{}", "A2".repeat(28));
        assert_eq!(of_text(&format!("# mine\n{seed}\n")), Some(Creds::NKey(seed.clone())));
        let both = format!("{JWT}\na.b.c\n------END NATS USER JWT------\n\n{seed}\n");
        assert_eq!(of_text(&both), Some(Creds::Jwt(both.clone())));
        assert_eq!(format!("{:?}", of_text(&both)), "Some(a JWT)");
        let account = format!("SA{}", "A2".repeat(28));
        for text in ["", "SU", JWT, account.as_str()] {
            assert_eq!(of_text(text), None, "{text}");
        }
        let error = Creds::read(Path::new("/no/such/file")).expect_err("there is none");
        assert!(error.message.starts_with("cannot read the credentials `/no/such/file`: "), "{error}");
    }
}
