//! What a command asks for.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::globs;
use super::options::{self, Does};
use crate::inside::inside_path;
use crate::model::{Auth, Body, Exchange, Header, Part, PartValue, Text, TextPart};
use crate::notes::Notes;
use crate::source::Place;

/// All that the options of one or more requests (`--next`) say.
#[derive(Default)]
pub(super) struct Asked {
    requests: Vec<Wanted>,
    pub(super) has_cookie_jar: bool,
    trouble: Option<String>,
}

/// A piece of a body.
enum Piece {
    Text(Text),
    File(String),
}

#[expect(clippy::struct_excessive_bools, reason = "independent options of curl")]
#[derive(Default)]
struct Wanted {
    urls: Vec<Text>,
    method: Option<Text>,
    headers: Vec<Header>,
    /// Names whose headers curl would make.
    without: Vec<String>,
    data: Vec<Piece>,
    is_json: bool,
    has_data: bool,
    parts: Vec<Part>,
    query: Vec<Text>,
    auth: Option<Auth>,
    is_digest: bool,
    bearer: Option<Text>,
    gets: bool,
    heads: bool,
    follows: bool,
    upload: Option<String>,
    no_globs: bool,
    keeps_path: bool,
    max_ms: u64,
    connect_ms: u64,
    proxy: Option<(String, u16)>,
}

impl Asked {
    pub(super) fn read(words: &[Text], input: Option<Text>, place: &Place, notes: &mut Notes) -> Self {
        let mut asked = Self { requests: vec![Wanted::default()], ..Self::default() };
        let mut reader = WordReader { words: words.iter(), input, place, notes, said: Vec::new() };
        while let Some(word) = reader.words.next() {
            if let Err(trouble) = asked.word(word, &mut reader) {
                asked.trouble.get_or_insert(trouble);
            }
        }
        asked
    }

    fn word(&mut self, word: &Text, reader: &mut WordReader<'_>) -> Result<(), String> {
        let leading = word.leading();
        if let Some(name) = leading.strip_prefix("--").filter(|name| !name.is_empty()) {
            let option = options::long(name)
                .ok_or_else(|| format!("unknown option `--{}`", name.chars().take(40).collect::<String>()))?;
            let value = if option.takes_value { Some(reader.value(option.long)?) } else { None };
            return self.option(option.long, option.does, value, reader);
        }
        if leading.len() < 2 || !leading.starts_with('-') {
            self.last().urls.push(word.clone());
            return Ok(());
        }
        let mut at = 1;
        while let Some(letter) = leading[at..].chars().next() {
            let option = options::short(letter).ok_or_else(|| format!("unknown option `-{letter}`"))?;
            at += letter.len_utf8();
            if option.takes_value {
                let (_, attached) = word.split_leading(at);
                let value = if attached.is_empty() { reader.value(option.long)? } else { attached };
                return self.option(option.long, option.does, Some(value), reader);
            }
            self.option(option.long, option.does, None, reader)?;
        }
        Ok(())
    }

    fn last(&mut self) -> &mut Wanted {
        if self.requests.is_empty() {
            self.requests.push(Wanted::default());
        }
        let last = self.requests.len() - 1;
        &mut self.requests[last]
    }

    fn option(
        &mut self,
        name: &str,
        does: Does,
        value: Option<Text>,
        reader: &mut WordReader<'_>,
    ) -> Result<(), String> {
        let value = value.unwrap_or_default();
        match does {
            Does::Refused(reason) => return Err(reason.to_owned()),
            Does::Lost(reason) => reader.lost(name, reason),
            Does::Ignored => reader.ignored(name),
            Does::Next => self.requests.push(Wanted::default()),
            Does::CookieJar => self.has_cookie_jar = true,
            Does::Cookie if value.split_once('=').is_none() => {
                self.has_cookie_jar = true;
                reader.lost(name, "cookies of a file are not read; those of responses are sent back");
            }
            does => self.last().option(does, &value, reader)?,
        }
        Ok(())
    }

