//! The types that are built in (XML Schema 1.0, part 2, 3).

use super::dates::Shape;
use super::schema::{Name, Schema, Type, TypeId, XSD};
use super::simple::{Facets, SimpleType, Space, Token, Variety};
use super::value::{Primitive, Value};

/// Atomic types: name, primitive type, kind of name, white space.
const ATOMIC: &[(&str, Primitive, Option<Token>, Space)] = {
    use Primitive::{
        Base64, Boolean, Decimal, Double, Duration, Entity, Float, Hex, Id, IdRef, Integer, Moment, QName,
        Text, Uri,
    };
    use Space::{Collapse, Preserve, Replace};
    &[
        ("anySimpleType", Text, None, Preserve),
        ("string", Text, None, Preserve),
        ("normalizedString", Text, None, Replace),
        ("token", Text, None, Collapse),
        ("language", Text, None, Collapse),
        ("NMTOKEN", Text, Some(Token::Nmtoken), Collapse),
        ("Name", Text, Some(Token::Name), Collapse),
        ("NCName", Text, Some(Token::NcName), Collapse),
        ("ID", Id, Some(Token::NcName), Collapse),
        ("IDREF", IdRef, Some(Token::NcName), Collapse),
        ("ENTITY", Entity, Some(Token::NcName), Collapse),
        ("boolean", Boolean, None, Collapse),
        ("decimal", Decimal, None, Collapse),
        ("integer", Integer, None, Collapse),
        ("float", Float, None, Collapse),
        ("double", Double, None, Collapse),
        ("duration", Duration, None, Collapse),
        ("dateTime", Moment(Shape::DateTime), None, Collapse),
        ("time", Moment(Shape::Time), None, Collapse),
        ("date", Moment(Shape::Date), None, Collapse),
        ("gYearMonth", Moment(Shape::YearMonth), None, Collapse),
        ("gYear", Moment(Shape::Year), None, Collapse),
        ("gMonthDay", Moment(Shape::MonthDay), None, Collapse),
        ("gDay", Moment(Shape::Day), None, Collapse),
        ("gMonth", Moment(Shape::Month), None, Collapse),
        ("hexBinary", Hex, None, Collapse),
        ("base64Binary", Base64, None, Collapse),
        ("anyURI", Uri, None, Collapse),
        ("QName", QName, None, Collapse),
        ("NOTATION", QName, None, Collapse),
    ]
};

/// Whole numbers: name, base, least and greatest value.
const WHOLE: &[(&str, &str, &str, &str)] = &[
    ("nonPositiveInteger", "integer", "", "0"),
    ("negativeInteger", "nonPositiveInteger", "", "-1"),
    ("long", "integer", "-9223372036854775808", "9223372036854775807"),
    ("int", "long", "-2147483648", "2147483647"),
    ("short", "int", "-32768", "32767"),
    ("byte", "short", "-128", "127"),
    ("nonNegativeInteger", "integer", "0", ""),
    ("positiveInteger", "nonNegativeInteger", "1", ""),
    ("unsignedLong", "nonNegativeInteger", "0", "18446744073709551615"),
    ("unsignedInt", "unsignedLong", "0", "4294967295"),
    ("unsignedShort", "unsignedInt", "0", "65535"),
    ("unsignedByte", "unsignedShort", "0", "255"),
];

/// Which type another restricts.
const BASES: &[(&str, &str)] = &[
    ("normalizedString", "string"),
    ("token", "normalizedString"),
    ("language", "token"),
    ("NMTOKEN", "token"),
    ("Name", "token"),
    ("NCName", "Name"),
    ("ID", "NCName"),
    ("IDREF", "NCName"),
    ("ENTITY", "NCName"),
    ("integer", "decimal"),
];

/// Lists: name and member.
const LISTS: &[(&str, &str)] = &[("NMTOKENS", "NMTOKEN"), ("IDREFS", "IDREF"), ("ENTITIES", "ENTITY")];

/// Adds the types to a schema without any.
pub(super) fn add(schema: &mut Schema) {
    schema.add_any_type();
    for &(name, primitive, token, space) in ATOMIC {
        let facets = Facets::default();
        put(
            schema,
            name,
            SimpleType { shown: name.into(), variety: Variety::Atomic(primitive), space, token, facets },
        );
        let base = BASES.iter().find(|(derived, _)| *derived == name);
        let base = base.map_or("anySimpleType", |(_, base)| base);
        derive(schema, name, base);
    }
    let language = r"\A([a-zA-Z]{1,8})(-[a-zA-Z0-9]{1,8})*\z";
    if let (Some(id), Ok(expression)) = (find(schema, "language"), fancy_regex::Regex::new(language))
        && let Type::Simple(simple) = &mut schema.types[id]
    {
        let shown = "([a-zA-Z]{1,8})(-[a-zA-Z0-9]{1,8})*".to_owned();
        simple.facets.patterns.push((expression.into(), shown));
    }
    for &(name, base, least, most) in WHOLE {
        let number = |text: &str| -> Option<Value> { Primitive::Integer.read(text, &|_| None) };
        let mut simple =
            find(schema, base).and_then(|id| schema.simple(id)).expect("it stands before").clone();
        name.clone_into(&mut simple.shown);
        simple.facets.min_inclusive = number(least).or(simple.facets.min_inclusive);
        simple.facets.max_inclusive = number(most).or(simple.facets.max_inclusive);
        put(schema, name, simple);
        derive(schema, name, base);
    }
    for &(name, member) in LISTS {
        let item = find(schema, member).expect("it stands before");
        let facets = Facets { min_length: Some(1), ..Facets::default() };
        let variety = Variety::List(item);
        put(
            schema,
            name,
            SimpleType { shown: name.into(), variety, space: Space::Collapse, token: None, facets },
        );
        derive(schema, name, "anySimpleType");
    }
}

fn find(schema: &Schema, name: &str) -> Option<TypeId> {
    schema.global_types.get(&Name::new(XSD, name)).copied()
}

fn put(schema: &mut Schema, name: &str, simple: SimpleType) {
    let id = schema.add_type(Type::Simple(Box::new(simple)));
    schema.global_types.insert(Name::new(XSD, name), id);
}

fn derive(schema: &mut Schema, name: &str, base: &str) {
    if let (Some(id), Some(base)) = (find(schema, name), find(schema, base))
        && id != base
    {
        schema.bases[id] = Some(base);
    }
}
