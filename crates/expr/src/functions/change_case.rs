//! `__changeCase(text, UPPER|LOWER|CAPITALIZE, variable)` (JMeter's `ChangeCase`) and
//! `__caseFormat(text, mode, variable)` of the plug-in jpgc-functions.

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;

struct ChangeCase {
    text: Template,
    mode: Option<Template>,
    target: Target,
    default: &'static str,
    change: fn(&str, &str) -> Option<String>,
}

/// `__changeCase(text, mode, variable)`: upper case where no mode is given.
pub(crate) fn change_case(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let text = args.required();
    let mode = args.optional();
    Box::new(ChangeCase { text, mode, target: args.target(scope), default: "UPPER", change })
}

/// `__caseFormat(text, mode, variable)`: lower camel case where no mode is given.
pub(crate) fn case_format(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let text = args.required();
    let mode = args.optional();
    Box::new(ChangeCase {
        text,
        mode,
        target: args.target(scope),
        default: "LOWER_CAMEL_CASE",
        change: format,
    })
}

impl Function for ChangeCase {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let text = self.text.text(cx);
        let mode = self.mode.as_ref().map(|mode| mode.text(cx)).filter(|mode| !mode.is_empty());
        let mode = mode.as_deref().unwrap_or(self.default);
        let changed = (self.change)(&text, &mode.to_uppercase()).unwrap_or_else(|| {
            cx.host.log(Level::Error, &format!("Unknown mode {mode}, returning {} unchanged", &*text));
            text.to_string()
        });
        out.push_str(&changed);
        self.target.put(cx, &changed);
        Ok(())
    }
}

fn change(text: &str, mode: &str) -> Option<String> {
    Some(match mode {
        "UPPER" => text.to_uppercase(),
        "LOWER" => text.to_lowercase(),
        "CAPITALIZE" => capitalize(text),
        _ => return None,
    })
}

fn capitalize(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

fn format(text: &str, mode: &str) -> Option<String> {
    let words = words(text);
    Some(match mode {
        "LOWER_CAMEL_CASE" => camel(&words, false),
        "UPPER_CAMEL_CASE" => camel(&words, true),
        "SNAKE_CASE" | "LOWER_UNDERSCORE" => words.join("_").to_lowercase(),
        "KEBAB_CASE" | "LISP_CASE" | "SPINAL_CASE" | "LOWER_HYPHEN" => words.join("-").to_lowercase(),
        "TRAIN_CASE" => words.join("-").to_uppercase(),
        "UPPER_UNDERSCORE" => words.join("_").to_uppercase(),
        _ => return None,
    })
}

/// Split at runs of spaces, `-` and `_`; like Java's, an empty part stays at the start and is
/// dropped at the end.
fn words(text: &str) -> Vec<&str> {
    let separator = |c: char| matches!(c, ' ' | '\t'..='\r' | '-' | '_');
    let rest = text.trim_start_matches(separator);
    let start = (rest.len() < text.len()).then_some("");
    start.into_iter().chain(rest.split(separator).filter(|word| !word.is_empty())).collect()
}

fn camel(words: &[&str], first_upper: bool) -> String {
    let word = |(index, word): (usize, &&str)| {
        let lower = word.to_lowercase();
        if index > 0 || first_upper { capitalize(&lower) } else { lower }
    };
    words.iter().enumerate().map(word).collect()
}