    /// The requests.
    ///
    /// # Errors
    /// Why the command cannot be taken over.
    pub(super) fn exchanges(self, place: &Place, notes: &mut Notes) -> Result<Vec<Exchange>, String> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        let mut all = Vec::new();
        for wanted in self.requests {
            all.extend(wanted.exchanges(place, notes)?);
        }
        Ok(all)
    }
}

struct WordReader<'a> {
    words: std::slice::Iter<'a, Text>,
    input: Option<Text>,
    place: &'a Place,
    notes: &'a mut Notes,
    /// Options that have a note.
    said: Vec<String>,
}

impl WordReader<'_> {
    fn value(&mut self, option: &str) -> Result<Text, String> {
        self.words.next().cloned().ok_or_else(|| format!("option --{option} has no value"))
    }

    fn lost(&mut self, name: &str, reason: &str) {
        if !self.said.iter().any(|said| said == name) {
            self.notes.left_out(self.place, format!("option --{name}"), reason);
            self.said.push(name.to_owned());
        }
    }

    fn ignored(&mut self, name: &str) {
        if !self.said.iter().any(|said| said == name) {
            self.notes.dropped(self.place, format!("option --{name}"), "it does not change the request");
            self.said.push(name.to_owned());
        }
    }

    /// `@file` and `@-`; none is a text.
    fn file(&mut self, value: &Text) -> Result<Option<Piece>, String> {
        let Some(rest) = value.leading().strip_prefix('@') else { return Ok(None) };
        if value.as_literal().is_none() {
            return Err("the name of a file has a variable".to_owned());
        }
        if rest == "-" {
            let input = self.input.clone();
            return input
                .map(|text| Some(Piece::Text(text)))
                .ok_or_else(|| "its body comes from standard input".to_owned());
        }
        let path = inside_path(rest).map_err(|reason| format!("it reads `{rest}`: {reason}"))?;
        Ok(Some(Piece::File(path)))
    }
}

impl Wanted {
    fn option(&mut self, does: Does, value: &Text, reader: &mut WordReader<'_>) -> Result<(), String> {
        match does {
            Does::Method => self.method = Some(value.clone()),
            Does::Header => self.header(value)?,
            Does::Data | Does::DataBinary | Does::Json => self.file_data(does, value, reader)?,
            Does::DataRaw => self.add_data(Piece::Text(value.clone()), "&"),
            Does::DataUrlencode => {
                let encoded = urlencoded(value)?;
                self.add_data(Piece::Text(encoded), "&");
            }
            Does::UrlQuery => self.query.push(match value.leading().strip_prefix('+') {
                Some(_) => value.split_leading(1).1,
                None => urlencoded(value)?,
            }),
            Does::Form => self.parts.extend(form_parts(value, reader)?),
            Does::FormString => {
                let (name, text) = value.split_once('=').ok_or("a form field has no `=`")?;
                self.parts.push(Part {
                    name: name.to_plan(),
                    value: PartValue::Text(text),
                    mime: String::new(),
                });
            }
            Does::User => self.auth = Some(credentials(value)),
            Does::Cookie => self.add_header("Cookie", value.clone()),
            Does::UserAgent => self.add_header("User-Agent", value.clone()),
            Does::Referer => {
                let text = value.as_literal().and_then(|text| text.strip_suffix(";auto"));
                self.add_header("Referer", text.map_or_else(|| value.clone(), Text::literal));
            }
            Does::Range => {
                let mut range = Text::literal("bytes=");
                range.push(value.clone());
                range.push_literal(if value.split_once('-').is_none() { "-" } else { "" });
                self.add_header("Range", range);
            }
            Does::Bearer => {
                let mut bearer = Text::literal("Bearer ");
                bearer.push(value.clone());
                self.bearer = Some(bearer);
            }
            Does::Url => self.urls.push(value.clone()),
            Does::Proxy => self.proxy = Some(proxy(value)?),
            Does::Upload => {
                let path = value.as_literal().filter(|path| *path != "-" && *path != ".");
                let path = path.ok_or("it uploads its standard input")?;
                self.upload =
                    Some(inside_path(path).map_err(|reason| format!("it uploads `{path}`: {reason}"))?);
            }
            Does::MaxTime => self.max_ms = seconds(value)?,
            Does::ConnectTimeout => self.connect_ms = seconds(value)?,
            Does::Get => self.gets = true,
            Does::Head => self.heads = true,
            Does::Follow => self.follows = true,
            Does::NoFollow => self.follows = false,
            Does::Compressed => self.add_header("Accept-Encoding", Text::literal("deflate, gzip, br")),
            Does::Digest => self.is_digest = true,
            Does::NoGlobs => self.no_globs = true,
            Does::PathAsIs => self.keeps_path = true,
            Does::CookieJar | Does::Next | Does::Ignored | Does::Lost(_) | Does::Refused(_) => {}
        }
        Ok(())
    }

