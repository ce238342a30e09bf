//! An expression in a property of an element: compiled once where it is constant, else once for each new text.

use std::cell::RefCell;
use std::sync::Arc;

use crate::jmespath::JmesPath;
use swell_expr::{Context, Template};

use swell_elements::heavy::Shared;

type Compiled = Arc<Result<JmesPath, String>>;

/// An expression as a property gives it.
pub(crate) struct PathField {
    template: Template,
    trims: bool,
    /// The last text with its expression.
    known: RefCell<Option<(String, Compiled)>>,
}

impl PathField {
    /// One that is taken as it is written.
    pub(crate) fn new(template: Template) -> Self {
        Self::with(template, false)
    }

    /// One whose spaces around do not count.
    pub(crate) fn trimmed(template: Template) -> Self {
        Self::with(template, true)
    }

    fn with(template: Template, trims: bool) -> Self {
        let field = Self { template, trims, known: RefCell::default() };
        if let Some(text) = field.template.constant() {
            field.compiled(text);
        }
        field
    }

    /// Why it cannot be compiled, if that is known before the run.
    pub(crate) fn problem(&self) -> Option<String> {
        self.template.constant()?;
        self.known.borrow().as_ref().and_then(|(_, compiled)| compiled.as_ref().as_ref().err().cloned())
    }

    /// The expression now.
    pub(crate) fn get(&self, cx: &mut Context) -> Shared<'static, Result<JmesPath, String>> {
        Shared::Owned(self.compiled(&self.template.text(cx)))
    }

    /// Its text now.
    pub(crate) fn text(&self, cx: &mut Context) -> String {
        self.template.eval(cx).into_owned()
    }

    fn compiled(&self, text: &str) -> Compiled {
        if let Some((known, compiled)) = &*self.known.borrow()
            && known == text
        {
            return compiled.clone();
        }
        let trimmed = if self.trims { text.trim_matches(|c| c <= ' ') } else { text };
        let compiled: Compiled = Arc::new(JmesPath::compile(trimmed));
        *self.known.borrow_mut() = Some((text.to_owned(), compiled.clone()));
        compiled
    }
}
