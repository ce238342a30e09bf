//! The variables that a text refers to.

use swell_expr::{Reference, references};

/// The variables that a text refers to, in their order, each once. Arguments of functions may hold
/// some; so may scripts that ask `vars.get("name")`.
pub(crate) fn variables_in(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for reference in references(text) {
        if let Reference::Variable(name) = reference {
            add(&name);
        }
    }
    for call in ["vars.get(", "vars.getObject("] {
        for after in text.split(call).skip(1) {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''));
            if let Some(quote) = quote
                && let Some((name, _)) = after[1..].split_once(quote)
            {
                add(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_arguments_and_scripts_too() {
        let table: [(&str, &[&str]); 8] = [
            ("a ${x} ${y} ${x}", &["x", "y"]),
            ("${__jexl3(\"${item}\" == \"x\")}", &["item"]),
            ("${__V(a_${n})}", &["n"]),
            ("$.order.id ${", &[]),
            ("${__P(host)}", &[]),
            // As the templates of a run read them.
            ("${a${b}}", &["a${b"]),
            ("\\${a} ${b}", &["b"]),
            ("vars.get('q') + vars.get( \"r\" )", &["q", "r"]),
        ];
        for (text, names) in table {
            assert_eq!(variables_in(text), names, "{text}");
        }
    }
}
