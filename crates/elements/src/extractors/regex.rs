//! Regular Expression Extractor (`org.apache.jmeter.extractor.RegexExtractor`).

use rand::Rng;
use swell_expr::{Context, Level, Template};
use swell_plan::Element;
use swell_regex::{Exhausted, Found, GroupTemplate, Groups, Reach, Regex};

use super::part::Part;
use crate::field::{IntField, TextField, VarName};
use crate::regex::{PatternField, dialect, log_exhausted};
use crate::scope::ScopeField;
use crate::{Build, Needs, PostProcessor, SampleResult, Scope};

const REGEX: &str = "RegexExtractor.regex";

struct RegexExtractor {
    name: TextField,
    scope: ScopeField,
    part: Part,
    variable: VarName,
    pattern: PatternField,
    template: Template,
    parsed_template: Option<GroupTemplate>,
    match_number: IntField,
    default: Template,
    default_is_empty: bool,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    let part = Part::of(element, build, "RegexExtractor.useHeaders");
    let pattern = PatternField::new(build.template(element, REGEX, ""), dialect(build), Reach::Anywhere);
    pattern.note_problem(element, build, REGEX);
    let variable = VarName::of(element, build, "RegexExtractor.refname");
    reserve_slots(build, &variable, &pattern);
    let template = build.template(element, "RegexExtractor.template", "");
    Box::new(RegexExtractor {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_extractor(element, build),
        part,
        variable,
        pattern,
        parsed_template: template.constant().map(GroupTemplate::new),
        template,
        match_number: IntField::of(element, build, "RegexExtractor.match_number", ""),
        default: build.template(element, "RegexExtractor.default", ""),
        default_is_empty: element.flag("RegexExtractor.default_empty_value", false),
    })
}

/// Gives slots to the names that are set on every run, so that setting them makes no map entries.
fn reserve_slots(build: &dyn Build, variable: &VarName, pattern: &PatternField) {
    let Some(base) = variable.constant() else { return };
    let names = &build.expr().names;
    names.slot(&format!("{base}_g"));
    names.slot(&format!("{base}_matchNr"));
    for group in 0..=pattern.group_count().unwrap_or(0) {
        names.slot(&format!("{base}_g{group}"));
    }
}

impl PostProcessor for RegexExtractor {
    fn needs(&self) -> Needs {
        if self.scope.scope == Scope::Variable { Needs::default() } else { self.part.needs() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let default = self.default.eval(cx);
        if !default.is_empty() || self.default_is_empty {
            self.variable.put(cx, &*default);
        }
        let wanted = self.match_number.get(cx);
        if let Ok(regex) = &*self.pattern.get(cx) {
            let found = self.search(cx, regex, sample, wanted);
            self.save(cx, &found, wanted);
        } else {
            let message = format!("Error in pattern: '{}'", self.pattern.text(cx));
            cx.host.log(Level::Error, &message);
        }
    }
}

impl RegexExtractor {
    fn search(&self, cx: &mut Context, regex: &Regex, sample: &SampleResult, wanted: i64) -> Found {
        let mut found = Found::default();
        let searched = if self.scope.scope == Scope::Variable {
            self.search_variable(cx, regex, &mut found, wanted)
        } else {
            let mut samples = self.scope.scope.samples(sample).into_iter();
            samples.try_for_each(|sample| found.search(regex, &self.part.text(sample), wanted))
        };
        if searched.is_err() {
            let (name, pattern) = (self.name.get(cx), self.pattern.text(cx));
            log_exhausted(cx, &name, &pattern);
        }
        found
    }

    fn search_variable(
        &self,
        cx: &mut Context,
        regex: &Regex,
        found: &mut Found,
        wanted: i64,
    ) -> Result<(), Exhausted> {
        if let Some(value) = self.scope.variable.value(cx) {
            return found.search(regex, &value, wanted);
        }
        let variable = self.scope.variable.name(cx);
        let message = format!(
            "No variable '{variable}' found to process by RegexExtractor '{}', skipping processing",
            self.name.get(cx)
        );
        cx.host.log(Level::Warn, &message);
        Ok(())
    }

    fn save(&self, cx: &mut Context, found: &Found, wanted: i64) {
        let base = self.variable.name(cx).into_owned();
        let mut names = Names::new(&base);
        let before = cx.vars.remove(names.with("_matchNr")).and_then(|count| count.parse().ok()).unwrap_or(0);
        let mut kept = 0;
        if wanted >= 0 {
            match choose(cx, found, wanted) {
                Some(groups) => {
                    let value = self.fill(cx, groups);
                    self.variable.put(cx, value);
                    save_groups(cx, &mut names, groups);
                }
                None => remove_groups(cx, &mut names),
            }
        } else {
            remove_groups(cx, &mut names);
            kept = found.kept.len();
            cx.vars.put(names.with("_matchNr"), kept.to_string());
            for (i, groups) in found.kept.iter().enumerate() {
                let value = self.fill(cx, groups);
                let numbered = format!("{base}_{}", i + 1);
                cx.vars.put(&numbered, value);
                save_groups(cx, &mut Names::new(&numbered), groups);
            }
        }
        for i in kept + 1..=before {
            let numbered = format!("{base}_{i}");
            cx.vars.remove(&numbered);
            remove_groups(cx, &mut Names::new(&numbered));
        }
    }

    fn fill(&self, cx: &mut Context, groups: &Groups) -> std::rc::Rc<str> {
        match &self.parsed_template {
            Some(template) => template.fill(groups),
            None => GroupTemplate::new(&self.template.eval(cx)).fill(groups),
        }
    }
}

/// The match with the wanted number; any of them for 0.
fn choose<'f>(cx: &mut Context, found: &'f Found, wanted: i64) -> Option<&'f Groups> {
    match wanted {
        0 if found.kept.is_empty() => None,
        0 => found.kept.get(cx.random.random_range(0..found.kept.len())),
        _ => found.kept.first().filter(|_| found.done(wanted)),
    }
}

/// Names made of a base and an ending, in one buffer.
struct Names {
    buffer: String,
    base: usize,
}

impl Names {
    fn new(base: &str) -> Self {
        let mut buffer = String::with_capacity(base.len() + 12);
        buffer.push_str(base);
        Self { buffer, base: base.len() }
    }

    fn with(&mut self, ending: &str) -> &str {
        self.buffer.truncate(self.base);
        self.buffer.push_str(ending);
        &self.buffer
    }

    fn group(&mut self, group: usize) -> &str {
        use std::fmt::Write;
        self.with("_g");
        write!(self.buffer, "{group}").expect("a String takes everything");
        &self.buffer
    }
}

/// Sets `<base>_g0` and so on, `<base>_g` to the number of groups, and removes what an earlier match left above.
fn save_groups(cx: &mut Context, names: &mut Names, groups: &Groups) {
    let before = group_count(cx, names);
    for (i, group) in groups.0.iter().enumerate() {
        let name = names.group(i);
        match group {
            Some(text) => cx.vars.put(name, text.clone()),
            None => cx.vars.put_null(name),
        }
    }
    let count = groups.0.len();
    cx.vars.put(names.with("_g"), (count - 1).to_string());
    for i in count..=before {
        cx.vars.remove(names.group(i));
    }
}

fn remove_groups(cx: &mut Context, names: &mut Names) {
    let before = group_count(cx, names);
    cx.vars.remove(names.with("_g"));
    for i in 0..=before {
        cx.vars.remove(names.group(i));
    }
}

fn group_count(cx: &Context, names: &mut Names) -> usize {
    cx.vars.get(names.with("_g")).and_then(|count| count.parse().ok()).unwrap_or(0)
}
