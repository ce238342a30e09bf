//! The holes of a template.

use swell_expr::{FunctionCall, Variable};
use swell_http1::latin1;

use crate::text::form;
use crate::url::may_stand_in_segment;

/// Holes of a template at most.
pub(super) const MOST: usize = 64;

/// The place of a variable or a call in a request.
pub(super) struct Hole {
    pub(super) source: Source,
    pub(super) place: Place,
    /// Its value is escaped as a field of a form, in UTF-8.
    pub(super) is_escaped: bool,
}

pub(super) enum Source {
    Variable(Variable),
    Call(FunctionCall),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The path of the sampler, which may contain a query.
    Path,
    /// The value of a parameter, encoded or not.
    Parameter { encoded: bool },
    /// The value of a header.
    Header,
    /// The value of a parameter in the body: as it is, or as in a form.
    Body { in_form: bool },
}

impl Place {
    pub(super) fn is_body(self) -> bool {
        matches!(self, Self::Body { .. })
    }

    pub(super) fn is_of_parameter(self) -> bool {
        matches!(self, Self::Parameter { .. } | Self::Body { .. })
    }

    pub(super) fn is_url(self) -> bool {
        matches!(self, Self::Path | Self::Parameter { .. })
    }
}

impl Hole {
    /// Whether a value goes out as it is, or escaped where it is to be escaped.
    pub(super) fn takes(&self, value: &str) -> bool {
        match self.place {
            _ if self.is_escaped => true,
            Place::Header => latin1::is_plain(value),
            // An empty one might leave two slashes side by side.
            Place::Path => !value.is_empty() && may_stand_in_segment(value),
            Place::Parameter { encoded: false } => may_stand_in_segment(value),
            Place::Body { in_form: false } => true,
            Place::Parameter { encoded: true } | Place::Body { in_form: true } => form::is_safe(value),
        }
    }
}