    fn file_data(&mut self, does: Does, value: &Text, reader: &mut WordReader<'_>) -> Result<(), String> {
        let separator = if does == Does::Json { "" } else { "&" };
        self.is_json |= does == Does::Json;
        let piece = match reader.file(value)? {
            // `-d` takes line ends out of what it reads.
            Some(Piece::Text(text)) if does == Does::Data => {
                Piece::Text(text.map_literals(&mut |data| data.replace(['\r', '\n'], "")))
            }
            Some(Piece::File(path)) => {
                if does == Does::Data {
                    reader.notes.changed(
                        reader.place,
                        format!("body from `{path}`"),
                        "it is sent as it is; curl takes its line ends out",
                    );
                }
                Piece::File(path)
            }
            Some(piece) => piece,
            None => Piece::Text(value.clone()),
        };
        self.add_data(piece, separator);
        Ok(())
    }

    fn add_data(&mut self, piece: Piece, separator: &str) {
        self.has_data = true;
        match (self.data.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(text)) => {
                last.push_literal(separator);
                last.push(text);
            }
            (_, piece) => self.data.push(piece),
        }
    }

    fn add_header(&mut self, name: &str, value: Text) {
        self.headers.push(Header { name: name.to_owned(), value });
    }

    /// `Name: value`; `Name:` takes a header away, `Name;` sends it empty.
    fn header(&mut self, text: &Text) -> Result<(), String> {
        if text.leading().starts_with('@') {
            return Err("its headers are in a file".to_owned());
        }
        if let Some((name, value)) = text.split_once(':') {
            let Some(name) = name.as_literal().map(str::trim) else {
                return Err("the name of a header is a variable".to_owned());
            };
            let value = trimmed(&value);
            if value.is_empty() {
                self.without.push(name.to_ascii_lowercase());
            } else {
                self.add_header(name, value);
            }
        } else if let Some(name) = text.as_literal().and_then(|text| text.trim().strip_suffix(';')) {
            self.add_header(name.trim(), Text::default());
        }
        Ok(())
    }

    fn has_header(&self, name: &str) -> bool {
        self.without.iter().any(|known| known.eq_ignore_ascii_case(name))
            || self.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name))
    }

    fn default_header(&mut self, name: &str, value: &str) {
        if !self.has_header(name) {
            self.add_header(name, Text::literal(value));
        }
    }

    fn exchanges(mut self, place: &Place, notes: &mut Notes) -> Result<Vec<Exchange>, String> {
        if self.urls.is_empty() {
            return Err("it has no URL".to_owned());
        }
        let body = self.body()?;
        let method = match &self.method {
            Some(method) => method.as_literal().ok_or("its method is a variable")?.to_owned(),
            None if self.heads => "HEAD".to_owned(),
            None if self.upload.is_some() => "PUT".to_owned(),
            None if self.gets || body == Body::None && self.parts.is_empty() && !self.has_data => {
                "GET".to_owned()
            }
            None => "POST".to_owned(),
        };
        if self.heads && self.has_data && !self.gets {
            return Err("curl refuses a body with -I".to_owned());
        }
        // curl waits for what the server asks, and has an answer then.
        let is_answered = self.is_digest && self.auth.is_some();
        if let Some(bearer) = self.bearer.take().filter(|_| !is_answered) {
            self.add_header("Authorization", bearer);
        }
        if self.is_json {
            self.default_header("Content-Type", "application/json");
            self.default_header("Accept", "application/json");
        } else if self.has_data && !self.gets {
            self.default_header("Content-Type", "application/x-www-form-urlencoded");
        }
        self.default_header("Accept", "*/*");
        let chunked = |header: &Header| header.name.eq_ignore_ascii_case("transfer-encoding");
        if self.headers.iter().any(chunked) {
            notes.changed(
                place,
                "header Transfer-Encoding",
                "the body is sent with its length, not in chunks",
            );
        }
        let mut auth = self.auth.take().filter(|_| !self.has_header("Authorization"));
        if let Some(auth) = &mut auth {
            auth.is_digest = self.is_digest;
        }
        let mut all = Vec::new();
        for url in &self.urls {
            let urls = if self.no_globs { vec![url.clone()] } else { globs::expand(url)? };
            for url in urls {
                let mut exchange = Exchange::new(&method, self.whole_url(&url), place.clone());
                exchange.headers.clone_from(&self.headers);
                exchange.body = body.clone();
                exchange.auth.clone_from(&auth);
                exchange.follows_redirects = self.follows;
                exchange.proxy.clone_from(&self.proxy);
                if self.max_ms > 0 || self.connect_ms > 0 {
                    exchange.timeout_ms = Some((self.connect_ms, self.max_ms));
                }
                all.push(exchange);
            }
        }
        Ok(all)
    }

    fn body(&mut self) -> Result<Body, String> {
        if let Some(path) = &self.upload {
            return Ok(Body::File { path: path.clone(), mime: String::new() });
        }
        if !self.parts.is_empty() {
            return Ok(Body::Multipart(std::mem::take(&mut self.parts)));
        }
        let data = std::mem::take(&mut self.data);
        if self.gets {
            for piece in data {
                match piece {
                    Piece::Text(text) => self.query.push(text),
                    Piece::File(path) => return Err(format!("the file `{path}` is a part of the URL")),
                }
            }
            return Ok(Body::None);
        }
        let mut pieces = data.into_iter();
        match (pieces.next(), pieces.next()) {
            (None, _) => Ok(Body::None),
            (Some(Piece::Text(text)), None) if text.is_empty() => Ok(Body::None),
            (Some(Piece::Text(text)), None) => Ok(Body::Text(text)),
            (Some(Piece::File(path)), None) => Ok(Body::File { path, mime: String::new() }),
            _ => Err("its body is made of files and other data together".to_owned()),
        }
    }

    fn whole_url(&self, url: &Text) -> Text {
        let leading = url.leading();
        let has_scheme = leading.split_once("://").is_some_and(|(scheme, _)| {
            !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        let mut whole = Text::default();
        if !has_scheme && !leading.is_empty() {
            whole.push_literal("http://");
        }
        whole.push(if self.keeps_path { url.clone() } else { without_dots(url) });
        let mut has_query = url.split_once('?').is_some();
        if let (Some(path), Some(data)) = (&self.upload, whole.as_literal()) {
            let has_path = data.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
            if data.ends_with('/') || !has_path {
                let slash = if data.ends_with('/') { "" } else { "/" };
                let file = path.rsplit('/').next().unwrap_or_default();
                whole.push_literal(&format!("{slash}{file}"));
            }
        }
        for query in &self.query {
            let ends = whole.as_literal().is_some_and(|data| data.ends_with(['?', '&']));
            whole.push_literal(match (has_query, ends) {
                (_, true) => "",
                (true, false) => "&",
                (false, false) => "?",
            });
            whole.push(query.clone());
            has_query = true;
        }
        whole
    }
}

/// curl takes `.` and `..` out of a path.
fn without_dots(url: &Text) -> Text {
    let Some(text) = url.as_literal() else { return url.clone() };
    let start = text.find("://").map_or(0, |at| at + 3);
    let Some(path_at) = text[start..].find('/').map(|at| at + start) else { return url.clone() };
    let end = text[path_at..].find(['?', '#']).map_or(text.len(), |at| at + path_at);
    if text[start..path_at].contains(['?', '#']) || !text[path_at..end].contains("/.") {
        return url.clone();
    }
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = text[path_at + 1..end].split('/').collect();
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        match *segment {
            "." => {}
            ".." => _ = kept.pop(),
            segment => {
                kept.push(segment);
                continue;
            }
        }
        if is_last {
            kept.push("");
        }
    }
    Text::literal(format!("{}/{}{}", &text[..path_at], kept.join("/"), &text[end..]))
}

