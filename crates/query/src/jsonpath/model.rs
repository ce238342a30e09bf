//! What a path is evaluated on: a tree, or the outline of a text.

use std::borrow::Cow;

use crate::json::Json;

/// What a value is, as far as steps of a path ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    Null,
    Other,
}

/// A simple value, as filters compare it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Text(&'v str),
    /// Any other value: it has to be built to be compared.
    Other,
}

/// A value of a document, as a handle.
pub(super) trait Model<'m, 'd: 'm>: Copy {
    fn shape(self) -> Shape;

    /// The value as it is in the text or tree; texts without anything to resolve.
    fn scalar(self) -> Scalar<'m>;

    /// The value of a name of an object.
    fn get(self, name: &str) -> Option<Self>;

    /// The values of an object or array, in order; nothing for others.
    fn values(self) -> impl Iterator<Item = Self>;

    /// The element of an array.
    fn element(self, index: usize) -> Option<Self>;

    /// How many values it is with all that are in it.
    fn weight(self) -> usize;

    /// The value with all that is in it.
    fn json(self) -> Cow<'m, Json<'d>>;
}

impl<'m, 'd: 'm> Model<'m, 'd> for &'m Json<'d> {
    fn shape(self) -> Shape {
        match self {
            Json::Object(_) => Shape::Object,
            Json::Array(_) => Shape::Array,
            Json::Null => Shape::Null,
            _ => Shape::Other,
        }
    }

    fn scalar(self) -> Scalar<'m> {
        match self {
            Json::Null => Scalar::Null,
            Json::Bool(value) => Scalar::Bool(*value),
            Json::Int(number) => Scalar::Int(*number),
            Json::Text(text) => Scalar::Text(text),
            _ => Scalar::Other,
        }
    }

    fn get(self, name: &str) -> Option<Self> {
        Json::get(self, name)
    }

    fn values(self) -> impl Iterator<Item = Self> {
        let (elements, members) = match self {
            Json::Array(elements) => (&elements[..], &[][..]),
            Json::Object(members) => (&[][..], &members[..]),
            _ => (&[][..], &[][..]),
        };
        elements.iter().chain(members.iter().map(|(_, value)| value))
    }

    fn element(self, index: usize) -> Option<Self> {
        match self {
            Json::Array(elements) => elements.get(index),
            _ => None,
        }
    }

    fn weight(self) -> usize {
        Json::weight(self)
    }

    fn json(self) -> Cow<'m, Json<'d>> {
        Cow::Borrowed(self)
    }
}

/// What a path finds.
#[derive(Clone, Debug)]
pub(super) enum Found<'d, M> {
    /// A value of the document.
    There(M),
    /// One that was made of such.
    Made(Json<'d>),
}

impl<'d, M> Found<'d, M> {
    pub(super) fn json<'m>(self) -> Cow<'m, Json<'d>>
    where
        'd: 'm,
        M: Model<'m, 'd>,
    {
        match self {
            Self::There(value) => value.json(),
            Self::Made(value) => Cow::Owned(value),
        }
    }
}
