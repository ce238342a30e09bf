//! Regular Expression Extractor (`org.apache.jmeter.extractor.RegexExtractor`).

use std::cell::RefCell;
use std::rc::Rc;

use rand::Rng;
use swell_api::{
    CompileContext, Needs, Placement, PostProcessor, SampleResult, Scope, StepProgress, YieldBudget,
};
use swell_budget::Budget;
use swell_expr::{Context, Level, Slot, Template, Value};
use swell_plan::Element;
use swell_regex::{BadPattern, Found, GroupTemplate, Groups, Reach, Regex};

use crate::field::{IntField, TextField, VarName};
use crate::heavy::{Cost, Task};
use crate::numbered::NumberedSlots;
use crate::pattern::{PatternField, dialect};
use crate::reported::{self, Report};
use crate::scope::ScopeField;
use crate::subject::{Piece, SamplePart, Subject};

const REGEX: &str = "RegexExtractor.regex";

struct RegexExtractor {
    name: TextField,
    scope: ScopeField,
    part: SamplePart,
    variable: VarName,
    pattern: PatternField,
    template: Template,
    parsed_template: Option<GroupTemplate>,
    match_number: IntField,
    default: Template,
    default_is_empty: bool,
    /// Where the variables of the first matches are.
    matches: RefCell<Vec<MatchSlots>>,
}

/// Where the variables of a match are.
#[derive(Clone)]
struct MatchSlots {
    value: Slot,
    group_count: Slot,
    groups: Rc<[Slot]>,
}

impl MatchSlots {
    fn new(cx: &Context, name: &str, groups: usize) -> Self {
        let group = |group: usize| cx.vars.slot(&format!("{name}_g{group}"));
        Self {
            value: cx.vars.slot(name),
            group_count: cx.vars.slot(&format!("{name}_g")),
            groups: (0..groups).map(group).collect(),
        }
    }
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn PostProcessor> {
    let part = SamplePart::of(element, compile, "RegexExtractor.useHeaders");
    let pattern = PatternField::new(compile.template(element, REGEX, ""), dialect(compile), Reach::Anywhere);
    pattern.note_problem(element, compile, REGEX);
    let variable = VarName::of(element, compile, "RegexExtractor.refname");
    reserve_slots(compile, &variable, &pattern);
    let template = compile.template(element, "RegexExtractor.template", "");
    Box::new(RegexExtractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        part,
        variable,
        pattern,
        parsed_template: template.constant().map(GroupTemplate::new),
        template,
        match_number: IntField::of(element, compile, "RegexExtractor.match_number", ""),
        default: compile.template(element, "RegexExtractor.default", ""),
        default_is_empty: element.flag("RegexExtractor.default_empty_value", false),
        matches: RefCell::default(),
    })
}

/// Gives slots to the names that are set on every run, so that setting them makes no map entries.
fn reserve_slots(compile: &CompileContext, variable: &VarName, pattern: &PatternField) {
    let Some(base) = variable.constant() else { return };
    let names = &compile.expr.names;
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

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        let placement = self.placement(sample);
        placement.run(self.work(placement, cx, sample))
    }
}

/// The largest text of which all matches, were there one at each character, are found and kept in a
/// millisecond: each may cost a search to the end of the text and a few variables.
const MOST_FOR_ALL: usize = 512;

/// The highest number of a match that is looked for on the loop whatever the text.
const FIRST_FEW: i64 = 16;

impl RegexExtractor {
    fn placement(&self, sample: &SampleResult) -> Placement {
        let (Scope::Parent, IntField::Constant(wanted), true) =
            (self.scope.scope, &self.match_number, self.pattern.is_plain())
        else {
            return Placement::Anywhere;
        };
        let bytes = Subject::Samples(Scope::Parent, self.part).bytes(sample);
        Placement::of(
            bytes <= MOST_FOR_ALL || ((1..=FIRST_FEW).contains(wanted) && Cost::Regex.is_tiny(bytes)),
        )
    }

    async fn work(&self, placement: Placement, cx: &mut Context, sample: &mut SampleResult) {
        let default = self.default.eval(cx);
        if !default.is_empty() || self.default_is_empty {
            self.variable.put(cx, &*default);
        }
        let wanted = self.match_number.get(cx);
        let pattern = self.pattern.get(cx);
        if pattern.is_err() {
            let message = format!("Error in pattern: '{}'", self.pattern.text(cx));
            cx.host.log(Level::Error, &message);
            if reported::is_wanted(cx) {
                let subject = self.subject(cx);
                self.report(cx, sample, &subject, (wanted, false), Vec::new(), Some(message));
            }
            return;
        }
        let subject = self.subject(cx);
        let task = Task { name: &self.name, cost: Cost::Regex, placement, subject: &subject };
        let question = move |pattern: &Result<Regex, BadPattern>, pieces: &[Piece<'_>], budget: &Budget| {
            search(pattern, wanted, pieces, budget)
        };
        let found = task.ask(cx, sample, &pattern, question).await;
        self.save(YieldBudget::new(placement), cx, &found, wanted).await;
        if reported::is_wanted(cx) {
            let is_found = if wanted > 0 { found.done(wanted) } else { !found.is_empty() };
            let values = found.iter().map(|groups| self.fill(cx, groups).to_string()).collect();
            self.report(cx, sample, &subject, (wanted, is_found), values, None);
        }
    }

