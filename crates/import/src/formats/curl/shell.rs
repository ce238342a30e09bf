//! Words of a shell: enough of bash, of cmd and of PowerShell to read commands that were copied
//! from a browser or a page. Nothing is run: what a shell would compute is a reason to leave a
//! command out.

use crate::model::Text;

/// A command with its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<Text>,
    /// Where its first word begins.
    pub(super) offset: usize,
    /// Its standard input, if it is in the file.
    pub(super) input: Option<Text>,
    /// It reads the output of the command before it.
    pub(super) is_piped: bool,
    /// Why it cannot be read.
    pub(super) trouble: Option<String>,
}

/// Whose words and quotes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Bash,
    Cmd,
    PowerShell,
}

/// All commands of a text.
pub(super) fn commands(text: &str) -> Vec<Command> {
    match shell_of(text) {
        Dialect::Bash => Bash { text, at: 0, out: Vec::new(), here: Vec::new() }.commands(),
        Dialect::Cmd => cmd(text),
        Dialect::PowerShell => {
            let joined = text.replace("`\r\n", " \r\n").replace("`\n", " \n");
            // A continuation is two characters in both, so that offsets stay.
            let joined = join_lines(&joined, text);
            Bash { text: &joined, at: 0, out: Vec::new(), here: Vec::new() }.commands()
        }
    }
}

/// Line ends after a continuation become blanks.
fn join_lines(joined: &str, original: &str) -> String {
    let bytes = original.as_bytes();
    let mut out = String::with_capacity(joined.len());
    let mut continues = false;
    for (at, c) in joined.char_indices() {
        let is_end = matches!(c, '\r' | '\n');
        out.push(if is_end && continues { ' ' } else { c });
        continues = bytes.get(at) == Some(&b'`') || continues && c == '\r';
    }
    out
}

fn shell_of(text: &str) -> Dialect {
    let ends = |mark: char| text.lines().any(|line| line.trim_end().ends_with(mark));
    if text.contains("^\"") || (ends('^') && !ends('\\')) {
        return Dialect::Cmd;
    }
    if ends('`') && !ends('\\') { Dialect::PowerShell } else { Dialect::Bash }
}

struct Bash<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Command>,
    /// Ends of here-documents whose text begins at the next line: the end, whether it is data only,
    /// whether tabs are taken away, its command.
    here: Vec<(String, bool, bool, usize)>,
}

/// A word while it is read.
#[derive(Default)]
struct Word {
    text: Text,
    /// It has begun, even if it is empty.
    is_open: bool,
}

