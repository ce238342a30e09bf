//! What Xerces says of children that do not belong where they stand, or are missing.

use crate::xsd::automaton::{Content, Progress};
use crate::xsd::schema::Schema;
use swell_query::{Document, NodeId};

fn not_expected(name: &str) -> String {
    format!(
        "cvc-complex-type.2.4.d: Invalid content was found starting with element '{name}'. No child element is expected at \
         this point."
    )
}

fn list(expected: &[String]) -> String {
    format!("{{{}}}", expected.join(", "))
}

/// A child that does not belong where it stands.
pub(super) fn wrong(
    schema: &Schema,
    model: &Content,
    at: &Progress,
    document: &Document,
    node: NodeId,
) -> String {
    let name = document.name(node);
    let expected = model.expected(schema, at);
    let occurrence = model.occurrence(schema, at);
    if expected.is_empty() {
        return match occurrence.and_then(|of| Some((of.name, of.most.filter(|most| of.count >= *most)?))) {
            Some((name, most)) => format!(
                "cvc-complex-type.2.4.f: '{name}' can occur a maximum of '{most}' times in the current sequence. This limit \
                 was exceeded. No child element is expected at this point."
            ),
            None => not_expected(name),
        };
    }
    let start = format!("Invalid content was found starting with element '{name}'.");
    let expected = list(&expected);
    match occurrence {
        Some(of) if of.count < of.least => {
            let (least, left) = (of.least, of.least - of.count);
            let of = of.name;
            let needed =
                format!("'{of}' is expected to occur a minimum of '{least}' times in the current sequence.");
            too_few(("g", "h"), &start, &needed, left)
        }
        Some(of) if of.most.is_some_and(|most| of.count >= most) => format!(
            "cvc-complex-type.2.4.e: '{name}' can occur a maximum of '{}' times in the current sequence. This limit was \
             exceeded. At this point one of '{expected}' is expected.",
            of.most.unwrap_or_default()
        ),
        _ => {
            let name = match document.namespace(node) {
                "" => document.local_name(node).to_owned(),
                namespace => format!("{{\"{namespace}\":{}}}", document.local_name(node)),
            };
            format!(
                "cvc-complex-type.2.4.a: Invalid content was found starting with element '{name}'. One of '{expected}' is \
                 expected."
            )
        }
    }
}

/// Children that are missing at the end.
pub(super) fn incomplete(schema: &Schema, model: &Content, at: &Progress, name: &str) -> String {
    let start = format!("The content of element '{name}' is not complete.");
    match model.occurrence(schema, at) {
        Some(of) if of.count < of.least => {
            let (least, left, of) = (of.least, of.least - of.count, of.name);
            let needed = format!("'{of}' is expected to occur a minimum of '{least}' times.");
            too_few(("i", "j"), &start, &needed, left)
        }
        _ => {
            let expected = list(&model.expected(schema, at));
            format!("cvc-complex-type.2.4.b: {start} One of '{expected}' is expected.")
        }
    }
}

/// That instances are missing, `left` of them. The letters end the rule's name where one is missing and where more are.
fn too_few((one, more): (&str, &str), start: &str, needed: &str, left: u32) -> String {
    let (letter, missing) = match left {
        1 => (one, "One more instance is".to_owned()),
        _ => (more, format!("'{left}' more instances are")),
    };
    format!("cvc-complex-type.2.4.{letter}: {start} {needed} {missing} required to satisfy this constraint.")
}