/// What `--data-urlencode` leaves as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// `content`, `=content`, `name=content`; the content is encoded.
fn urlencoded(value: &Text) -> Result<Text, String> {
    let encode = |text: &Text| text.map_literals(&mut |data| utf8_percent_encode(data, KEPT).to_string());
    let first = value.leading().find(['=', '@']).map(|at| (at, value.leading().as_bytes()[at]));
    match first {
        Some((_, b'@')) => Err("a file is encoded into its data".to_owned()),
        Some((0, _)) => Ok(encode(&value.split_leading(1).1)),
        Some((at, _)) => {
            let (mut name, content) = value.split_leading(at + 1);
            name.push(encode(&content));
            Ok(name)
        }
        None => Ok(encode(value)),
    }
}

fn trimmed(text: &Text) -> Text {
    let start = text.leading().len() - text.leading().trim_start().len();
    let (_, text) = text.split_leading(start);
    match text.as_literal() {
        Some(data) => Text::literal(data.trim_end()),
        None => text,
    }
}

fn seconds(value: &Text) -> Result<u64, String> {
    let seconds = value.as_literal().and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| (0.0..1e9).contains(seconds));
    seconds
        .map(|seconds| (seconds * 1e3).ceil() as u64)
        .ok_or_else(|| "a time limit is not a number".to_owned())
}

