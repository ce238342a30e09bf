//! Simple types: how a text becomes a value of one, and which of Xerces' messages says that it does not.

use std::sync::Arc;

use super::schema::{Schema, TypeId};
use super::value::{Decimal, Primitive, Value, is_any_name, is_ncname, is_nmtoken};

/// A simple type.
#[derive(Clone, Debug)]
pub(super) struct SimpleType {
    /// Its name in messages.
    pub(super) shown: String,
    pub(super) variety: Variety,
    pub(super) space: Space,
    /// Names that the primitive type does not tell apart.
    pub(super) token: Option<Token>,
    /// Its own and those of the types that it restricts.
    pub(super) facets: Facets,
}

/// What its values are made of.
#[derive(Clone, Debug)]
pub(super) enum Variety {
    Atomic(Primitive),
    List(TypeId),
    Union(Vec<TypeId>),
}

/// What becomes of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Preserve,
    Replace,
    Collapse,
}

/// Kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Nmtoken,
    Name,
    NcName,
}

/// Limits of values.
#[derive(Clone, Debug, Default)]
pub(super) struct Facets {
    pub(super) length: Option<usize>,
    pub(super) min_length: Option<usize>,
    pub(super) max_length: Option<usize>,
    /// An expression and its text for each restriction that has patterns.
    pub(super) patterns: Vec<(Arc<fancy_regex::Regex>, String)>,
    pub(super) enumeration: Option<Vec<Value>>,
    pub(super) max_inclusive: Option<Value>,
    pub(super) max_exclusive: Option<Value>,
    pub(super) min_exclusive: Option<Value>,
    pub(super) min_inclusive: Option<Value>,
    pub(super) total_digits: Option<usize>,
    pub(super) fraction_digits: Option<usize>,
}

/// What a text needs to be read besides its type.
pub(super) struct Reading<'r> {
    /// The namespace of a prefix, where the text stands.
    pub(super) prefix: &'r dyn Fn(&str) -> Option<String>,
}

