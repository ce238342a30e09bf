//! The date pattern of a call, parsed again only when it changes.

use std::cell::RefCell;
use std::rc::Rc;

use crate::context::Context;
use crate::level::Level;
use crate::template::Template;
use crate::trim::trim;
use swell_java::time::{DatePattern, Locale};

type PatternResult = Result<Rc<DatePattern>, String>;

#[derive(Default)]
pub(crate) struct Patterns {
    last: RefCell<Option<(String, Locale, PatternResult)>>,
}

impl Patterns {
    pub(crate) fn get(&self, pattern: &str, locale: Locale) -> PatternResult {
        if let Some((known, language, parsed)) = &*self.last.borrow()
            && known == pattern
            && *language == locale
        {
            return parsed.clone();
        }
        let parsed = DatePattern::with_locale(pattern, locale).map(Rc::new);
        *self.last.borrow_mut() = Some((pattern.to_owned(), locale, parsed.clone()));
        parsed
    }
}

/// The language that an argument names; English, with a line in the log, where its names are not
/// known.
pub(crate) fn locale(argument: Option<&Template>, cx: &mut Context) -> Locale {
    let name = argument.map(|argument| argument.text(cx));
    match name.as_deref().map(trim) {
        None | Some("") => Locale::ENGLISH,
        Some(name) => Locale::of(name).unwrap_or_else(|| {
            cx.host.log(Level::Warn, &format!("unknown locale {name}; English names are used"));
            Locale::ENGLISH
        }),
    }
}
