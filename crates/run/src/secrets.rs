//! Properties with secret values.

use swell_expr::Properties;

/// The property that names others whose values are secret, with commas between them. It goes to
/// agents with them.
pub const SECRETS: &str = "swell.secrets";

/// Masks the values of secret properties from now on, in this process: in what is shown, in the log
/// and in all files.
pub fn protect_secrets(props: &Properties) {
    let names = props.get(SECRETS).unwrap_or_default();
    for value in names.split(',').filter_map(|name| props.get(name.trim())) {
        swell_secrets::protect(&value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_named_properties_are_secret() {
        let props = Properties::default();
        for (name, value) in
            [("a", "first-secret"), ("b", "second-secret"), ("c", "no-secret"), (SECRETS, "a, b,d")]
        {
            props.set(name, value);
        }
        protect_secrets(&props);
        let all = ["first-secret", "second-secret", "no-secret"];
        assert_eq!(all.map(swell_secrets::protects), [true, true, false]);
    }
}
