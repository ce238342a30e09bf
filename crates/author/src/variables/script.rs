//! What a script does with JMeter's variables, from its tokens: Groovy, BeanShell, JavaScript and
//! JEXL write it alike.

use std::collections::BTreeSet;

/// What a script does with variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) sets: BTreeSet<String>,
    /// Beginnings of names that are made while it runs.
    pub(super) prefixes: BTreeSet<String>,
    pub(super) reads: BTreeSet<String>,
    /// All its texts in quotes.
    pub(super) literals: BTreeSet<String>,
    pub(super) sets_any: bool,
    pub(super) reads_any: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    /// A text in quotes; whether something in it is computed.
    Text(String, bool),
    Sign(char),
}

/// Whether a text is a script that uses variables.
pub(super) fn is_script(text: &str) -> bool {
    ["vars.", "vars[", "vars,", "vars)", "getVariables", "JMeterVariables"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Whether a text may be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

/// Methods of JMeter's variables that set one.
const SETTERS: [&str; 2] = ["put", "putObject"];
/// And those that read one.
const GETTERS: [&str; 3] = ["get", "getObject", "remove"];
/// Methods that do neither.
const OTHERS: [&str; 4] = ["getThreadName", "getIteration", "incIteration", "getClass"];

impl Script {
    pub(super) fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut script = Self::default();
        // `v = vars`, `v = ctx.getVariables()`: other names for them.
        let mut objects = assigned(&tokens);
        objects.insert("vars".to_owned());
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Text(text, _) => _ = script.literals.insert(text.clone()),
                Token::Name(name) if objects.contains(name) => script.object(&tokens, at + 1),
                Token::Name(name) if name == "getVariables" => {
                    script.object(&tokens, after_call(&tokens, at + 1));
                }
                Token::Name(_) | Token::Sign(_) => {}
            }
        }
        script
    }

    /// What is done with the variables that the token before this place names.
    fn object(&mut self, tokens: &[Token], at: usize) {
        let rest = &tokens[at.min(tokens.len())..];
        match rest {
            [Token::Sign('.'), Token::Name(method), Token::Sign('('), arguments @ ..] => {
                let name = first_argument(arguments);
                if SETTERS.contains(&method.as_str()) {
                    self.named(name, true);
                } else if GETTERS.contains(&method.as_str()) {
                    self.named(name, false);
                } else if !OTHERS.contains(&method.as_str()) {
                    self.sets_any = true;
                    self.reads_any = true;
                }
            }
            [Token::Sign('.'), Token::Name(name), Token::Sign('='), next, ..]
                if *next != Token::Sign('=') =>
            {
                self.sets.insert(name.clone());
            }
            [Token::Sign('.'), Token::Name(name), ..] => _ = self.reads.insert(name.clone()),
            [Token::Sign('['), arguments @ ..] => {
                let name = first_argument(arguments);
                let after =
                    arguments.iter().position(|token| *token == Token::Sign(']')).map_or(0, |end| end + 1);
                let is_set =
                    matches!(&arguments[after..], [Token::Sign('='), next, ..] if *next != Token::Sign('='));
                self.named(name, is_set);
            }
            // It is handed to other code. An assignment only gives it another name.
            [Token::Sign(',' | ')'), ..] => {
                self.sets_any = true;
                self.reads_any = true;
            }
            _ => {}
        }
    }

    fn named(&mut self, name: Argument, is_set: bool) {
        match (name, is_set) {
            (Argument::Text(name), true) => _ = self.sets.insert(name),
            (Argument::Text(name), false) => _ = self.reads.insert(name),
            (Argument::Start(start), true) => _ = self.prefixes.insert(start),
            (Argument::Computed, true) => self.sets_any = true,
            (Argument::Start(_) | Argument::Computed, false) => self.reads_any = true,
        }
    }
}

/// The first argument of a call.
enum Argument {
    /// A text in quotes and nothing else.
    Text(String),
    /// It begins with this text.
    Start(String),
    Computed,
}

fn first_argument(tokens: &[Token]) -> Argument {
    match tokens {
        [Token::Text(text, false), Token::Sign(',' | ')' | ']'), ..] if !text.contains("${") => {
            Argument::Text(text.clone())
        }
        [Token::Text(text, _), ..] => match text.split("${").next() {
            Some(start) if !start.is_empty() => Argument::Start(start.to_owned()),
            _ => Argument::Computed,
        },
        _ => Argument::Computed,
    }
}

