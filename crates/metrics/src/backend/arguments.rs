//! Arguments of a client, in the order of the plan.

use swell_expr::Properties;

/// The argument that names the class that sends.
pub(super) const SENDER: &str = "influxdbMetricsSender";

/// Argument names and values.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(pub(super) Vec<(String, String)>);

impl Arguments {
    /// The value of the last argument of that name; the default where there is none.
    pub(super) fn get<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.0.iter().rfind(|(key, _)| key == name).map_or(default, |(_, value)| value)
    }

    /// `Boolean.parseBoolean` of a value.
    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        self.get(name, if default { "true" } else { "false" }).eq_ignore_ascii_case("true")
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Arguments {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }
}

/// A number among the properties of the run; the default where it is none.
pub(super) fn number(props: &Properties, name: &str, default: u64) -> u64 {
    props.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
}
