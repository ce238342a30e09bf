//! What a sampler says of the resources of its pages.

use std::cell::RefCell;
use std::sync::Arc;

use swell_api::CompileContext;
use swell_expr::{Context, Level, Template};
use swell_regex::{Dialect, Reach, Regex};

use super::merge::Merged;
use super::spec::{Flag, parse_flag};

/// `HTTPSampler.image_parser` and its options.
pub(crate) struct Embedded {
    pub(crate) on: Flag,
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
    pub(super) fn new(merged: &Merged<'_>, compile: &CompileContext) -> Option<Box<Self>> {
        let flag = |name: &str| parse_flag(merged.find(name), name, compile);
        let on = flag("HTTPSampler.image_parser");
        if matches!(on, Flag::Is(false)) {
            return None;
        }
        let text = |name: &str| match merged.find(name) {
            Some((element, text)) => compile.text(element, name, text),
            None => Template::constant_text(""),
        };
        let dialect = compile.props.regex_dialect();
        Some(Box::new(Self {
            on,
            parallel: flag("HTTPSampler.concurrentDwn"),
            pool: text("HTTPSampler.concurrentPool"),
            allow: UrlPattern::new(text("HTTPSampler.embedded_url_re"), "allow", dialect),
            exclude: UrlPattern::new(text("HTTPSampler.embedded_url_exclude_re"), "exclude", dialect),
        }))
    }

    pub(super) fn flags(&self) -> [&Flag; 2] {
        [&self.on, &self.parallel]
    }

    pub(super) fn texts(&self) -> [&Template; 3] {
        [&self.pool, &self.allow.template, &self.exclude.template]
    }

    /// Downloads at once; none: one after the other, on the connection of the page.
    pub(crate) fn pool(&self, cx: &mut Context) -> Option<usize> {
        if !self.parallel.get(cx) {
            return None;
        }
        let pool = self.pool.eval(cx).parse::<i32>().map_or(POOL, |n| usize::try_from(n).unwrap_or(1).max(1));
        (pool != 1).then_some(pool)
    }
}

/// A text, and the expression it is.
type Compiled = (Box<str>, Option<Arc<Regex>>);

/// An expression over URLs.
pub(crate) struct UrlPattern {
    template: Template,
    what: &'static str,
    dialect: Dialect,
    /// The last text, and what it compiled to.
    last: RefCell<Option<Compiled>>,
}

impl UrlPattern {
    fn new(template: Template, what: &'static str, dialect: Dialect) -> Self {
        Self { template, what, dialect, last: RefCell::default() }
    }

    /// The expression now; none if there is none, or if it is no expression, which JMeter ignores.
    pub(crate) fn get(&self, cx: &mut Context) -> Option<Arc<Regex>> {
        let text = self.template.eval_value(cx);
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
