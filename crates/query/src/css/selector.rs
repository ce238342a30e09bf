//! A compiled selector.

use fancy_regex::Regex;

use super::nth::Nth;

/// Any of several chains.
#[derive(Debug)]
pub(super) struct Selector(pub(super) Vec<Chain>);

/// Compounds with how each is to the one before it.
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
#[derive(Debug, Default)]
pub(super) struct Compound {
    pub(super) conditions: Vec<Condition>,
    /// Of what all the conditions find, in document order (`:first` of Jodd).
    pub(super) among: Vec<Among>,
}

/// A choice by the place in what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    First,
    Last,
    /// Even and odd places, from 0.
    Even,
    Odd,
    At(i64),
    Before(i64),
    Behind(i64),
}

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
    /// Has children (`:parent` of Jodd).
    Parent,
    /// One of these elements (`:input`, `:header` of Jodd).
    OneOf(&'static [&'static str]),
    /// `type` is this (`:checkbox` of Jodd).
    OfInputType(&'static str),
}

/// What is searched for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text,
    Own,
    WholeText,
    WholeOwn,
    Data,
    /// Text as it is written, its case counts (Jodd).
    Raw,
}

#[derive(Debug)]
pub(super) enum Comparison {
    Equal(String),
    NotEqual(String),
    Starts(String),
    Ends(String),
    Contains(String),
    Matches(Regex),
    /// One of the words.
    Word(String),
    /// It, or it and a hyphen.
    Dash(String),
}
