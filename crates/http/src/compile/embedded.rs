//! Settings of a sampler for the resources of its pages.

use std::cell::RefCell;
use std::sync::Arc;

use swell_api::CompileContext;
use swell_expr::{Context, Level, Template};
use swell_plan::Element;
use swell_regex::{Dialect, Reach, Regex};

use crate::classes::BZM_HTTP;
use crate::set::{self, ScriptSettings};

use super::flag::{Flag, parse_flag};
use super::merge::Merged;

/// `HTTPSampler.image_parser` and its options.
pub(crate) struct Embedded {
    on: Flag,
    /// `HTTPSampler.concurrentDwn`.
    parallel: Flag,
    /// `HTTPSampler.concurrentPool`.
    pool: Template,
    /// `HTTPSampler.embedded_url_re`.
    pub(crate) allow: UrlPattern,
    /// `HTTPSampler.embedded_url_exclude_re`.
    pub(crate) exclude: UrlPattern,
}

/// Downloads at once where the plan says nothing that is a number.
const POOL: usize = 6;

impl Embedded {
    /// `may_be_set`: a script may want what the plan does not.
    pub(super) fn new(
        (merged, sampler): (&Merged<'_>, &Element),
        may_be_set: bool,
        compile: &CompileContext,
    ) -> Option<Box<Self>> {
        let flag = |name: &str| parse_flag(merged.find(name), name, compile);
        let on = flag(set::RESOURCES);
        if !may_be_set && matches!(on, Flag::Is(false)) {
            return None;
        }
        let text = |name: &str| match merged.find(name) {
            Some((element, text)) => compile.text(element, name, text),
            None => Template::constant_text(""),
        };
        let dialect = compile.props.regex_dialect();
        Some(Box::new(Self {
            on,
            // bzm's sampler downloads in parallel where nothing says so (`isConcurrentDwn`).
            parallel: if merged.find(set::PARALLEL).is_none() {
                Flag::Is(sampler.class == BZM_HTTP)
            } else {
                flag(set::PARALLEL)
            },
            pool: text(set::POOL),
            allow: UrlPattern::new(set::ALLOW, text(set::ALLOW), "allow", dialect),
            exclude: UrlPattern::new(set::EXCLUDE, text(set::EXCLUDE), "exclude", dialect),
        }))
    }

    /// Whether the plan wants no resources, and only a script can.
    pub(crate) fn is_off(&self) -> bool {
        matches!(self.on, Flag::Is(false))
    }

    /// Whether they are wanted now.
    pub(crate) fn is_on(&self, set: &ScriptSettings, cx: &mut Context) -> bool {
        set.flag(set::RESOURCES).unwrap_or_else(|| self.on.get(cx))
    }

    pub(super) fn flags(&self) -> [&Flag; 2] {
        [&self.on, &self.parallel]
    }

    pub(super) fn texts(&self) -> [&Template; 3] {
        [&self.pool, &self.allow.template, &self.exclude.template]
    }

    /// Downloads at once; none: one after the other, on the connection of the page.
    pub(crate) fn pool(&self, set: &ScriptSettings, cx: &mut Context) -> Option<usize> {
        if !set.flag(set::PARALLEL).unwrap_or_else(|| self.parallel.get(cx)) {
            return None;
        }
        let pool = set.text(set::POOL).map_or_else(|| self.pool.eval(cx), Into::into);
        let pool = pool.parse::<i32>().map_or(POOL, |n| usize::try_from(n).unwrap_or(1).max(1));
        (pool != 1).then_some(pool)
    }
}

/// A text, and the expression it is.
type CompiledUrlPattern = (Box<str>, Option<Arc<Regex>>);

/// A regular expression for URLs.
pub(crate) struct UrlPattern {
    setting: &'static str,
    template: Template,
    what: &'static str,
    dialect: Dialect,
    /// The last text, and what it compiled to.
    last: RefCell<Option<CompiledUrlPattern>>,
}

impl UrlPattern {
    fn new(setting: &'static str, template: Template, what: &'static str, dialect: Dialect) -> Self {
        Self { setting, template, what, dialect, last: RefCell::default() }
    }

    /// The current expression; `None` if it is missing or invalid, which JMeter ignores.
    pub(crate) fn get(&self, set: &ScriptSettings, cx: &mut Context) -> Option<Arc<Regex>> {
        let text = set.text(self.setting).map_or_else(|| self.template.eval_value(cx), Into::into);
        if text.is_empty() {
            return None;
        }
        let mut last = self.last.borrow_mut();
        if let Some((_, regex)) = last.as_ref().filter(|(known, _)| **known == *text) {
            return regex.clone();
        }
        let regex = match Regex::new(&text, self.dialect, Reach::Whole) {
            Ok(regex) => Some(Arc::new(regex)),
            Err(bad) => {
                let line = format!("Ignoring embedded URL {} string: {bad}", self.what);
                cx.host.log(Level::Warn, &line);
                None
            }
        };
        *last = Some(((*text).into(), regex.clone()));
        regex
    }
}
