//! `__split(text, variable, delimiters)` (JMeter's `SplitFunction`): parts of a text as
//! `variable_1`, `variable_2`, …, their count as `variable_n`, the text itself as `variable`.

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

struct Split {
    text: Template,
    prefix: Template,
    delimiters: Option<Template>,
}

pub(crate) fn make(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Split { text: args.required(), prefix: args.required(), delimiters: args.optional() })
}

impl Function for Split {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let text = self.text.eval_value(cx);
        let prefix = self.prefix.eval_value(cx);
        let prefix = trim(&prefix);
        let delimiters =
            self.delimiters.as_ref().map(|given| given.eval_value(cx)).filter(|given| !given.is_empty());
        if cx.thrown.is_some() {
            return Ok(());
        }
        let parts = parts(&text, delimiters.as_deref().unwrap_or(","));
        cx.vars.put(prefix, text.clone());
        cx.vars.put(&format!("{prefix}_n"), parts.len().to_string());
        for (index, part) in parts.iter().enumerate() {
            cx.vars.put(&format!("{prefix}_{}", index + 1), *part);
        }
        cx.vars.remove(&format!("{prefix}_{}", parts.len() + 1));
        out.push_str(&text);
        Ok(())
    }
}

/// `JOrphanUtils.split(text, delimiters, "?")`: each character of the delimiters splits; an empty
/// part is `?`, but one before the first delimiter is dropped.
fn parts<'t>(text: &'t str, delimiters: &str) -> Vec<&'t str> {
    let mut parts: Vec<&str> = text.split(|c| delimiters.contains(c)).collect();
    if parts.first().is_some_and(|first| first.is_empty()) {
        parts.remove(0);
    }
    parts.into_iter().map(|part| if part.is_empty() { "?" } else { part }).collect()
}
