//! A text with an outline as what a path is evaluated on.

use std::borrow::Cow;

use crate::json::{self, Json, Place};

use super::model::{Model, Scalar, Shape};

impl<'m, 'd: 'm> Model<'m, 'd> for Place<'m, 'd> {
    fn shape(self) -> Shape {
        match self.first_byte() {
            b'{' => Shape::Object,
            b'[' => Shape::Array,
            b'n' => Shape::Null,
            _ => Shape::Other,
        }
    }

    fn scalar(self) -> Scalar<'m> {
        match self.first_byte() {
            b'"' => self.plain_string().map_or(Scalar::Other, Scalar::Text),
            b'-' | b'0'..=b'9' => self.whole_number().map_or(Scalar::Other, Scalar::Int),
            b't' => Scalar::Bool(true),
            b'f' => Scalar::Bool(false),
            b'n' => Scalar::Null,
            _ => Scalar::Other,
        }
    }

    fn get(self, name: &str) -> Option<Self> {
        self.member(name)
    }

    fn values(self) -> impl Iterator<Item = Self> {
        self.inside()
    }

    fn element(self, index: usize) -> Option<Self> {
        self.inside().nth(index)
    }

    fn weight(self) -> usize {
        Place::weight(self)
    }

    fn json(self) -> Cow<'m, Json<'d>> {
        Cow::Owned(match self.scalar() {
            Scalar::Null => Json::Null,
            Scalar::Bool(value) => Json::Bool(value),
            Scalar::Int(number) => Json::Int(number),
            // A text with an outline is JSON, and so is each value in it.
            _ => match self.plain_string() {
                Some(text) if self.first_byte() == b'"' => Json::Text(Cow::Borrowed(text)),
                _ => json::parse(self.text()).unwrap_or(Json::Null),
            },
        })
    }
}
