//! The variables that a text refers to.

/// Names in `${name}` of a text, in their order, each once. Calls of functions are none, but their
/// arguments may hold some; so may scripts that ask `vars.get("name")`.
pub fn variables_in(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let is_name = !name.is_empty() && !name.starts_with("__") && !name.contains(['$', '{', '(']);
        if is_name && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        if let Some(name) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            add(name.0);
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
        let table: [(&str, &[&str]); 7] = [
            ("a ${x} ${y} ${x}", &["x", "y"]),
            ("${__jexl3(\"${item}\" == \"x\")}", &["item"]),
            ("${__V(a_${n})}", &["n"]),
            ("$.order.id ${", &[]),
            ("${__P(host)}", &[]),
            ("${a${b}}", &["b"]),
            ("vars.get('q') + vars.get( \"r\" )", &["q", "r"]),
        ];
        for (text, names) in table {
            assert_eq!(variables_in(text), names, "{text}");
        }
    }
}
