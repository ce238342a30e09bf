//! Lists of URLs: Siege's `urls.txt`, and plain lists as `swell hit --urls` reads them.
//!
//! ```text
//! # a remark
//! HOST=www.example.com
//! http://$(HOST)/
//! http://$(HOST)/login POST user=ada&password=secret
//! https://$(HOST)/upload POST <body.json
//! ```

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{Format, ReadError};
use crate::inside::inside_path;
use crate::model::{Body, DataFile, Document, Exchange, Flow, Text};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source};

pub(super) const FORMAT: Format = Format { name: "urls", title: "list of URLs (Siege)", fits, read };

/// Longer lists become a data file, so that a plan does not have a sampler for each line.
const MOST_SAMPLERS: usize = 50;

/// More requests with bodies are a matter for a data file.
const MOST_REQUESTS: usize = 10_000;

/// The beginning of a file of this length may end within a line.
const LONG: usize = 32 << 10;

/// Each line is empty, a remark, a variable or an address. The last line of a longer file may be
/// cut off.
fn fits(start: &str) -> bool {
    let whole =
        if start.len() < LONG { start } else { start.rsplit_once('\n').map_or(start, |(whole, _)| whole) };
    let mut lines = whole.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_known = |line: &str| is_address(line) || assignment(line).is_some();
    whole.lines().any(|line| is_address(line.trim())) && lines.all(is_known)
}

fn is_address(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.starts_with("http://")
        || line.starts_with("https://")
        || line.starts_with("$(")
        || line.starts_with("${")
}

/// `NAME=value`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name, value.trim()))
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let mut variables = BTreeMap::new();
    let mut exchanges = Vec::new();
    for (number, line) in (1_u32..).zip(text.text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = text.at(number, 1);
        if !is_address(line)
            && let Some((name, value)) = assignment(line)
        {
            variables.insert(name.to_owned(), replaced(value, &variables));
            continue;
        }
        exchanges.extend(request(&replaced(line, &variables), &place, notes));
    }
    let is_plain = |exchange: &Exchange| exchange.method == "GET" && exchange.body == Body::None;
    let flow = if exchanges.len() > MOST_SAMPLERS && exchanges.iter().all(is_plain) {
        of_data_file(&exchanges)
    } else if exchanges.len() > MOST_REQUESTS {
        let message =
            format!("{} requests with bodies are more than the {MOST_REQUESTS} that fit", exchanges.len());
        return Err(ReadError::new(source.whole(), message));
    } else {
        Flow::of("", exchanges)
    };
    Ok(Document { flows: vec![Flow { has_cookie_jar: true, ..flow }], ..Document::default() })
}

/// A text with the values of `$(NAME)` and `${NAME}`. An unknown name stays.
fn replaced(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut out = text.to_owned();
    for (name, value) in variables {
        out = out.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value);
    }
    out
}

