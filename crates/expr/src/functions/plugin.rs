//! Small functions of the plug-in jpgc-functions: `__env`, `__chooseRandom`, `__doubleSum`,
//! `__substring`, `__if`, `__strReplace`.

use rand::Rng as _;
use swell_budget::Budget;
use swell_regex::{Dialect, Reach, Regex, ReplaceFault};

use crate::arguments::{Args, NameRule, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome, given_up};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;
use swell_java::format;

struct Env {
    name: Template,
    target: Target,
    default: Option<Template>,
}

/// `__env(name, variable, default)`: a variable of the environment, without spaces around it; the
/// default is the name where none is given.
pub(crate) fn env(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let name = args.required();
    let target = args.target_named(NameRule::Exact, scope);
    Box::new(Env { name, target, default: args.optional() })
}

impl Function for Env {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        let name = self.name.text(cx);
        match (cx.host.env(&name), &self.default) {
            (Some(value), _) => out.push_str(trim(&value)),
            (None, Some(default)) => out.push_str(trim(&default.text(cx))),
            (None, None) => out.push_str(trim(&name)),
        }
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

struct ChooseRandom {
    choices: Vec<Template>,
    variable: Template,
}

/// `__chooseRandom(value, value, …, variable)`: one of the values; the last argument is always the
/// variable.
pub(crate) fn choose_random(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let mut choices = args.rest();
    let variable = choices.pop().expect("the table requires two arguments");
    Box::new(ChooseRandom { choices, variable })
}

impl Function for ChooseRandom {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let variable = self.variable.eval_value(cx);
        let start = out.len();
        let index = cx.random.random_range(..self.choices.len());
        self.choices[index].eval_into(cx, out);
        if !trim(&variable).is_empty() {
            cx.store(trim(&variable), &out[start..]);
        }
        Ok(())
    }
}

struct DoubleSum {
    terms: Vec<Template>,
    last: Template,
}

/// `__doubleSum(number, number, …, variable)`: the last argument is a variable unless it is a
/// number.
pub(crate) fn double_sum(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let mut terms = args.rest();
    let last = terms.pop().expect("the table requires two arguments");
    Box::new(DoubleSum { terms, last })
}

impl Function for DoubleSum {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        // The plug-in evaluates the last argument first.
        let last = self.last.eval_value(cx);
        let mut total = 0.0;
        for term in &self.terms {
            let text = term.text(cx);
            total += format::parse_double(&text).ok_or_else(|| CallFailure::no_fraction(&text))?;
        }
        let number = format::parse_double(&last);
        let text = format::double_to_string(total + number.unwrap_or(0.0));
        out.push_str(&text);
        if number.is_none() && !trim(&last).is_empty() {
            cx.store(trim(&last), text);
        }
        Ok(())
    }
}

struct Substring {
    text: Template,
    begin: Template,
    end: Template,
    target: Target,
}

/// `__substring(text, begin, end, variable)`: by UTF-16 units from 0, the end not included, as Java
/// counts.
pub(crate) fn substring(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let text = args.required();
    let begin = args.required();
    let end = args.required();
    Box::new(Substring { text, begin, end, target: args.target_named(NameRule::Exact, scope) })
}

impl Function for Substring {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let units: Vec<u16> = self.text.text(cx).encode_utf16().collect();
        let begin = index(&self.begin, cx)?;
        let end = index(&self.end, cx)?;
        let part = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
        let part = part.and_then(|(begin, end)| units.get(begin..end)).ok_or_else(|| {
            let message = format!("begin {begin}, end {end}, length {}", units.len());
            CallFailure::thrown("java.lang.StringIndexOutOfBoundsException", message)
        })?;
        let part = String::from_utf16_lossy(part);
        out.push_str(&part);
        self.target.put(cx, &part);
        Ok(())
    }
}

fn index(template: &Template, cx: &mut Context) -> Result<i32, CallFailure> {
    let text = template.text(cx);
    trim(&text).parse().map_err(|_| CallFailure::no_number(trim(&text)))
}

struct If {
    actual: Template,
    expected: Template,
    equal: Template,
    different: Template,
    target: Target,
}

/// `__if(actual, expected, result if equal, result if not, variable)`.
pub(crate) fn if_equal(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let actual = args.required();
    let expected = args.required();
    let equal = args.required();
    let different = args.required();
    let target = args.target_named(NameRule::EvenEmpty, scope);
    Box::new(If { actual, expected, equal, different, target })
}

impl Function for If {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        let actual = self.actual.text(cx);
        let expected = self.expected.text(cx);
        let chosen = if *actual == *expected { &self.equal } else { &self.different };
        chosen.eval_into(cx, out);
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

struct Replace {
    text: Template,
    from: Template,
    to: Template,
    target: Target,
}

/// `__strReplace(text, search, replacement, variable)`: the search is a regular expression of Java
/// (`String.replaceAll`). The plug-in has two functions of this name, and JMeter takes the second,
/// `StrReplaceRegex`.
pub(crate) fn replace(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let text = args.required();
    let from = args.required();
    let to = args.required();
    Box::new(Replace { text, from, to, target: args.target_named(NameRule::Exact, scope) })
}

impl Function for Replace {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let text = self.text.text(cx);
        let from = self.from.text(cx);
        let to = self.to.text(cx);
        let replaced = java_replace_all(&text, &from, &to, &cx.heavy.function())?;
        out.push_str(&replaced);
        self.target.put(cx, &replaced);
        Ok(())
    }
}

fn java_replace_all(
    text: &str,
    pattern: &str,
    replacement: &str,
    budget: &Budget,
) -> Result<String, CallFailure> {
    let regex = Regex::new(pattern, Dialect::Java, Reach::Anywhere)
        .map_err(|bad| CallFailure::thrown("java.util.regex.PatternSyntaxException", bad.reason))?;
    regex.replace_all_as_java(text, replacement, budget).map_err(|fault| match fault {
        ReplaceFault::Exhausted => given_up(budget, text.len()),
        ReplaceFault::NoGroup(number) => {
            CallFailure::thrown("java.lang.IndexOutOfBoundsException", format!("No group {number}"))
        }
        ReplaceFault::Illegal(reason) => CallFailure::illegal(reason),
    })
}
