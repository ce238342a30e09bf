//! `{{name}}` in texts: variables that files define, and values that a client makes for each
//! request.

use crate::model::Text;
use crate::source::Place;

/// Variables that the texts of a file use.
#[derive(Debug, Default)]
pub(super) struct UsedVariables {
    pub(super) all: Vec<(String, Place)>,
}

impl UsedVariables {
    /// The value of a variable, if the text between braces can be its name.
    pub(super) fn variable(&mut self, name: &str, place: &Place) -> Option<Text> {
        let is_name = !name.is_empty()
            && name.len() <= 200
            && name.chars().all(|c| c.is_alphanumeric() || "-_.: /".contains(c));
        if !is_name {
            return None;
        }
        if !self.all.iter().any(|(known, _)| known == name) {
            self.all.push((name.to_owned(), place.clone()));
        }
        Some(Text::variable(name))
    }
}

/// Values that clients make for each request, with the same names in all of them.
pub(super) fn made_by_clients(name: &str) -> Option<Text> {
    let call = match name {
        "guid" | "uuid" | "randomUUID" | "random.uuid" => "${__UUID}",
        "timestamp" => "${__time(/1000,)}",
        "randomInt" => "${__Random(0,1000)}",
        "isoTimestamp" => "${__time(yyyy-MM-dd'T'HH:mm:ss.SSSXXX,)}",
        _ => return None,
    };
    Some(Text::function(call))
}

/// The body of a query of GraphQL: query, name of the operation, variables as JSON; those that are
/// empty are left out.
pub(super) fn graphql_body(query: &Text, operation: &str, variables: &Text) -> Text {
    let mut out = Text::literal("{\"query\":\"");
    out.push(query.map_literals(&mut |text| escaped(text)));
    out.push_literal("\"");
    if !operation.is_empty() {
        out.push_literal(&format!(",\"operationName\":\"{}\"", escaped(operation)));
    }
    if !variables.is_empty() {
        out.push_literal(",\"variables\":");
        out.push(variables.clone());
    }
    out.push_literal("}");
    out
}

/// A text as JSON, without its quotes.
fn escaped(text: &str) -> String {
    let quoted = crate::tree::quoted(text);
    quoted[1..quoted.len() - 1].to_owned()
}

/// Adds pairs to the query of a URL.
pub(super) fn add_query(url: &mut Text, query: &Text) {
    if query.is_empty() {
        return;
    }
    let has_query = url.split_once('?').is_some();
    url.push_literal(if has_query { "&" } else { "?" });
    url.push(query.clone());
}
