//! Parameters.

use std::rc::Rc;

use swell_api::RequestArgument;

use super::upload;

/// An evaluated parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: Rc<str>,
    pub(crate) value: Rc<str>,
    pub(crate) separator: Rc<str>,
    pub(crate) encode: bool,
}

impl Parameter {
    /// One that is encoded.
    pub(crate) fn encoded(name: &str, value: &str) -> Self {
        Self { name: name.into(), value: value.into(), separator: "=".into(), encode: true }
    }
}

impl Parameter {
    /// Like an argument without a content type.
    pub(crate) fn plain(&self) -> RequestArgument {
        self.shown(upload::TEXT.to_owned())
    }

    pub(super) fn shown(&self, content_type: String) -> RequestArgument {
        let [name, value, separator] = [&self.name, &self.value, &self.separator].map(ToString::to_string);
        RequestArgument { name, value, separator, encode: self.encode, content_type }
    }
}

impl From<RequestArgument> for Parameter {
    fn from(argument: RequestArgument) -> Self {
        let RequestArgument { name, value, separator, encode, .. } = argument;
        Self { name: name.into(), value: value.into(), separator: separator.into(), encode }
    }
}