fn credentials(value: &Text) -> Auth {
    let (user, password) =
        value.split_once(':').unwrap_or_else(|| (value.clone(), Text::property("password", "")));
    Auth { user, password, is_digest: false }
}

fn proxy(value: &Text) -> Result<(String, u16), String> {
    let text = value.as_literal().ok_or("its proxy is a variable")?;
    let rest = match text.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some((scheme, _)) => return Err(format!("a proxy of kind {scheme} is not supported")),
        None => text,
    };
    let rest = rest.rsplit('@').next().unwrap_or(rest).trim_end_matches('/');
    let (host, port) = rest.rsplit_once(':').unwrap_or((rest, "1080"));
    let port = port.parse().map_err(|_| format!("invalid port of the proxy `{rest}`"))?;
    Ok((host.to_owned(), port))
}

/// `name=text`, `name=@file`, `name=<file`, each with `;type=…` and `;filename=…`.
fn form_parts(value: &Text, reader: &mut WordReader<'_>) -> Result<Vec<Part>, String> {
    let (name, content) = value.split_once('=').ok_or("a form field has no `=`")?;
    let name = name.as_literal().ok_or("the name of a form field is a variable")?.to_owned();
    let Some(text) = content.as_literal() else {
        return Ok(vec![Part { name, value: PartValue::Text(content), mime: String::new() }]);
    };
    let (main, mime, file_name) = with_parameters(text);
    let sign = text.chars().next();
    if sign == Some('<') {
        let path = inside_path(&main[1..]).map_err(|reason| format!("it reads `{main}`: {reason}"))?;
        let call = Text::function(format!("${{__FileToString({},UTF-8)}}", path.replace(',', "\\,")));
        return Ok(vec![Part { name, value: PartValue::Text(call), mime }]);
    }
    if sign != Some('@') {
        return Ok(vec![Part { name, value: PartValue::Text(Text::literal(main)), mime }]);
    }
    let mut parts = Vec::new();
    for file in main[1..].split(',') {
        let path =
            inside_path(file.trim_matches('"')).map_err(|reason| format!("it sends `{file}`: {reason}"))?;
        let last = path.rsplit('/').next().unwrap_or_default();
        if file_name.as_deref().is_some_and(|wanted| wanted != last) {
            let reason = format!("JMeter sends the name of the file, {last}");
            reader.notes.changed(reader.place, format!("name of the file in field {name}"), reason);
        }
        let mime = if mime.is_empty() { mime_of(&path).to_owned() } else { mime.clone() };
        parts.push(Part { name: name.clone(), value: PartValue::File(path), mime });
    }
    Ok(parts)
}

