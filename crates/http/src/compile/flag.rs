//! Check boxes.

use swell_api::CompileContext;
use swell_expr::{Context, Template};
use swell_plan::Element;

/// A check box, whose value may also be an expression.
pub(crate) enum Flag {
    /// Set once.
    Is(bool),
    /// Evaluated for each sample.
    Text(Template),
}

impl Flag {
    /// A check box of an element.
    pub(crate) fn of(element: &Element, name: &str, default: bool, compile: &CompileContext) -> Self {
        match element.text(name) {
            None => Self::Is(default),
            text => parse_flag(text.map(|text| (element, text)), name, compile),
        }
    }

    /// Its value now.
    pub(crate) fn get(&self, cx: &mut Context) -> bool {
        match self {
            Self::Is(value) => *value,
            Self::Text(template) => flag(Some(&template.eval(cx))),
        }
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Is(_))
    }
}

/// The check box of a property that was found; off where there is none.
pub(super) fn parse_flag(found: Option<(&Element, &str)>, name: &str, compile: &CompileContext) -> Flag {
    let Some((element, text)) = found else { return Flag::Is(false) };
    let template = compile.text(element, name, text);
    match template.constant() {
        Some(text) => Flag::Is(flag(Some(text))),
        None => Flag::Text(template),
    }
}

/// Whether a text says `true`.
pub(super) fn flag(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.eq_ignore_ascii_case("true"))
}
