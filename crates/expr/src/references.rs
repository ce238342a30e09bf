//! The variables and functions that a text names, without evaluating it: for tools that look at a
//! plan as text.

use crate::function;

/// What a text refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `${name}`.
    Variable(String),
    /// `${__name(arguments)}`, the arguments as written.
    Call {
        /// The name, `__` included.
        name: String,
        /// The arguments as written.
        arguments: Vec<String>,
    },
}

/// Arguments within arguments: as deep as the parser of templates goes.
const MAX_DEPTH: u32 = 50;

/// All references of a text, those in arguments after the call. The grammar is that of templates,
/// but that every name that starts with `__` and has parentheses is a call.
pub fn references(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    scan(text, 0, &mut found);
    found
}

/// Whether a text calls a function that neither JMeter nor Swell has: that of a plug-in.
pub fn calls_unknown(text: &str) -> bool {
    let mut calls = text.split("${__").skip(1).filter_map(|rest| rest.split_once(['(', '}']));
    calls.any(|(name, _)| function(&format!("__{}", name.trim())).is_none())
}

fn scan(text: &str, depth: u32, found: &mut Vec<Reference>) {
    let mut rest = text;
    while let Some(at) = next_reference(rest) {
        rest = take(&rest[at..], depth, found);
    }
}

/// Where the text after the next `${` begins that no backslash escapes.
fn next_reference(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    let mut previous = b' ';
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
                previous = b' ';
            }
            b'{' if previous == b'$' => return Some(at + 1),
            _ => previous = byte,
        }
    }
    None
}

/// Takes the reference that follows `${`; what comes after it.
fn take<'t>(text: &'t str, depth: u32, found: &mut Vec<Reference>) -> &'t str {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.push(chars.next().map_or('\\', |(_, escaped)| escaped)),
            '(' if name.trim().starts_with("__") => {
                let (arguments, rest) = arguments(&text[at + 1..]);
                let inner = arguments.clone();
                found.push(Reference::Call { name: name.trim().to_owned(), arguments });
                if depth < MAX_DEPTH {
                    for argument in &inner {
                        scan(argument, depth + 1, found);
                    }
                }
                return rest.trim_start_matches(' ').strip_prefix('}').unwrap_or(rest);
            }
            '}' => {
                let is_call = function(&name).is_some();
                found.push(match name {
                    name if is_call => Reference::Call { name, arguments: Vec::new() },
                    name => Reference::Variable(name),
                });
                return &text[at + 1..];
            }
            c => name.push(c),
        }
    }
    // Without an end it is only text.
    ""
}

/// The arguments after `(`, up to the `)` that closes it, and what follows.
fn arguments(text: &str) -> (Vec<String>, &str) {
    let mut found = Vec::new();
    let mut argument = String::new();
    let mut previous = ' ';
    let mut braces = 0_u32;
    let mut parens = 0_u32;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                argument.push(c);
                argument.extend(chars.next().map(|(_, escaped)| escaped));
                previous = ' ';
                continue;
            }
            ',' if braces == 0 => {
                found.push(std::mem::take(&mut argument));
                continue;
            }
            ')' if braces == 0 && parens == 0 => {
                if !(argument.is_empty() && found.is_empty()) {
                    found.push(argument);
                }
                return (found, &text[at + 1..]);
            }
            '{' if previous == '$' => braces += 1,
            '}' if braces > 0 => braces -= 1,
            ')' if braces == 0 => parens -= 1,
            '(' if braces == 0 => parens += 1,
            _ => {}
        }
        argument.push(c);
        previous = c;
    }
    found.push(argument);
    (found, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Reference {
        Reference::Variable(name.to_owned())
    }

    fn call(name: &str, arguments: &[&str]) -> Reference {
        let arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
        Reference::Call { name: name.to_owned(), arguments }
    }

    #[test]
    fn references_of_a_text() {
        let cases = [
            ("plain $ {a} \\${b} ${open", vec![]),
            ("${a}${b c}", vec![variable("a"), variable("b c")]),
            ("x${__UUID}${__time()}", vec![call("__UUID", &[]), call("__time", &[])]),
            (
                "${__Random(1,${most},n)}/${id}",
                vec![call("__Random", &["1", "${most}", "n"]), variable("most"), variable("id")],
            ),
            (
                "${__jexl3(f(a\\,b) == ${x},y)}",
                vec![call("__jexl3", &["f(a\\,b) == ${x}", "y"]), variable("x")],
            ),
            (
                "${__V(a_${__counter(TRUE,c)})}",
                vec![call("__V", &["a_${__counter(TRUE,c)}"]), call("__counter", &["TRUE", "c"])],
            ),
            ("${__unknown(a)}${__mine}", vec![call("__unknown", &["a"]), variable("__mine")]),
            ("${a(b)}", vec![variable("a(b)")]),
            ("$${a}", vec![variable("a")]),
        ];
        for (text, expected) in cases {
            assert_eq!(references(text), expected, "{text}");
        }
        let deep = "${__eval(".repeat(10_000);
        assert!(references(&deep).len() <= 52);
    }

    #[test]
    fn functions_of_plug_ins_are_unknown() {
        for (text, is_unknown) in [
            ("${__P(a)} ${__UUID} ${ __mine(b)}", false),
            ("${__ time (x)}", false),
            ("${__mine", false),
            ("${__P(a)}${__mine}", true),
            ("${__mine(a)}", true),
        ] {
            assert_eq!(calls_unknown(text), is_unknown, "{text}");
        }
    }

    #[test]
    fn the_table_says_which_argument_names_a_variable() {
        let names = |function: &str, position: usize, count: usize| {
            super::function(function).expect("known").names_variable(position, count)
        };
        assert!(names("__Random", 2, 3));
        assert!(!names("__Random", 1, 3));
        assert!(names("__StringFromFile", 1, 4));
        assert!(names("__intSum", 2, 3));
        assert!(!names("__intSum", 1, 2), "two numbers have a sum without a variable");
        assert!(names("__evalVar", 0, 1));
        assert!(!names("__P", 0, 1));
    }
}
