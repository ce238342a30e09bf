//! A file of requests as pieces: what belongs to which request, with its line.

/// A request as it is in the file.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Text after `###`, or of `@name`.
    pub(super) title: String,
    /// Name of `@name`, by which other requests refer to its response.
    pub(super) name: Option<String>,
    /// Directives in comments, as `no-redirect`, with their lines.
    pub(super) directives: Vec<(String, usize)>,
    /// Line of the request line, from 1; 0: there is none.
    pub(super) line: usize,
    /// Request line, with continuation lines.
    pub(super) request: String,
    /// Headers with their lines.
    pub(super) headers: Vec<(String, usize)>,
    /// Lines of the body.
    pub(super) body: Vec<(String, usize)>,
    /// Scripts that run before the request.
    pub(super) before: Vec<Block>,
    /// Scripts that run after the response.
    pub(super) after: Vec<Block>,
    /// Lines that mean nothing here, with a reason.
    pub(super) others: Vec<(String, usize)>,
}

/// A script, or a file that has one.
#[derive(Debug)]
pub(super) struct Block {
    /// Its text; the name of a file.
    pub(super) text: String,
    /// It is in another file.
    pub(super) is_file: bool,
    /// Its first line.
    pub(super) line: usize,
}

/// What a file has.
#[derive(Debug, Default)]
pub(super) struct File {
    /// `@name = value`, with lines.
    pub(super) variables: Vec<(String, String, usize)>,
    /// Requests in order.
    pub(super) pieces: Vec<Piece>,
}

/// Where in a request a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Start,
    Target,
    Headers,
    Body,
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    next: usize,
    part: Part,
    piece: Piece,
    file: File,
}

/// Takes a text apart.
pub(super) fn parse(text: &str) -> File {
    let mut reader = Reader {
        lines: text.lines().collect(),
        next: 0,
        part: Part::Start,
        piece: Piece::default(),
        file: File::default(),
    };
    while let Some(line) = reader.lines.get(reader.next).copied() {
        reader.next += 1;
        reader.line(line);
    }
    reader.end_piece();
    reader.file
}

/// `@name = value`.
pub(super) fn variable(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix('@')?.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    is_name.then(|| (name, value.trim()))
}

/// Whether a line is a header: `Name: value`.
fn is_header(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, value)| {
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        is_name && (value.is_empty() || value.starts_with(' '))
    })
}

/// The text of a comment.
fn comment(line: &str) -> Option<&str> {
    line.strip_prefix("//").or_else(|| line.strip_prefix('#')).map(str::trim)
}

impl Reader<'_> {
    fn line(&mut self, line: &str) {
        if let Some(title) = line.strip_prefix("###") {
            self.end_piece();
            title.trim_matches(['#', ' ', '\t']).clone_into(&mut self.piece.title);
            return;
        }
        match self.part {
            Part::Start => self.before_request(line),
            Part::Target | Part::Headers => self.in_head(line),
            Part::Body => self.in_body(line),
        }
    }

    fn end_piece(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        self.part = Part::Start;
        if piece.line > 0 || !piece.others.is_empty() || !piece.before.is_empty() {
            self.file.pieces.push(piece);
        }
    }

    fn before_request(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() {
            return;
        }
        if let Some(comment) = comment(text) {
            self.directive(comment);
        } else if let Some((name, value)) = variable(text) {
            self.file.variables.push((name.to_owned(), value.to_owned(), self.next));
        } else if let Some(script) = text.strip_prefix("< ") {
            let block = self.block(script.trim());
            self.piece.before.push(block);
        } else if text.starts_with("import ") || text.starts_with("run ") {
            self.piece.others.push((text.to_owned(), self.next));
        } else {
            text.clone_into(&mut self.piece.request);
            self.piece.line = self.next;
            self.part = Part::Target;
        }
    }

    fn directive(&mut self, comment: &str) {
        let Some(directive) = comment.strip_prefix('@') else { return };
        let (word, rest) = directive.split_once([' ', '\t', '=']).unwrap_or((directive, ""));
        if word == "name" {
            let name = rest.trim_start_matches('=').trim();
            self.piece.name = Some(name.to_owned());
            if self.piece.title.is_empty() {
                name.clone_into(&mut self.piece.title);
            }
        } else {
            self.piece.directives.push((directive.trim().to_owned(), self.next));
        }
    }

    fn in_head(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() {
            self.part = Part::Body;
            return;
        }
        if let Some(comment) = comment(text) {
            self.directive(comment);
            return;
        }
        // People indent headers, too.
        let is_indented = line.starts_with([' ', '\t']) && !is_header(text);
        let is_query = text.starts_with(['?', '&']);
        if self.part == Part::Target && (is_query || is_indented) {
            self.piece.request.push_str(text);
            return;
        }
        if text.starts_with("> ") || text.starts_with("< ") || text.starts_with("<> ") {
            self.part = Part::Body;
            self.in_body(line);
            return;
        }
        match self.piece.headers.last_mut() {
            Some((header, _)) if is_indented => {
                header.push(' ');
                header.push_str(text);
            }
            _ => self.piece.headers.push((text.to_owned(), self.next)),
        }
        self.part = Part::Headers;
    }

    fn in_body(&mut self, line: &str) {
        if let Some(script) = line.strip_prefix("> ") {
            let block = self.block(script.trim());
            self.piece.after.push(block);
        } else if line.starts_with(">>") || line.starts_with("<> ") {
            // Where responses are saved, and where an earlier one is: about the editor, not the
            // request.
        } else {
            self.piece.body.push((line.to_owned(), self.next));
        }
    }

    /// `{% script %}`, on one line or many, or the name of a file.
    fn block(&mut self, start: &str) -> Block {
        let line = self.next;
        let Some(script) = start.strip_prefix("{%") else {
            return Block { text: start.to_owned(), is_file: true, line };
        };
        let mut text = String::new();
        let mut rest = script;
        loop {
            if let Some((last, _)) = rest.split_once("%}") {
                text.push_str(last);
                break;
            }
            text.push_str(rest);
            text.push('\n');
            // A separator ends a script that has no end.
            match self.lines.get(self.next).filter(|line| !line.starts_with("###")) {
                Some(next) => rest = next,
                None => break,
            }
            self.next += 1;
        }
        Block { text, is_file: false, line }
    }
}

impl Piece {
    /// The lines of the body without empty lines and remarks around it.
    pub(super) fn trimmed_body(&self) -> &[(String, usize)] {
        let is_content = |line: &str| !line.trim().is_empty() && !is_remark(line) && !line.starts_with("# ");
        let start = self.body.iter().position(|(line, _)| is_content(line));
        let end = self.body.iter().rposition(|(line, _)| is_content(line));
        start.zip(end).map_or(&[], |(start, end)| &self.body[start..=end])
    }
}

/// Whether a line of a body is a remark, unless it is a text in which this has another meaning.
pub(super) fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with("//")
}