/// `URL`, `URL POST data`, `URL PUT <file`.
fn request(line: &str, place: &Place, notes: &mut Notes) -> Option<Exchange> {
    let (url, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    if url.contains("$(") {
        notes.left_out(place, format!("URL `{url}`"), "its variable has no value before this line");
        return None;
    }
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    let (method, data) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let method = if method.is_empty() { "GET" } else { method };
    let mut exchange = Exchange::new(method, Text::literal(url), place.clone());
    exchange.follows_redirects = true;
    let data = data.trim();
    if let Some(path) = data.strip_prefix('<') {
        match inside_path(path.trim()) {
            Ok(path) => exchange.body = Body::File { path, mime: String::new() },
            Err(reason) => notes.left_out(place, format!("file `{}`", path.trim()), reason),
        }
    } else if !data.is_empty() {
        exchange.body = Body::Text(Text::literal(data));
    }
    if exchange.body != Body::None {
        exchange.add_header("Content-Type", "application/x-www-form-urlencoded");
    }
    Some(exchange)
}

/// One request whose URL is from a file. The host is in the plan if all have the same.
fn of_data_file(exchanges: &[Exchange]) -> Flow {
    let urls: Vec<&str> = exchanges.iter().filter_map(|exchange| exchange.url.as_literal()).collect();
    let (origin, _) = split_origin(urls[0]);
    let is_shared = urls.iter().all(|url| split_origin(url).0 == origin);
    let cell = |url: &&str| encoded(if is_shared { split_origin(url).1 } else { url });
    let rows = urls.iter().map(|url| vec![cell(url)]).collect();
    let variable = if is_shared { "path" } else { "url" };
    let mut url = Text::literal(if is_shared { origin } else { "" });
    url.push(Text::variable(variable));
    let mut exchange = Exchange::new("GET", url, exchanges[0].place.clone());
    exchange.follows_redirects = true;
    exchange.name = Some("URL of the list".to_owned());
    let data = DataFile {
        path: "urls.csv".to_owned(),
        variables: vec![variable.to_owned()],
        delimiter: ",".to_owned(),
        rows: Some(rows),
        ..DataFile::default()
    };
    Flow { data: vec![data], ..Flow::of("", vec![exchange]) }
}

/// `http://host:port`, and what follows it, which begins with `/`, `?` or is empty.
fn split_origin(url: &str) -> (&str, &str) {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?']).map_or(url.len(), |at| start + at);
    url.split_at(end)
}

/// The writer cannot encode what a data file has.
pub(super) fn encoded(url: &str) -> String {
    const REFUSED: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    utf8_percent_encode(url, REFUSED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Notes) {
        let mut notes = Notes::default();
        let source = Source { name: "urls.txt", bytes: text.as_bytes() };
        let document = read(&source, &Options::default(), &mut notes).expect("a list");
        let show = |one: &&Exchange| match &one.body {
            Body::None => format!("{} {}", one.method, one.url.to_plan()),
            Body::Text(body) => format!("{} {} {}", one.method, one.url.to_plan(), body.to_plan()),
            other => format!("{} {} {other:?}", one.method, one.url.to_plan()),
        };
        (document.flows[0].exchanges().iter().map(show).collect(), notes)
    }

    #[test]
    fn lines_are_urls_methods_and_data() {
        for (text, wanted) in [
            (
                "# all\nhttp://a.test/x#top\n\nHTTPS://a.test",
                &["GET http://a.test/x", "GET HTTPS://a.test"][..],
            ),
            (
                "H = a.test\nU=$(H)/in\nhttp://$(U)?q=1\nhttp://${U}",
                &["GET http://a.test/in?q=1", "GET http://a.test/in"],
            ),
            ("http://a/ POST user=ada&p=${x}", &["POST http://a/ user=ada&p=${__char(36)}{x}"]),
            ("http://a/ PUT <d/b.json", &["PUT http://a/ File { path: \"d/b.json\", mime: \"\" }"]),
        ] {
            let (found, notes) = shown(text);
            assert_eq!(found, wanted, "{text}");
            assert!(!notes.is_lossy() && fits(text), "{text}: {notes:?}");
        }
    }

    #[test]
    fn what_cannot_be_taken_over_has_a_note() {
        for (text, reason) in [
            ("http://a/ POST </etc/passwd", "relative path"),
            ("http://$(HOST)/", "no value before this line"),
        ] {
            let (_, notes) = shown(text);
            assert!(notes.all().iter().any(|note| note.reason.contains(reason)), "{text}: {notes:?}");
        }
    }

    #[test]
    fn a_long_list_becomes_a_data_file() {
        let list = |hosts: usize| -> String {
            let lines: Vec<_> = (0..60).map(|n| format!("http://h{}.test/p{n}?a|b\n", n % hosts)).collect();
            lines.concat()
        };
        let mut notes = Notes::default();
        for (hosts, url, row) in
            [(1, "http://h0.test${path}", "/p59?a%7Cb"), (2, "${url}", "http://h1.test/p59?a%7Cb")]
        {
            let text = list(hosts);
            let source = Source { name: "urls.txt", bytes: text.as_bytes() };
            let document = read(&source, &Options::default(), &mut notes).expect("a list");
            let flow = &document.flows[0];
            assert_eq!(flow.exchanges()[0].url.to_plan(), url);
            let rows = flow.data[0].rows.as_ref().expect("rows");
            assert_eq!((rows.len(), &*rows[59][0]), (60, row));
        }
    }

    #[test]
    fn other_texts_are_no_lists() {
        for text in ["", "hello", "A=1", "curl http://a", "GET http://a", "http://a\nhello"] {
            assert!(!fits(text), "{text}");
        }
        let long = "http://a.test/0123456789\n".repeat(2000);
        assert!(fits(&long[..long.len() - 20]));
    }
}