impl Space {
    pub(super) fn of(self, text: &str) -> String {
        let replaced = || text.replace(['\t', '\n', '\r'], " ");
        match self {
            Self::Preserve => text.to_owned(),
            Self::Replace => replaced(),
            Self::Collapse => {
                let text = replaced();
                text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

impl Schema {
    /// The value of a text.
    ///
    /// # Errors
    /// The message of Xerces.
    pub(super) fn value(&self, id: TypeId, text: &str, reading: &Reading<'_>) -> Result<Value, String> {
        let Some(simple) = self.simple(id) else { return Ok(Value::Text(text.to_owned())) };
        // The members of a union see to it themselves.
        let is_union = matches!(simple.variety, Variety::Union(_));
        let text = if is_union { text.to_owned() } else { simple.space.of(text) };
        self.unlimited(simple, &text, reading).and_then(|value| {
            simple.facets.check(&value, &text, simple)?;
            Ok(value)
        })
    }

    fn unlimited(&self, simple: &SimpleType, text: &str, reading: &Reading<'_>) -> Result<Value, String> {
        for (expression, pattern) in simple.facets.patterns.iter().rev() {
            if !expression.is_match(text).unwrap_or(false) {
                return Err(format!(
                    "cvc-pattern-valid: Value '{text}' is not facet-valid with respect to pattern '{pattern}' for type \
                     '{}'.",
                    simple.shown
                ));
            }
        }
        match &simple.variety {
            Variety::Atomic(primitive) => {
                if let Some(token) = simple.token.filter(|token| !token.takes(text)) {
                    return Err(not_valid(text, token.shown()));
                }
                let read = primitive.read(text, reading.prefix);
                let unknown =
                    || unknown_prefix(text, reading.prefix).filter(|_| *primitive == Primitive::QName);
                read.ok_or_else(|| unknown().unwrap_or_else(|| not_valid(text, primitive.shown())))
            }
            Variety::List(item) => {
                let items = text.split(' ').filter(|word| !word.is_empty());
                let members: Result<Vec<_>, _> =
                    items.map(|item_text| self.value(*item, item_text, reading)).collect();
                members.map(Value::List)
            }
            Variety::Union(members) => {
                let found = members.iter().find_map(|member| self.value(*member, text, reading).ok());
                found.ok_or_else(|| {
                    format!(
                        "cvc-datatype-valid.1.2.3: '{text}' is not a valid value of union type '{}'.",
                        simple.shown
                    )
                })
            }
        }
    }

    /// The white space of a type; a union's is that of its members.
    pub(super) fn space_of(&self, id: TypeId) -> Space {
        self.simple(id).map_or(Space::Preserve, |simple| simple.space)
    }

    /// The primitive type behind an atomic type.
    pub(super) fn primitive(&self, id: TypeId) -> Option<Primitive> {
        match self.simple(id)?.variety {
            Variety::Atomic(primitive) => Some(primitive),
            _ => None,
        }
    }
}

/// What is said of a name whose prefix nobody declares; none if it is something else that is wrong.
pub(super) fn unknown_prefix(text: &str, namespace: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (prefix, local) = text.split_once(':')?;
    let is_name = is_ncname(prefix) && is_ncname(local);
    (is_name && namespace(prefix).is_none()).then(|| {
        format!(
            "UndeclaredPrefix: Cannot resolve '{text}' as a QName: the prefix '{prefix}' is not declared."
        )
    })
}

fn not_valid(text: &str, of: &str) -> String {
    format!("cvc-datatype-valid.1.2.1: '{text}' is not a valid value for '{of}'.")
}

impl Token {
    fn takes(self, text: &str) -> bool {
        match self {
            Self::Nmtoken => is_nmtoken(text),
            Self::Name => is_any_name(text),
            Self::NcName => is_ncname(text),
        }
    }

    fn shown(self) -> &'static str {
        match self {
            Self::Nmtoken => "NMTOKEN",
            Self::Name => "Name",
            Self::NcName => "NCName",
        }
    }
}

impl Facets {
    /// In the order of Xerces (`XSSimpleTypeDecl.checkFacets`).
    fn check(&self, value: &Value, text: &str, of: &SimpleType) -> Result<(), String> {
        self.check_length(value, text, of)?;
        if let Some(all) = &self.enumeration
            && !all.iter().any(|one| one.is(value))
        {
            let all: Vec<_> = all.iter().map(ToString::to_string).collect();
            return Err(format!(
                "cvc-enumeration-valid: Value '{text}' is not facet-valid with respect to enumeration '[{}]'. It must be a \
                 value from the enumeration.",
                all.join(", ")
            ));
        }
        if let Value::Decimal(decimal) = value {
            self.check_digits(decimal, text)?;
        }
        self.check_bounds(value, text, of)
    }

    fn check_length(&self, value: &Value, text: &str, of: &SimpleType) -> Result<(), String> {
        let Some(length) = value.length() else { return Ok(()) };
        let limits = [
            ("maxLength", self.max_length.filter(|most| length > *most)),
            ("minLength", self.min_length.filter(|least| length < *least)),
            ("length", self.length.filter(|wanted| length != *wanted)),
        ];
        match limits.into_iter().find_map(|(name, limit)| Some((name, limit?))) {
            None => Ok(()),
            Some((name, limit)) => Err(format!(
                "cvc-{name}-valid: Value '{text}' with length = '{length}' is not facet-valid with respect to {name} \
                 '{limit}' for type '{}'.",
                of.shown
            )),
        }
    }

    fn check_digits(&self, decimal: &Decimal, text: &str) -> Result<(), String> {
        let (fraction, total) = (decimal.fraction_digits(), decimal.total_digits());
        if let Some(most) = self.fraction_digits.filter(|most| fraction > *most) {
            return Err(format!(
                "cvc-fractionDigits-valid: Value '{text}' has {fraction} fraction digits, but the number of fraction digits \
                 has been limited to {most}."
            ));
        }
        match self.total_digits.filter(|most| total > *most) {
            Some(most) => Err(format!(
                "cvc-totalDigits-valid: Value '{text}' has {total} total digits, but the number of total digits has been \
                 limited to {most}."
            )),
            None => Ok(()),
        }
    }

    fn check_bounds(&self, value: &Value, text: &str, of: &SimpleType) -> Result<(), String> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let bounds = [
            ("maxInclusive", &self.max_inclusive, &[Less, Equal][..]),
            ("maxExclusive", &self.max_exclusive, &[Less]),
            ("minExclusive", &self.min_exclusive, &[Greater]),
            ("minInclusive", &self.min_inclusive, &[Greater, Equal]),
        ];
        for (name, bound, good) in bounds {
            if let Some(bound) = bound
                && !value.compare(bound).is_some_and(|order| good.contains(&order))
            {
                return Err(format!(
                    "cvc-{name}-valid: Value '{text}' is not facet-valid with respect to {name} '{bound}' for type '{}'.",
                    of.shown
                ));
            }
        }
        Ok(())
    }
}
