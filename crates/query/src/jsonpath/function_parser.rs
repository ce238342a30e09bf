//! Parses arguments of functions in a path (`PathCompiler.parseFunctionParameters`).

use super::PathError;
use super::cursor::Cursor;
use super::path::Parameter;
use super::path_parser::read_path;

/// What an argument is, told by its first character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Path,
}

/// Reads the arguments of a function whose opening parenthesis is at `open`. The cursor is left at
/// the closing one if there are none, after it otherwise.
pub(super) fn parameters(
    cursor: &mut Cursor,
    function: &str,
    open: usize,
    depth: usize,
) -> Result<Vec<Parameter>, PathError> {
    let unclosed =
        || PathError::invalid(format!("Arguments to function: '{function}' are not closed properly."));
    let mut count = 1;
    for at in open + 1..cursor.length() {
        match cursor.char_at(at)? {
            ')' => count -= 1,
            '(' => count += 1,
            _ => {}
        }
        if count == 0 {
            break;
        }
    }
    if count != 0 {
        return Err(unclosed());
    }
    cursor.position = open + 1;
    if cursor.current_is(')')? {
        return Ok(Vec::new());
    }
    Arguments::default().read(cursor, depth)?.ok_or_else(unclosed)
}

/// Open brackets of each kind, and the argument that is read.
struct Arguments {
    parentheses: i32,
    brackets: i32,
    braces: i32,
    quotes: i32,
    kind: Option<Kind>,
    text: String,
    found: Vec<Parameter>,
}

impl Default for Arguments {
    fn default() -> Self {
        let text = String::new();
        let found = Vec::new();
        Self { parentheses: 1, brackets: 0, braces: 0, quotes: 0, kind: None, text, found }
    }
}

impl Arguments {
    /// None if something is not closed.
    fn read(mut self, cursor: &mut Cursor, depth: usize) -> Result<Option<Vec<Parameter>>, PathError> {
        let mut before = '\0';
        let mut done = false;
        while cursor.is_inside() && !done {
            let c = cursor.current()?;
            cursor.position += 1;
            if self.kind.is_none() {
                if matches!(c, ' ' | '\t' | '\n' | '\r') {
                    continue;
                }
                self.kind = match c {
                    '{' | '"' | '-' => Some(Kind::Json),
                    c if c.is_ascii_digit() => Some(Kind::Json),
                    '$' | '@' => Some(Kind::Path),
                    _ => None,
                };
            }
            self.count(c, before, cursor.position)?;
            if matches!(c, ')' | ',') {
                if c == ')' && (self.parentheses < 0 || before == '(') {
                    self.text.push(c);
                }
                done = self.end_argument(c, depth)?;
            }
            let separates = c == ',' && self.braces == 0 && self.brackets == 0 && self.parentheses == 1;
            if self.kind.is_some() && !separates {
                self.text.push(c);
            }
            before = c;
        }
        let closed = self.braces == 0 && self.parentheses == 0 && self.brackets == 0;
        Ok(closed.then_some(self.found))
    }

    fn count(&mut self, c: char, before: char, position: usize) -> Result<(), PathError> {
        let unexpected = |what: &str| {
            Err(PathError::invalid(format!("Unexpected close {what} at character position: {position}")))
        };
        match c {
            '"' if before != '\\' && self.quotes > 0 => self.quotes -= 1,
            '"' => self.quotes += 1,
            '(' => self.parentheses += 1,
            ')' => self.parentheses -= 1,
            '{' => self.braces += 1,
            '[' => self.brackets += 1,
            '}' if self.braces == 0 => return unexpected("brace '}'"),
            '}' => self.braces -= 1,
            ']' if self.brackets == 0 => return unexpected("bracket ']'"),
            ']' => self.brackets -= 1,
            _ => {}
        }
        Ok(())
    }

    /// A comma or closing parenthesis: perhaps the end of an argument. Says whether it is the end
    /// of all.
    fn end_argument(&mut self, c: char, depth: usize) -> Result<bool, PathError> {
        let ends = self.quotes == 0
            && self.braces == 0
            && self.brackets == 0
            && ((self.parentheses == 0 && c == ')') || self.parentheses == 1);
        if !ends {
            return Ok(false);
        }
        if let Some(kind) = self.kind.take() {
            let text = std::mem::take(&mut self.text);
            self.found.push(match kind {
                Kind::Json => Parameter::Json(text),
                Kind::Path if depth > 40 => {
                    return Err(PathError::invalid("functions are nested too deeply"));
                }
                Kind::Path => Parameter::Path(read_path(Cursor::new(&text), depth + 1)?),
            });
        }
        Ok(self.parentheses == 0)
    }
}