/// The content of a form field without its parameters, its type, its file name.
fn with_parameters(text: &str) -> (String, String, Option<String>) {
    let mut mime = String::new();
    let mut file_name = None;
    let is_file = text.starts_with(['@', '<']);
    let mut main = text.to_owned();
    if let Some(quoted) = text.strip_prefix('"') {
        let mut plain = String::new();
        let mut chars = quoted.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    main = plain;
                    return (main, parameters(&quoted[at + 1..], &mut file_name), file_name);
                }
                '\\' => plain.extend(chars.next().map(|(_, c)| c)),
                c => plain.push(c),
            }
        }
    }
    let at = [";type=", ";filename=", ";headers="].iter().filter_map(|mark| text.find(mark)).min();
    if let Some(at) = at.filter(|_| is_file || text.contains(";type=")) {
        text[..at].clone_into(&mut main);
        mime = parameters(&text[at..], &mut file_name);
    }
    (main, mime, file_name)
}

fn parameters(text: &str, file_name: &mut Option<String>) -> String {
    let mut mime = String::new();
    for parameter in text.split(';') {
        let parameter = parameter.trim();
        if let Some(value) = parameter.strip_prefix("type=") {
            value.trim_matches('"').clone_into(&mut mime);
        } else if let Some(value) = parameter.strip_prefix("filename=") {
            *file_name = Some(value.trim_matches('"').to_owned());
        } else if !mime.is_empty() && parameter.contains('=') && !parameter.starts_with("headers=") {
            // A parameter of the type, as its charset.
            mime = format!("{mime}; {parameter}");
        }
    }
    mime
}

/// The type that curl gives a file by its name.
fn mime_of(path: &str) -> &'static str {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match &*ending {
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain",
        "htm" | "html" => "text/html",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

/// Names of all variables of a request.
pub(super) fn variables(exchange: &Exchange) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |text: &Text| {
        for part in text.parts() {
            if let TextPart::Variable(name) = part
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
    };
    add(&exchange.url);
    exchange.headers.iter().for_each(|header| add(&header.value));
    exchange.auth.iter().for_each(|auth| {
        add(&auth.user);
        add(&auth.password);
    });
    match &exchange.body {
        Body::Text(text) => add(text),
        Body::Multipart(parts) => parts.iter().for_each(|part| {
            if let PartValue::Text(text) = &part.value {
                add(text);
            }
        }),
        _ => {}
    }
    names
}

/// Whether a request has a variable.
pub(super) fn uses(exchange: &Exchange, name: &str) -> bool {
    variables(exchange).iter().any(|known| known == name)
}