    /// Reports what was found.
    fn report(
        &self,
        cx: &mut Context,
        sample: &SampleResult,
        subject: &Subject,
        (wanted, found): (i64, bool),
        values: Vec<String>,
        error: Option<String>,
    ) {
        let variable = self.variable.name(cx).into_owned();
        let expression = self.pattern.text(cx).clone();
        let default = self.default.eval(cx);
        let report = Report {
            language: "regex",
            expression,
            subject,
            variable: &variable,
            wanted,
            matches: values.len(),
            found,
            values,
            has_default: self.default_is_empty || !default.is_empty(),
            error,
        };
        reported::report(cx, sample, report);
    }

    fn subject(&self, cx: &mut Context) -> Subject {
        if self.scope.scope != Scope::Variable {
            return Subject::Samples(self.scope.scope, self.part);
        }
        Subject::Value(self.scope.value(cx, "RegexExtractor", &self.name))
    }

    async fn save(&self, mut pace: YieldBudget, cx: &mut Context, found: &Found, wanted: i64) {
        let base = self.variable.name(cx).into_owned();
        let mut names = Names::new(&base);
        let before: usize =
            cx.vars.remove(names.with("_matchNr")).and_then(|count| count.parse().ok()).unwrap_or(0);
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
            kept = found.len();
            cx.vars.put(names.with("_matchNr"), kept.to_string());
            for (i, groups) in found.iter().enumerate() {
                let value = self.fill(cx, groups);
                if let Some(slots) = self.match_slots(cx, &base, i, groups.len()) {
                    save_match(cx, &slots, value, groups);
                } else {
                    let numbered = format!("{base}_{}", i + 1);
                    cx.vars.put(&numbered, value);
                    save_groups(cx, &mut Names::new(&numbered), groups);
                }
                pace.steps(groups.len() + 2).await;
            }
        }
        for i in kept + 1..=before {
            let numbered = format!("{base}_{i}");
            cx.vars.remove(&numbered);
            remove_groups(cx, &mut Names::new(&numbered));
            pace.steps(2).await;
        }
    }

    /// Where the variables of a match are, so that their names are made once. None where names or
    /// groups change, and for all but the first matches: each takes room in every user.
    fn match_slots(&self, cx: &Context, base: &str, at: usize, groups: usize) -> Option<MatchSlots> {
        if at >= NumberedSlots::MOST || self.variable.constant().is_none() {
            return None;
        }
        let mut matches = self.matches.borrow_mut();
        for missing in matches.len()..=at {
            matches.push(MatchSlots::new(cx, &format!("{base}_{}", missing + 1), groups));
        }
        matches.get(at).filter(|slots| slots.groups.len() == groups).cloned()
    }

    fn fill(&self, cx: &mut Context, groups: Groups<'_>) -> Value {
        match &self.parsed_template {
            Some(template) => template.fill(groups),
            None => GroupTemplate::new(&self.template.eval(cx)).fill(groups),
        }
    }
}

/// What matches in all texts; nothing if that was given up.
fn search(pattern: &Result<Regex, BadPattern>, wanted: i64, pieces: &[Piece<'_>], budget: &Budget) -> Found {
    let mut found = Found::default();
    let Ok(regex) = pattern else { return found };
    let searched = pieces.iter().try_for_each(|piece| found.search(regex, &piece.text(), wanted, budget));
    if searched.is_err() {
        found.clear();
    }
    found
}

/// The match with the wanted number; any of them for 0.
fn choose<'f>(cx: &mut Context, found: &'f Found, wanted: i64) -> Option<Groups<'f>> {
    match wanted {
        0 if found.is_empty() => None,
        0 => found.get(cx.random.random_range(0..found.len())),
        _ => found.get(0).filter(|_| found.done(wanted)),
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
        write!(self.buffer, "{group}").expect("writing to a String cannot fail");
        &self.buffer
    }
}

/// Sets `<base>_g0` and so on, `<base>_g` to the number of groups, and removes what an earlier
/// match left above.
fn save_groups(cx: &mut Context, names: &mut Names, groups: Groups<'_>) {
    let before = group_count(cx, names);
    for (i, group) in groups.iter().enumerate() {
        let name = names.group(i);
        match group {
            Some(text) => cx.vars.put(name, text),
            None => cx.vars.put_null(name),
        }
    }
    let count = groups.len();
    cx.vars.put(names.with("_g"), (count - 1).to_string());
    for i in count..=before {
        cx.vars.remove(names.group(i));
    }
}

/// [`save_groups`] and the match itself, by their places.
fn save_match(cx: &mut Context, slots: &MatchSlots, value: Value, groups: Groups<'_>) {
    cx.vars.put_slot(slots.value, value);
    let count = groups.len() - 1;
    let before = cx.vars.get_slot(slots.group_count).and_then(|count| count.parse().ok());
    if before.is_some_and(|before: usize| before > count) || groups.iter().any(|group| group.is_none()) {
        let name = cx.vars.name(slots.value);
        return save_groups(cx, &mut Names::new(&name), groups);
    }
    for (slot, group) in slots.groups.iter().zip(groups.iter()) {
        cx.vars.put_slot(*slot, group.unwrap_or_default());
    }
    if before != Some(count) {
        cx.vars.put_slot(slots.group_count, count.to_string());
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