/// Names that are given to the variables of JMeter as an object.
fn assigned(tokens: &[Token]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, window) in tokens.windows(3).enumerate() {
        let [Token::Name(name), Token::Sign('='), _] = window else { continue };
        // What is on the right, up to the end of the statement.
        let right = &tokens[at + 2..];
        let end = right.iter().position(|token| *token == Token::Sign(';')).unwrap_or(right.len());
        let right = &right[..end.min(12)];
        let is_vars = matches!(right, [Token::Name(name)] if name == "vars")
            || matches!(right, [Token::Name(name), Token::Name(_), ..] if name == "vars");
        let is_call = right.iter().any(|token| matches!(token, Token::Name(name) if name == "getVariables"));
        // `x = getVariables().get(…)` is a value.
        let is_value =
            right.iter().any(|token| matches!(token, Token::Name(name) if GETTERS.contains(&name.as_str())));
        if is_vars || is_call && !is_value {
            found.insert(name.clone());
        }
    }
    found
}

/// The place after `()`.
fn after_call(tokens: &[Token], at: usize) -> usize {
    match tokens.get(at..) {
        Some([Token::Sign('('), Token::Sign(')'), ..]) => at + 2,
        _ => at,
    }
}

/// The tokens of a script without its comments.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => {
                let (text, length) = quoted(rest, c);
                let is_computed = c == '"' && text.contains('$');
                found.push(Token::Text(text, is_computed));
                length
            }
            c if c.is_alphabetic() || c == '_' || c == '$' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                found.push(Token::Name(rest[..end].to_owned()));
                end
            }
            c if c.is_whitespace() => c.len_utf8(),
            c => {
                found.push(Token::Sign(c));
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    found
}

/// A text in quotes, three or one on each side, and its length with them.
fn quoted(rest: &str, quote: char) -> (String, usize) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let mark = if rest.starts_with(&triple) { triple } else { quote.to_string() };
    let mut text = String::new();
    let mut at = mark.len();
    loop {
        let left = &rest[at..];
        let Some(c) = left.chars().next() else { return (text, rest.len()) };
        if left.starts_with(&mark) {
            return (text, at + mark.len());
        }
        at += c.len_utf8();
        if c == '\\' {
            let escaped = rest[at..].chars().next();
            at += escaped.map_or(0, char::len_utf8);
            text.extend(escaped);
        } else {
            text.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> BTreeSet<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn scripts_set_and_read_variables_in_many_ways() {
        type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str], bool);
        let cases: [Case<'_>; 17] = [
            ("vars.put('a', vars.get(\"b\"))", &["a"], &[], &["b"], false),
            ("vars.put(\"id_\" + i, x); vars.putObject('o', 1)", &["o"], &["id_"], &[], false),
            ("vars.put(\"u${i}\", x)", &[], &["u"], &[], false),
            ("vars.put(name, x)", &[], &[], &[], true),
            ("// vars.put('a', 1)\n/* vars.get('b') */ vars.remove('c')", &[], &[], &["c"], false),
            ("JMeterVariables v = ctx.getVariables();\nv.put('a', '1');", &["a"], &[], &[], false),
            ("ctx.getVariables().put('a', '1')", &["a"], &[], &[], false),
            ("String x = ctx.getVariables().get('a'); x.put(b, 1)", &[], &[], &["a"], false),
            ("def v = vars; v.put('a', '1')", &["a"], &[], &[], false),
            ("map.put('a', vars.get('b'))", &[], &[], &["b"], false),
            ("helper(vars)", &[], &[], &[], true),
            ("helper(log, vars, 1)", &[], &[], &[], true),
            ("vars.a = vars.b", &["a"], &[], &["b"], false),
            ("if (vars.a == 'x') vars['c'] = vars['d']", &["c"], &[], &["a", "d"], false),
            ("vars.putAll(map)", &[], &[], &[], true),
            ("vars.getThreadName()", &[], &[], &[], false),
            ("vars.put('''a''', '1')", &["a"], &[], &[], false),
        ];
        for (text, sets, prefixes, reads, sets_any) in cases {
            let script = Script::read(text);
            let Script { sets: set, prefixes: begun, reads: read, sets_any: any, .. } = script;
            assert_eq!(
                (set, begun, read, any),
                (names(sets), names(prefixes), names(reads), sets_any),
                "{text}"
            );
        }
    }

    #[test]
    fn tokens_of_odd_texts() {
        for text in ["'", "\"\\", "/*", "//", "'''a", "vars", "vars.", "vars.put(", "vars['a'", "é vars=vars"]
        {
            Script::read(text);
        }
    }
}
