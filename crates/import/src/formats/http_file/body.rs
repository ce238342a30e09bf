//! Bodies: texts, files, forms, parts, GraphQL.

use crate::inside::inside_path;
use crate::model::{Body, Exchange, Part, PartValue, Text};
use crate::notes::Notes;
use crate::source::Place;

use super::parse::is_remark;
use super::values::Values;
use crate::formats::values::graphql_body;

/// The header by which VS Code tells a query of GraphQL from another body.
pub(super) const REQUEST_TYPE: &str = "X-Request-Type";

/// Its value.
pub(super) const GRAPHQL: &str = "GraphQL";

/// What reading a body needs besides its lines.
pub(super) struct Context<'a> {
    pub(super) place: Place,
    pub(super) values: &'a mut Values,
    pub(super) notes: &'a mut Notes,
}

impl Context<'_> {
    fn text(&mut self, text: &str) -> Text {
        self.values.text(text, &self.place, self.notes)
    }

    /// The path of a file that is sent; none, with a note, if it is outside the folder.
    fn file(&mut self, line: &str) -> Option<String> {
        let (path, has_variables) = file_of(line)?;
        if has_variables {
            let how = "it is sent as it is: variables in it are not replaced";
            self.notes.changed(&self.place, format!("file `{path}`"), how);
        }
        match inside_path(path) {
            Ok(path) => Some(path),
            Err(reason) => {
                self.notes.left_out(&self.place, format!("file `{path}`"), reason);
                None
            }
        }
    }
}

/// The file of `< path`, `<@ path` or `<@latin1 path`, and whether variables in it are replaced.
fn file_of(line: &str) -> Option<(&str, bool)> {
    let rest = line.strip_prefix('<')?;
    if let Some(rest) = rest.strip_prefix('@') {
        let (_, path) = rest.split_once([' ', '\t'])?;
        return Some((path.trim(), true));
    }
    let path = rest.strip_prefix([' ', '\t'])?.trim();
    // A tag of XML or HTML may begin a line, too.
    (!path.is_empty() && !path.ends_with('>')).then_some((path, false))
}

/// Adds the body of a request.
pub(super) fn read(exchange: &mut Exchange, lines: &[(String, usize)], context: &mut Context<'_>) {
    let mime = exchange.header("Content-Type").and_then(Text::as_literal).unwrap_or_default().to_owned();
    let kind = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // No line of JSON begins so.
    let is_dropped = |line: &&str| kind.contains("json") && is_remark(line);
    let lines: Vec<&str> = lines.iter().map(|(line, _)| &**line).filter(|line| !is_dropped(line)).collect();
    if kind == "multipart/form-data"
        && let Some(parts) = boundary(&mime).and_then(|boundary| parts(&lines, boundary, context))
    {
        // The client makes the boundary.
        exchange.headers.retain(|header| !header.name.eq_ignore_ascii_case("Content-Type"));
        exchange.body = Body::Multipart(parts);
        return;
    }
    if let [line] = &lines[..]
        && file_of(line).is_some()
    {
        exchange.body =
            context.file(line).map_or(Body::None, |path| Body::File { path, mime: String::new() });
        return;
    }
    if let Some(line) = lines.iter().find(|line| file_of(line).is_some() && kind != "text/html") {
        let what = format!("file `{}`", file_of(line).map_or("", |(path, _)| path));
        context.notes.left_out(&context.place, what, "a body of texts and files together is not supported");
    }
    let lines = lines.into_iter().filter(|line| file_of(line).is_none() || kind == "text/html");
    if kind == "application/x-www-form-urlencoded" {
        // Fields are on lines of their choice, with blanks around names and values.
        let text: String = lines.map(str::trim).collect();
        let field = |field: &str| match field.split_once('=') {
            Some((name, value)) => format!("{}={}", name.trim(), value.trim()),
            None => field.trim().to_owned(),
        };
        let fields: Vec<String> = text.split('&').map(field).collect();
        exchange.body = Body::Text(context.text(&fields.join("&")));
        return;
    }
    let text = lines.collect::<Vec<_>>().join("\n");
    let is_graphql = exchange.header(REQUEST_TYPE).and_then(Text::as_literal) == Some(GRAPHQL);
    exchange.body =
        Body::Text(if is_graphql { graphql(exchange, &text, context) } else { context.text(&text) });
}

/// A query of GraphQL and, after an empty line, its variables, as JSON.
fn graphql(exchange: &mut Exchange, text: &str, context: &mut Context<'_>) -> Text {
    exchange.headers.retain(|header| !header.name.eq_ignore_ascii_case(REQUEST_TYPE));
    let has_type = exchange.header("Content-Type").is_some();
    if !has_type {
        exchange.add_header("Content-Type", "application/json");
    }
    let (query, variables) = match text.rsplit_once("\n\n") {
        Some((query, variables)) if variables.trim_start().starts_with('{') => (query, variables.trim()),
        _ => (text, "{}"),
    };
    let query = context.text(query.trim());
    let variables = context.text(variables);
    graphql_body(&query, "", &variables)
}

fn boundary(mime: &str) -> Option<&str> {
    let (_, rest) = mime.split_once("boundary=")?;
    let boundary = rest.split(';').next().unwrap_or_default().trim().trim_matches('"');
    (!boundary.is_empty()).then_some(boundary)
}

/// The parts between boundaries; none if the lines are not such a body.
fn parts(lines: &[&str], boundary: &str, context: &mut Context<'_>) -> Option<Vec<Part>> {
    let start = format!("--{boundary}");
    let end = format!("--{boundary}--");
    let mut all = Vec::new();
    let mut rest = lines.iter().copied().map(str::trim_end).skip_while(|line| line.is_empty()).peekable();
    if rest.next()? != start {
        return None;
    }
    while rest.peek().is_some() {
        let mut part = Vec::new();
        let mut is_last = false;
        for line in rest.by_ref() {
            if line == start || line == end {
                is_last = line == end;
                break;
            }
            part.push(line);
        }
        all.extend(self::part(&part, context));
        if is_last {
            break;
        }
    }
    Some(all)
}

/// A part: headers, an empty line, content.
fn part(lines: &[&str], context: &mut Context<'_>) -> Option<Part> {
    let blank = lines.iter().position(|line| line.trim().is_empty()).unwrap_or(lines.len());
    let header = |name: &str| {
        lines[..blank].iter().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let disposition = header("Content-Disposition").unwrap_or_default();
    let Some(name) = parameter(&disposition, "name") else {
        context.notes.left_out(&context.place, "a part of the body", "it has no name in Content-Disposition");
        return None;
    };
    let mime = header("Content-Type").unwrap_or_default();
    let content: Vec<&str> = lines.get(blank + 1..).unwrap_or_default().to_vec();
    let value = match &content[..] {
        [line] if file_of(line).is_some() => PartValue::File(context.file(line)?),
        _ => {
            let text = content.join("\n");
            match parameter(&disposition, "filename") {
                Some(file) => PartValue::Bytes(file, text.into_bytes()),
                None => PartValue::Text(context.text(&text)),
            }
        }
    };
    Some(Part { name, value, mime })
}

/// A parameter of a header, in quotes or not.
fn parameter(header: &str, name: &str) -> Option<String> {
    header.split(';').skip(1).find_map(|part| {
        let (known, value) = part.split_once('=')?;
        known.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"').to_owned())
    })
}
