//! A compiled selector.

use fancy_regex::Regex;

use super::nth::Nth;

/// Alternatives: a match of any chain is a match.
#[derive(Debug)]
pub(super) struct Selector(pub(super) Vec<Chain>);

/// Compounds, each with its relation to the previous one.
#[derive(Debug)]
pub(super) struct Chain {
    /// How the first is to the element that is asked about; none if it may be anywhere.
    pub(super) leading: Option<Relation>,
    pub(super) first: Compound,
    pub(super) rest: Vec<(Relation, Compound)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Descendant,
    Child,
    Next,
    Later,
}

/// Conditions on one element.
pub(super) type Compound = Vec<Condition>;

#[derive(Debug)]
pub(super) enum Condition {
    Any,
    /// The element that is asked about.
    Asked,
    Tag(String),
    /// `ns|tag` or `tag` for `*|tag`.
    TagInAny(String),
    Id(String),
    Class(String),
    HasAttribute(String),
    HasAttributeStart(String),
    Attribute(String, Comparison),
    NthChild(Nth),
    NthLastChild(Nth),
    NthOfType(Nth),
    NthLastOfType(Nth),
    FirstChild,
    LastChild,
    OnlyChild,
    FirstOfType,
    LastOfType,
    OnlyOfType,
    Empty,
    Root,
    /// Place among the elements of the same parent, from 0.
    Index(std::cmp::Ordering, i64),
    Contains(Part, String),
    Matches(Part, Regex),
    Has(Selector),
    Is(Selector),
    Not(Selector),
}

/// The part of an element that is searched for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text,
    Own,
    WholeText,
    WholeOwn,
    Data,
}

#[derive(Debug)]
pub(super) enum Comparison {
    Equal(String),
    NotEqual(String),
    Starts(String),
    Ends(String),
    Contains(String),
    Matches(Regex),
}
