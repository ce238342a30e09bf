//! Security schemes: what a request needs to be allowed becomes properties.

use super::Reader;
use crate::formats::values::add_query;
use crate::model::{Auth, Exchange, Text};
use crate::tree::Node;

impl<'a> Reader<'a, '_> {
    /// The first alternative of the operation, or of the document.
    pub(super) fn security(&mut self, exchange: &mut Exchange, operation: &'a Node) {
        let root = self.root;
        let alternatives = operation.get("security").map_or_else(|| root.list("security"), Node::items);
        let Some(first) = alternatives.first() else { return };
        for (name, _) in first.entries() {
            let schemes = root.get("components").and_then(|components| components.get("securitySchemes"));
            let scheme = schemes.and_then(|schemes| schemes.get(name));
            let Some(scheme) = scheme.and_then(|scheme| self.resolved(scheme)) else { continue };
            self.scheme(exchange, name, scheme);
        }
    }

    fn scheme(&mut self, exchange: &mut Exchange, name: &str, scheme: &'a Node) {
        let kind = scheme.text("type");
        let http = scheme.text("scheme").to_ascii_lowercase();
        match (kind, &*http) {
            ("http", "basic" | "digest") => {
                let user = self.property("user", name, scheme);
                let password = self.property("password", name, scheme);
                exchange.auth = Some(Auth { user, password, is_digest: http == "digest" });
            }
            ("http", "bearer") | ("oauth2" | "openIdConnect", _) => {
                let mut value = Text::literal("Bearer ");
                value.push(self.property("token", name, scheme));
                exchange.add_header("Authorization", value);
            }
            ("apiKey", _) => self.api_key(exchange, name, scheme),
            _ => {
                if self.is_first(&format!("scheme {name}")) {
                    let place = self.place(scheme);
                    let what = format!("security scheme `{name}`");
                    self.notes.left_out(&place, what, format!("`{kind} {http}` has no element in JMeter"));
                }
            }
        }
    }

    fn api_key(&mut self, exchange: &mut Exchange, name: &str, scheme: &'a Node) {
        let key = scheme.text("name");
        let property = property_name(key);
        let value = self.property(&property, name, scheme);
        match scheme.text("in") {
            "header" => exchange.add_header(key, value),
            "query" => {
                let mut pair = Text::literal(format!("{}=", super::operation::encoded(key)));
                pair.push(value);
                add_query(&mut exchange.url, &pair);
            }
            _ => {
                let cookies = exchange.headers.iter_mut().find(|header| header.name == "Cookie");
                if let Some(cookies) = cookies {
                    cookies.value.push_literal(&format!("; {key}="));
                    cookies.value.push(value);
                } else {
                    let mut pair = Text::literal(format!("{key}="));
                    pair.push(value);
                    exchange.add_header("Cookie", pair);
                }
            }
        }
    }

    /// A property without a value, and how to give it.
    fn property(&mut self, property: &str, name: &str, scheme: &Node) -> Text {
        if self.is_first(&format!("scheme {name} {property}")) {
            let place = self.place(scheme);
            let how = format!("requests that need it get the property `{property}`: give -J{property}=…");
            self.notes.changed(&place, format!("security scheme `{name}`"), how);
        }
        Text::property(property, "")
    }
}

/// The name of a key as that of a property.
fn property_name(key: &str) -> String {
    let letters = key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let name: String = letters.collect::<String>().trim_matches('_').to_owned();
    if name.is_empty() { "key".to_owned() } else { name }
}
