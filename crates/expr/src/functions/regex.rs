//! `__regexFunction`: groups of a match in the last response or in a variable (`RegexFunction`).

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use rand::Rng as _;
use swell_regex::{Found, GroupTemplate, Groups, Reach, Regex};

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome, given_up};
use crate::scope::Scope;
use crate::template::Template;

struct RegexFunction {
    pattern: Template,
    template: Template,
    which: Option<Template>,
    between: Option<Template>,
    default: Option<Template>,
    name: Option<Template>,
    input: Option<Template>,
    /// The pattern that was compiled last.
    compiled: RefCell<Option<(String, Rc<Regex>)>>,
}

/// `__regexFunction(pattern, template, which, between, default, name, input)`.
pub(crate) fn make(args: &mut Args, _scope: &Scope<'_>) -> Box<dyn Function> {
    Box::new(RegexFunction {
        pattern: args.required(),
        template: args.required(),
        which: args.optional(),
        between: args.optional(),
        default: args.optional(),
        name: args.optional(),
        input: args.optional(),
        compiled: RefCell::default(),
    })
}

fn text(argument: Option<&Template>, cx: &mut Context) -> String {
    argument.map_or_else(String::new, |argument| argument.eval(cx).into_owned())
}

impl Function for RegexFunction {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let template = GroupTemplate::new(&self.template.eval(cx));
        let which = text(self.which.as_ref(), cx);
        let between = text(self.between.as_ref(), cx);
        let default = text(self.default.as_ref(), cx);
        let name = text(self.name.as_ref(), cx);
        let input = text(self.input.as_ref(), cx);
        if cx.thrown.is_some() {
            return Ok(());
        }
        if !name.is_empty() {
            cx.vars.put(&name, &*default);
        }
        let is_previous = input.is_empty();
        let previous = cx.previous.clone().filter(|_| is_previous);
        let value = if is_previous { None } else { cx.vars.get(&input).cloned() };
        let searched = previous.as_ref().map(|body| body.as_str()).or(value.as_deref());
        let Some(searched) = searched.filter(|searched| !searched.is_empty()) else {
            out.push_str(&default);
            return Ok(());
        };
        let found = self.matches(cx, searched);
        if !name.is_empty() {
            let count = found.as_ref().map_or(0, Found::len);
            cx.vars.put(&format!("{name}_matchNr"), count.to_string());
        }
        let found = found?;
        let chosen = choose(cx, &found, &which)?;
        if chosen.is_empty() {
            out.push_str(&default);
        }
        for (at, groups) in chosen.filter_map(|at| found.get(at)).enumerate() {
            if at > 0 {
                out.push_str(&between);
            }
            let text = template.fill(groups);
            save(cx, &name, groups, &text);
            out.push_str(&text);
        }
        Ok(())
    }
}

impl RegexFunction {
    fn matches(&self, cx: &mut Context, searched: &str) -> Result<Found, CallFailure> {
        let regex = self.regex(cx)?;
        let mut found = Found::default();
        let budget = cx.heavy.function();
        found.search(&regex, searched, -1, &budget).map_err(|_| given_up(&budget, searched.len()))?;
        Ok(found)
    }

    fn regex(&self, cx: &mut Context) -> Result<Rc<Regex>, CallFailure> {
        let pattern = self.pattern.eval(cx).into_owned();
        if let Some((known, regex)) = &*self.compiled.borrow()
            && *known == pattern
        {
            return Ok(regex.clone());
        }
        let dialect = cx.props.regex_dialect();
        let regex = Regex::new(&pattern, dialect, Reach::Anywhere)
            .map_err(|bad| CallFailure::empty(format!("Malformed cache pattern: {}", bad.reason)))?;
        let regex = Rc::new(regex);
        *self.compiled.borrow_mut() = Some((pattern, regex.clone()));
        Ok(regex)
    }
}

/// The matches that are asked for: all, one by lot, the one with a number, or the one at a part of
/// them all. None where the number is beyond the last.
fn choose(cx: &mut Context, found: &Found, which: &str) -> Result<Range<usize>, CallFailure> {
    let place = match which {
        _ if found.is_empty() => return Ok(0..0),
        "ALL" => return Ok(0..found.len()),
        "RAND" => cx.random.random_range(0..found.len()) as i64,
        "" => 0,
        number => match (number.parse::<i32>(), number.trim().parse::<f32>()) {
            (Ok(number), _) => i64::from(number) - 1,
            (Err(_), Ok(part)) => (found.len() as f32 * part + 0.5) as i64 - 1,
            (Err(_), Err(_)) => return Err(CallFailure::no_fraction(number)),
        },
    };
    let beyond = || {
        let message = format!("Index {place} out of bounds for length {}", found.len());
        CallFailure::thrown("java.lang.IndexOutOfBoundsException", message)
    };
    let place = usize::try_from(place).map_err(|_| beyond())?;
    match found.get(place) {
        Some(_) => Ok(place..place + 1),
        None if which.parse::<i32>().is_ok() => Ok(0..0),
        None => Err(beyond()),
    }
}

/// The groups as variables. JMeter sets them without a name, too.
fn save(cx: &mut Context, name: &str, groups: Groups<'_>, text: &str) {
    for (number, group) in groups.iter().enumerate() {
        let variable = format!("{name}_g{number}");
        match group {
            Some(group) => cx.vars.put(&variable, group),
            None => cx.vars.put_null(&variable),
        }
    }
    if !name.is_empty() {
        cx.vars.put(name, text);
    }
}
