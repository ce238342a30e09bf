//! A regular expression in a property of an element: compiled once if it is constant, otherwise
//! with a small cache.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use swell_api::CompileContext;
use swell_budget::{Budget, Exceeded};
use swell_expr::{Context, Template, Value};
use swell_plan::{Element, Severity};

use swell_regex::{BadPattern, Dialect, Reach, Regex};

use crate::heavy::Shared;

/// The dialect that a run asks for.
pub fn dialect(compile: &CompileContext) -> Dialect {
    compile.props.regex_dialect()
}

/// Expressions that each half of a cache holds (JMeter's `oro.patterncache.size` is 1000 for all
/// together).
const CACHE_HALF: usize = 32;

type CompiledPattern = Arc<Result<Regex, BadPattern>>;

/// A regular expression from a property.
pub struct PatternField {
    template: Template,
    constant: Option<CompiledPattern>,
    cache: RefCell<Cache>,
    dialect: Dialect,
    reach: Reach,
}

impl PatternField {
    /// From a template.
    pub fn new(template: Template, dialect: Dialect, reach: Reach) -> Self {
        let constant = template.constant().map(|text| Arc::new(Regex::new(text, dialect, reach)));
        Self { template, constant, cache: RefCell::default(), dialect, reach }
    }

    /// Notes what is wrong with it, if it is constant and wrong.
    pub fn note_problem(&self, element: &Element, compile: &CompileContext, property: &str) {
        let Some(Err(bad)) = self.constant.as_deref() else { return };
        let message = format!(
            "invalid regular expression `{}`: {}",
            self.template.constant().unwrap_or_default(),
            bad.reason
        );
        let hint = "JMeter uses Jakarta ORO's dialect; the property jmeter.regex.engine=java selects Java's";
        compile.note(Severity::Warning, element, Some(property), message, Some(hint));
    }

    /// Number of its groups, if it is constant and right.
    pub fn group_count(&self) -> Option<usize> {
        Some(self.constant.as_ref()?.as_ref().as_ref().ok()?.group_count())
    }

    /// Whether it is constant and no search takes steps back: what it does on a small text is
    /// little.
    pub fn is_plain(&self) -> bool {
        matches!(self.constant.as_deref(), Some(Ok(regex)) if regex.is_plain())
    }

    /// The expression of a text that the field had, for a helper thread.
    pub fn shared(&self, text: &str) -> Arc<Result<Regex, BadPattern>> {
        self.of(text).share()
    }

    /// The expression now.
    pub fn get(&self, cx: &mut Context) -> Shared<'_, Result<Regex, BadPattern>> {
        match &self.constant {
            Some(compiled) => Shared::Constant(compiled),
            None => self.of(&self.value(cx)),
        }
    }

    /// The expression of a text that the field had.
    pub fn of(&self, text: &str) -> Shared<'_, Result<Regex, BadPattern>> {
        match &self.constant {
            Some(compiled) => Shared::Constant(compiled),
            None => Shared::Owned(
                self.cache.borrow_mut().get(text, || Regex::new(text, self.dialect, self.reach)),
            ),
        }
    }

    /// The expression's text now.
    pub fn value(&self, cx: &mut Context) -> Value {
        self.template.eval_value(cx)
    }

    /// The expression's text now.
    pub fn text(&self, cx: &mut Context) -> String {
        self.template.eval(cx).into_owned()
    }
}

/// The least recently used are forgotten half by half: a full young half becomes the old one.
#[derive(Default)]
struct Cache {
    young: HashMap<String, CompiledPattern>,
    old: HashMap<String, CompiledPattern>,
}

impl Cache {
    fn get(&mut self, text: &str, make: impl FnOnce() -> Result<Regex, BadPattern>) -> CompiledPattern {
        if let Some(compiled) = self.young.get(text) {
            return compiled.clone();
        }
        let compiled = self.old.remove(text).unwrap_or_else(|| Arc::new(make()));
        if self.young.len() >= CACHE_HALF {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(text.to_owned(), compiled.clone());
        compiled
    }
}

/// What an assertion says where a match was given up.
pub fn given_up(pattern: &str, budget: &Budget) -> String {
    let why = budget.exceeded().unwrap_or(Exceeded::Work);
    format!("matching `{pattern}` was stopped: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_stays_small_and_keeps_what_is_used() {
        let mut cache = Cache::default();
        let mut made = 0;
        for i in 0..500 {
            for text in ["often", &format!("rare{i}")] {
                cache.get(text, || {
                    made += u32::from(text == "often");
                    Regex::new(text, Dialect::Oro, Reach::Anywhere)
                });
            }
            assert!(cache.young.len() + cache.old.len() <= 2 * CACHE_HALF);
        }
        assert_eq!(made, 1);
    }
}
