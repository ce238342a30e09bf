//! The version of JMeter that a run follows, where a later one differs from 5.6.3.

use swell_expr::Properties;

/// Property: the version of JMeter to follow, `5.6.3` (default) or `6.0`.
pub const COMPAT: &str = "swell.compat";

/// A version of JMeter that a run can follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// JMeter 5.6.3 with its bugs.
    #[default]
    V5_6_3,
    /// What is fixed on the way to JMeter 6.0 (its branch `master` of 2026-06-26) is fixed.
    V6_0,
}

impl Compat {
    /// The one that a run says.
    ///
    /// # Errors
    /// It says another version; a sentence for the user.
    pub fn of(props: &Properties) -> Result<Self, String> {
        match props.get(COMPAT).unwrap_or_default().trim() {
            "" | "5.6.3" => Ok(Self::V5_6_3),
            "6.0" => Ok(Self::V6_0),
            other => Err(format!("invalid {COMPAT} `{other}`: use 5.6.3 or 6.0")),
        }
    }

    /// Whether the run follows JMeter 6.0. An invalid version, which a trial refuses, is 5.6.3
    /// here.
    pub fn is_6(props: &Properties) -> bool {
        Self::of(props) == Ok(Self::V6_0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_property() {
        let of = |text: &str| {
            let props = Properties::default();
            props.set(COMPAT, text);
            Compat::of(&props)
        };
        assert_eq!(Compat::of(&Properties::default()), Ok(Compat::V5_6_3));
        assert_eq!([of("5.6.3"), of(" 6.0 ")], [Ok(Compat::V5_6_3), Ok(Compat::V6_0)]);
        assert!(of("6.1").is_err_and(|why| why.contains("6.1")));
    }
}