impl Bash<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn commands(mut self) -> Vec<Command> {
        let mut command = Command::default();
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' => {
                    self.at += 1;
                    end_word(&mut command, &mut word);
                }
                '\n' => {
                    self.at += 1;
                    self.end_command(&mut command, &mut word, false);
                    self.here_documents();
                }
                '#' if !word.is_open => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                ';' | '&' | '|' | '(' | ')' => self.operator(c, &mut command, &mut word),
                '<' | '>' => self.redirection(c, &mut command, &mut word),
                _ => {
                    if command.words.is_empty() && !word.is_open {
                        command.offset = self.at;
                    }
                    self.part(&mut word, &mut command);
                }
            }
        }
        self.end_command(&mut command, &mut word, false);
        self.out
    }

    fn operator(&mut self, c: char, command: &mut Command, word: &mut Word) {
        self.at += 1;
        let is_double = self.peek() == Some(c);
        if is_double {
            self.at += 1;
        }
        let pipes = c == '|' && !is_double;
        if pipes && self.peek() == Some('&') {
            self.at += 1;
        }
        self.end_command(command, word, pipes);
    }

    fn end_command(&mut self, command: &mut Command, word: &mut Word, pipes: bool) {
        end_word(command, word);
        if command.words.is_empty() && command.trouble.is_none() {
            if pipes {
                command.is_piped = true;
            }
            return;
        }
        self.out.push(std::mem::take(command));
        command.is_piped = pipes;
    }

    /// Adds what begins here to a word: a quoted part, an escape, a variable, a character.
    fn part(&mut self, word: &mut Word, command: &mut Command) {
        word.is_open = true;
        match self.next() {
            Some('\\') => match self.next() {
                Some('\n') | None => word.is_open = !word.text.is_empty(),
                Some('\r') if self.peek() == Some('\n') => {
                    self.at += 1;
                    word.is_open = !word.text.is_empty();
                }
                Some(c) => word.text.push_literal(c.encode_utf8(&mut [0; 4])),
            },
            Some('\'') => {
                let end = self.rest().find('\'').unwrap_or_else(|| {
                    command.trouble = Some("a `'` is never closed".to_owned());
                    self.text.len() - self.at
                });
                word.text.push_literal(&self.text[self.at..self.at + end]);
                self.at = (self.at + end + 1).min(self.text.len());
            }
            Some('"') => self.double_quoted(word, command),
            Some('$') if self.peek() == Some('\'') => {
                self.at += 1;
                self.ansi_quoted(word, command);
            }
            Some('$') if self.peek() == Some('"') => {
                self.at += 1;
                self.double_quoted(word, command);
            }
            Some('$') => self.variable(word, command),
            Some('`') => self.substitution(command, '`'),
            Some(c) => word.text.push_literal(c.encode_utf8(&mut [0; 4])),
            None => {}
        }
    }

    fn double_quoted(&mut self, word: &mut Word, command: &mut Command) {
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.peek() {
                    Some(c @ ('$' | '`' | '"' | '\\')) => {
                        self.at += 1;
                        word.text.push_literal(c.encode_utf8(&mut [0; 4]));
                    }
                    Some('\n') => self.at += 1,
                    _ => word.text.push_literal("\\"),
                },
                Some('$') => self.variable(word, command),
                Some('`') => self.substitution(command, '`'),
                Some(c) => word.text.push_literal(c.encode_utf8(&mut [0; 4])),
                None => {
                    command.trouble = Some("a `\"` is never closed".to_owned());
                    return;
                }
            }
        }
    }

    /// `$name`, `${name}`, `${name:-default}`; a dollar alone is data.
    fn variable(&mut self, word: &mut Word, command: &mut Command) {
        let rest = self.rest();
        if rest.starts_with('(') {
            self.at += 1;
            return self.substitution(command, ')');
        }
        if rest.starts_with('{') {
            let Some(end) = rest.find('}') else {
                command.trouble = Some("a `${` is never closed".to_owned());
                self.at = self.text.len();
                return;
            };
            let inside = rest[1..end].to_owned();
            self.at += end + 1;
            let length = inside.find(|c: char| !is_name(c)).unwrap_or(inside.len());
            let (name, operation) = inside.split_at(length);
            if name.is_empty()
                || !(operation.is_empty() || operation.starts_with(":-") || operation.starts_with('-'))
            {
                command.trouble = Some(format!("`${{{inside}}}` is computed by the shell"));
            }
            return word.text.push(Text::variable(name));
        }
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let name = &rest[..length];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return word.text.push_literal("$");
        }
        word.text.push(Text::variable(name));
        self.at += length;
    }

    /// `$(…)` and backticks are skipped; their command cannot be known.
    fn substitution(&mut self, command: &mut Command, end: char) {
        command.trouble = Some("it needs the output of another command".to_owned());
        let mut depth = 1;
        while let Some(c) = self.next() {
            match c {
                '(' if end == ')' => depth += 1,
                c if c == end => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `$'…'`.
    fn ansi_quoted(&mut self, word: &mut Word, command: &mut Command) {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            match self.next() {
                Some('\'') => break,
                Some('\\') => self.ansi_escape(&mut bytes),
                Some(c) => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                None => {
                    command.trouble = Some("a `$'` is never closed".to_owned());
                    break;
                }
            }
        }
        word.text.push_literal(&String::from_utf8_lossy(&bytes));
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(c) = self.next() else { return };
        let simple = match c {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' | '\'' | '"' | '?' => c as u8,
            'x' => return bytes.extend(self.digits(16, 2).map(|value| value as u8)),
            'u' | 'U' => {
                let found = self.digits(16, if c == 'u' { 4 } else { 8 }).and_then(char::from_u32);
                let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
                return bytes.extend(found.encode_utf8(&mut [0; 4]).bytes());
            }
            '0'..='7' => {
                self.at -= 1;
                return bytes.extend(self.digits(8, 3).map(|value| value as u8));
            }
            other => {
                bytes.push(b'\\');
                return bytes.extend(other.encode_utf8(&mut [0; 4]).bytes());
            }
        };
        bytes.push(simple);
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let rest = self.rest();
        let length = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let value = u32::from_str_radix(&rest[..length], radix).ok();
        self.at += length;
        value
    }

    /// `>file`, `2>&1`, `<file`, `<<END`, `<<<text`.
    fn redirection(&mut self, c: char, command: &mut Command, word: &mut Word) {
        // A number before it is a descriptor.
        let is_descriptor =
            word.text.as_literal().is_some_and(|text| text.chars().all(|c| c.is_ascii_digit()));
        if is_descriptor {
            *word = Word::default();
        }
        end_word(command, word);
        let rest = self.rest();
        let kinds = ["<<<", "<<-", "<<", ">>", ">&", "<&", ">|", "<", ">"];
        let kind = kinds.into_iter().find(|kind| rest.starts_with(kind)).unwrap_or("<");
        self.at += kind.len();
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        let start = self.at;
        let mut target = Word::default();
        while self.peek().is_some_and(|c| !" \t\r\n;&|<>()".contains(c)) {
            self.part(&mut target, command);
        }
        let is_quoted = self.text[start..self.at].contains(['\'', '"', '\\']);
        match kind {
            "<<<" => {
                target.text.push_literal("\n");
                command.input = Some(target.text);
            }
            "<<" | "<<-" => {
                let end = target.text.as_literal().unwrap_or_default().to_owned();
                self.here.push((end, is_quoted, kind == "<<-", self.out.len()));
            }
            "<" if c == '<' => command.trouble = Some("it reads a file from its standard input".to_owned()),
            _ => {}
        }
    }

    /// Reads the here-documents of the line before.
    fn here_documents(&mut self) {
        for (end, is_data, strips_tabs, index) in std::mem::take(&mut self.here) {
            let mut content = String::new();
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    break;
                }
                let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
                let line = rest[..length].to_owned();
                self.at += length;
                let line = if strips_tabs { line.trim_start_matches('\t') } else { &line };
                if line.trim_end_matches(['\n', '\r']) == end {
                    break;
                }
                content.push_str(line);
            }
            let input = if is_data { Text::literal(content) } else { expanded(&content) };
            if let Some(command) = self.out.get_mut(index) {
                command.input = Some(input);
            }
        }
    }
}

