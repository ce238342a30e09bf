//! `--compat`.

use clap::ValueEnum;
use swell_expr::Properties;

/// Levels of `--compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatLevel {
    /// Round as JMeter 5.6.3 does
    Rounding,
    /// JMeter 5.6.3, including its bugs
    #[value(name = "5.6.3")]
    V5_6_3,
    /// JMeter 6.0, which fixes some of them
    #[value(name = "6.0")]
    V6_0,
}

impl CompatLevel {
    /// Sets the property that selects the JMeter version to follow.
    pub(crate) fn set(level: Option<Self>, props: &Properties) {
        match level {
            Some(Self::V5_6_3) => drop(props.set(swell_api::COMPAT, "5.6.3")),
            Some(Self::V6_0) => drop(props.set(swell_api::COMPAT, "6.0")),
            Some(Self::Rounding) | None => {}
        }
    }
}
