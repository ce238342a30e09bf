//! An operation as a request.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Reader;
use super::parameters::Parameter;
use crate::formats::values::add_query;
use crate::model::{Check, CheckOf, Comparison, Exchange, Text, safe_name};
use crate::tree::Node;

/// What RFC 3986 does not reserve stays.
pub(super) const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

impl<'a> Reader<'a, '_> {
    pub(super) fn operation(
        &mut self,
        method: &str,
        path: &str,
        item: &'a Node,
        operation: &'a Node,
    ) -> Exchange {
        let place = self.place(operation);
        let parameters = self.parameters(item, operation);
        let mut url = self.server(item, operation);
        url.push(self.path(path, &parameters, operation));
        for parameter in parameters.iter().filter(|parameter| parameter.place == "query") {
            add_query(&mut url, &Text::literal(parameter.query()));
        }
        let mut exchange = Exchange::new(&method.to_ascii_uppercase(), url, place);
        exchange.follows_redirects = true;
        exchange.name = Some(operation.text("operationId").trim()).filter(|id| !id.is_empty()).map_or_else(
            || Some(format!("{} {path}", method.to_ascii_uppercase())),
            |id| Some(id.to_owned()),
        );
        operation.text("summary").trim().clone_into(&mut exchange.comment);
        // These are the business of the response and the security.
        const OF_OTHERS: [&str; 2] = ["accept", "authorization"];
        for parameter in parameters.iter().filter(|parameter| parameter.place == "header") {
            if !OF_OTHERS.contains(&&*parameter.name.to_ascii_lowercase()) {
                exchange.add_header(parameter.name, parameter.simple());
            }
        }
        let cookies: Vec<String> = parameters
            .iter()
            .filter(|parameter| parameter.place == "cookie")
            .map(|parameter| format!("{}={}", parameter.name, encoded(&parameter.simple())))
            .collect();
        if !cookies.is_empty() {
            exchange.add_header("Cookie", cookies.join("; "));
        }
        self.responses(&mut exchange, operation);
        if let Some(body) = operation.get("requestBody").and_then(|body| self.resolved(body)) {
            self.body(&mut exchange, body);
        }
        self.security(&mut exchange, operation);
        exchange
    }

    /// The first server of the operation, the path or the document, with the defaults of its
    /// variables.
    fn server(&mut self, item: &'a Node, operation: &'a Node) -> Text {
        let of = |node: &'a Node| node.list("servers").first();
        let Some(server) = of(operation).or_else(|| of(item)).or_else(|| of(self.root)) else {
            return Text::default();
        };
        let mut url = server.text("url").trim().to_owned();
        for (name, variable) in server.get("variables").map_or(&[][..], Node::entries) {
            let value = variable.scalar_of("default");
            let value = value.or_else(|| variable.list("enum").first().and_then(Node::scalar));
            url = url.replace(&format!("{{{name}}}"), &value.unwrap_or_default());
        }
        let url = url.trim_end_matches('/');
        let is_usable =
            ["http://", "https://", "/"].iter().any(|start| url.starts_with(start)) || url.is_empty();
        if is_usable {
            return Text::literal(url);
        }
        if self.is_first(url) {
            let place = self.place(server);
            let how = "it is no address, so requests need --base URL, or -Jhost and -Jport";
            self.notes.changed(&place, format!("server `{url}`"), how);
        }
        Text::default()
    }

    /// The path with values. Those of simple parameters are variables, so that a plan has each of
    /// them once.
    fn path(&mut self, path: &str, parameters: &[Parameter<'a>], operation: &Node) -> Text {
        let mut out = Text::default();
        let mut rest = path;
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else { break };
            let name = &rest[start + 1..start + length];
            out.push_literal(&rest[..start]);
            rest = &rest[start + length + 1..];
            let found = parameters.iter().find(|one| one.place == "path" && one.name == name);
            if found.is_none() && self.is_first(&format!("{path} {name}")) {
                let place = self.place(operation);
                let how = "the document does not describe it; it is 1";
                self.notes.changed(&place, format!("parameter `{name}` of {path}"), how);
            }
            let value = found.map_or_else(|| "1".to_owned(), Parameter::path);
            out.push(self.path_value(name, value));
        }
        out.push_literal(rest);
        out
    }

    fn path_value(&mut self, name: &str, value: String) -> Text {
        const MOST_VARIABLES: usize = 200;
        let name = safe_name(name);
        let is_room = self.variables.len() < MOST_VARIABLES;
        match self.variables.get(&name) {
            Some(known) if known.as_literal() == Some(&*value) => Text::variable(&name),
            None if is_room => {
                self.variables.insert(name.clone(), Text::literal(value));
                Text::variable(&name)
            }
            _ => Text::literal(value),
        }
    }

    /// Which statuses are good, and which type is wanted.
    fn responses(&mut self, exchange: &mut Exchange, operation: &'a Node) {
        let mut codes = Vec::new();
        let mut mime = None;
        for (code, response) in operation.get("responses").map_or(&[][..], Node::entries) {
            let is_good = code.starts_with('2') || code.starts_with('3');
            if !is_good && code != "default" {
                continue;
            }
            if is_good {
                codes.push(code.to_ascii_uppercase());
            }
            let Some(response) = self.resolved(response) else { continue };
            let content = response.get("content").map_or(&[][..], Node::entries);
            mime = mime.or_else(|| best_type(content));
        }
        exchange.add_header("Accept", mime.unwrap_or("*/*"));
        // Redirects are followed, so only what comes after them is checked.
        codes.retain(|code| code.starts_with('2'));
        let texts =
            |codes: &[String]| codes.iter().map(|code| Text::literal(code.clone())).collect::<Vec<_>>();
        let is_exact = codes.iter().all(|code| code.parse::<u16>().is_ok());
        let how = match &codes[..] {
            [] => return,
            [code] if is_exact => Comparison::Equals(Text::literal(code.clone())),
            codes if is_exact => Comparison::OneOf(texts(codes)),
            _ => Comparison::IsMatch(Text::literal(r"2\d\d")),
        };
        exchange.checks.push(Check::new(CheckOf::Status(how)));
    }
}

/// The type of a body or a response that people mean: JSON if there is one.
pub(super) fn best_type(content: &[(String, Node)]) -> Option<&str> {
    let rank = |mime: &str| {
        let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match &*mime {
            "application/json" => 0,
            _ if mime.ends_with("+json") => 1,
            "application/x-www-form-urlencoded" => 2,
            "multipart/form-data" => 3,
            _ if mime.starts_with("text/") => 4,
            _ => 5,
        }
    };
    content.iter().map(|(mime, _)| &**mime).min_by_key(|mime| rank(mime))
}