/// A here-document with its variables.
fn expanded(content: &str) -> Text {
    let closed = format!("{}\"", content.replace('"', "\\\""));
    let mut word = Word::default();
    let mut command = Command::default();
    let mut reader = Bash { text: &closed, at: 0, out: Vec::new(), here: Vec::new() };
    reader.double_quoted(&mut word, &mut command);
    word.text
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn end_word(command: &mut Command, word: &mut Word) {
    let word = std::mem::take(word);
    if word.is_open {
        command.words.push(word.text);
    }
}

/// Commands for cmd.exe: carets first, then the words of the C library.
fn cmd(text: &str) -> Vec<Command> {
    let mut out = Vec::new();
    let mut line: Vec<char> = Vec::new();
    let mut offset = 0;
    let mut is_quoted = false;
    let mut chars = text.char_indices().peekable();
    let mut finish = |line: &mut Vec<char>, offset: usize| {
        let words = windows_words(line);
        line.clear();
        if !words.is_empty() {
            out.push(Command { words, offset, ..Command::default() });
        }
    };
    while let Some((at, c)) = chars.next() {
        if line.iter().all(|c| c.is_whitespace()) {
            offset = at;
        }
        match c {
            '"' => {
                is_quoted = !is_quoted;
                line.push(c);
            }
            '^' if !is_quoted => {
                let mut next = chars.next();
                if matches!(next, Some((_, '\r'))) {
                    next = chars.next();
                }
                match next {
                    // A continuation; an empty line after it is a line end as data.
                    Some((_, '\n')) if chars.peek().is_some_and(|(_, c)| matches!(c, '\r' | '\n')) => {
                        line.push('\n');
                        if matches!(chars.next(), Some((_, '\r'))) {
                            chars.next();
                        }
                    }
                    Some((_, c)) if c != '\n' => line.push(c),
                    _ => {}
                }
            }
            '\n' | '&' | '|' if !is_quoted => {
                finish(&mut line, offset);
            }
            '\r' if !is_quoted => {}
            c => line.push(c),
        }
    }
    finish(&mut line, offset);
    out
}

/// Words as Microsoft's C library makes them of a command line.
fn windows_words(line: &[char]) -> Vec<Text> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            ' ' | '\t' if !is_quoted => words.extend(word.take().map(Text::literal)),
            '\\' => {
                let slashes = line[at..].iter().take_while(|c| **c == '\\').count();
                let text = word.get_or_insert_default();
                if line.get(at + slashes) == Some(&'"') {
                    text.push_str(&"\\".repeat(slashes / 2));
                    if slashes % 2 == 1 {
                        text.push('"');
                        at += 1;
                    }
                } else {
                    text.push_str(&"\\".repeat(slashes));
                }
                at += slashes - 1;
            }
            '"' => {
                let text = word.get_or_insert_default();
                if is_quoted && line.get(at + 1) == Some(&'"') {
                    text.push('"');
                    at += 1;
                } else {
                    is_quoted = !is_quoted;
                }
            }
            c => word.get_or_insert_default().push(c),
        }
        at += 1;
    }
    words.extend(word.map(Text::literal));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let command = |command: &Command| {
            let words: Vec<String> = command.words.iter().map(Text::to_plan).collect();
            let trouble = command.trouble.as_ref().map(|_| " !").unwrap_or_default();
            let input =
                command.input.as_ref().map(|input| format!(" <{:?}", input.to_plan())).unwrap_or_default();
            format!("{}[{}]{input}{trouble}", if command.is_piped { "|" } else { "" }, words.join("]["))
        };
        commands(text).iter().map(command).collect()
    }

    #[test]
    fn words_of_bash() {
        for (text, wanted) in [
            ("curl 'a b' \"c $D ${E} \\$F\\n\" g\\ h ''", vec![r"[curl][a b][c ${D} ${E} $F\\n][g h][]"]),
            ("curl \\\n  -H x \\\r\n y", vec!["[curl][-H][x][y]"]),
            (
                "# no\ncurl a # b\ncurl c;curl d && curl e",
                vec!["[curl][a]", "[curl][c]", "[curl][d]", "[curl][e]"],
            ),
            (r"curl $'a\n\u00e9\x41\'\101'", vec!["[curl][a\néA'A]"]),
            ("echo 'x' | curl -d @- a >o 2>&1", vec!["[echo][x]", "|[curl][-d][@-][a]"]),
            ("curl a <<'E'\n$x\nE\ncurl b", vec!["[curl][a] <\"$x\\n\"", "[curl][b]"]),
            ("curl a <<E\n\"$x\"\nE", vec!["[curl][a] <\"\\\"${x}\\\"\\n\""]),
            ("curl \"$(date)\" x", vec!["[curl][][x] !"]),
            ("curl 'a", vec!["[curl][a] !"]),
            ("curl a?b=$1&x", vec!["[curl][a?b=$1]", "[x]"]),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn words_of_windows() {
        let chrome =
            "curl ^\"http://a.test/?x=1^&y=2^\" ^\r\n  --data-raw ^\"^{^\\^\"a^\\^\":^\\^\"b^\\^\"^}^\"";
        assert_eq!(shown(chrome), [r#"[curl][http://a.test/?x=1&y=2][--data-raw][{"a":"b"}]"#]);
        let older = "curl \"http://a.test/?x=1&y\" ^\n -H \"A: \\\"q\\\"\" --data-raw \"a\"\"b\"";
        assert_eq!(shown(older), [r#"[curl][http://a.test/?x=1&y][-H][A: "q"][--data-raw][a"b]"#]);
        assert_eq!(shown("curl.exe a `\r\n  -H 'b'"), ["[curl.exe][a][-H][b]"]);
    }
}
