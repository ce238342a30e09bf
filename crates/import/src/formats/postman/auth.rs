//! Authorization, that of a request or of what it is in.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Reader;
use crate::formats::values::add_query;
use crate::model::{Auth, Exchange, Text};
use crate::source::Place;
use crate::tree::Node;

impl Reader<'_, '_> {
    /// The nearest authorization that is set.
    pub(super) fn auth(&mut self, exchange: &mut Exchange, own: Option<&Node>) {
        let inherited = self.inherited.iter().rev().find_map(|one| one.auth);
        let Some(auth) = own.or(inherited) else { return };
        let kind = auth.text("type");
        if kind.is_empty() || kind == "noauth" {
            return;
        }
        let place = self.place(auth);
        let Some(values) = auth.get(kind) else { return };
        match kind {
            "basic" | "digest" => {
                let user = self.of(values, "username", &place);
                let password = self.of(values, "password", &place);
                exchange.auth = Some(Auth { user, password, is_digest: kind == "digest" });
            }
            "bearer" => {
                let token = self.of(values, "token", &place);
                // Postman sends no header then.
                if token.is_empty() {
                    return;
                }
                authorization(exchange, "Bearer ", token);
            }
            "apikey" => {
                let name = parameter(values, "key").unwrap_or_default();
                let value = self.of(values, "value", &place);
                let in_query = parameter(values, "in").as_deref() == Some("query");
                self.put(exchange, &name, value, in_query, &place);
            }
            "oauth2" => self.oauth2(exchange, values, &place),
            _ => {
                let reason = "its signature or handshake is made by Postman; JMeter has no element for it";
                self.notes.left_out(
                    &exchange.place,
                    format!("authorization `{kind}` of the request"),
                    reason,
                );
            }
        }
    }

    /// A token that the collection has, or that a variable gives. How to ask for one is not carried
    /// over.
    fn oauth2(&mut self, exchange: &mut Exchange, values: &Node, place: &Place) {
        let token = self.of(values, "accessToken", place);
        if token.is_empty() {
            let reason = "the collection has no token: add a request that gets one, or a header";
            self.notes.left_out(&exchange.place, "authorization `oauth2` of the request", reason);
            return;
        }
        if parameter(values, "addTokenTo").as_deref() == Some("queryParams") {
            self.put(exchange, "access_token", token, true, place);
            return;
        }
        let prefix = parameter(values, "headerPrefix").or_else(|| parameter(values, "tokenType"));
        let prefix = prefix.map(|prefix| prefix.trim().to_owned()).filter(|prefix| !prefix.is_empty());
        authorization(exchange, &format!("{} ", prefix.as_deref().unwrap_or("Bearer")), token);
    }

    fn of(&mut self, values: &Node, name: &str, place: &Place) -> Text {
        let value = parameter(values, name).unwrap_or_default();
        self.braces(&value, place)
    }

    /// Puts a key into a header or into the query.
    fn put(&mut self, exchange: &mut Exchange, name: &str, value: Text, in_query: bool, place: &Place) {
        if name.is_empty() {
            return;
        }
        if !in_query {
            exchange.headers.retain(|header| !header.name.eq_ignore_ascii_case(name));
            exchange.add_header(name, value);
            return;
        }
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let mut pair = self.braces(name, place).map_literals(&mut |text| encoded_name(text));
        pair.push_literal("=");
        pair.push(value.map_literals(&mut |text| encoded(text)));
        add_query(&mut exchange.url, &pair);
    }
}

const IN_NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

fn encoded_name(name: &str) -> String {
    utf8_percent_encode(name, IN_NAME).to_string()
}

/// Replaces the header, as Postman does.
fn authorization(exchange: &mut Exchange, scheme: &str, token: Text) {
    exchange.headers.retain(|header| !header.name.eq_ignore_ascii_case("Authorization"));
    let mut value = Text::literal(scheme);
    value.push(token);
    exchange.add_header("Authorization", value);
}

/// A parameter: in a list of keys and values (2.1), or in an object (2.0).
fn parameter(values: &Node, name: &str) -> Option<String> {
    let in_list = values.items().iter().rev().find(|one| one.text("key") == name);
    in_list.map_or_else(|| values.scalar_of(name), |one| one.scalar_of("value"))
}
