//! Splits the text of a path into tokens (Jayway's `PathCompiler`).

use super::PathError;
use super::cursor::{Cursor, unescape};
use super::filter_parser;
use super::function_parser;
use super::path::{Path, Token};

/// Paths inside filters inside paths, at most.
const DEEPEST: usize = 40;

type Read<T> = Result<T, PathError>;

/// Compiles a path; `depth` counts the enclosing paths and filters. All errors are of the kind
/// "invalid".
pub(super) fn compile(text: &str, depth: usize) -> Read<Path> {
    compile_any(text, depth).map_err(|fault| PathError::invalid(fault.message))
}

fn compile_any(text: &str, depth: usize) -> Read<Path> {
    if depth > DEEPEST {
        return Err(PathError::invalid("filters are nested too deeply"));
    }
    let mut cursor = Cursor::new(text);
    cursor.trim();
    if !matches!(cursor.char_at(0)?, '$' | '@') {
        cursor = Cursor::new(&format!("$.{text}"));
        cursor.trim();
    }
    if cursor.last_is('.')? {
        return Err(PathError::invalid("Path must not end with a '.' or '..'"));
    }
    read_path(cursor, depth)
}

/// Reads a path from its `$` or `@` on.
pub(super) fn read_path(cursor: Cursor, depth: usize) -> Read<Path> {
    let mut parser = Parser { cursor, depth, tokens: Vec::new() };
    let root = parser.root()?;
    Ok(Path::new(root, parser.tokens))
}

struct Parser {
    cursor: Cursor,
    depth: usize,
    tokens: Vec<Token>,
}

impl Parser {
    fn root(&mut self) -> Read<char> {
        while self.cursor.is_inside() && matches!(self.cursor.current()?, ' ' | '\t' | '\n' | '\r') {
            self.cursor.position += 1;
        }
        let root = self.cursor.current()?;
        if !matches!(root, '$' | '@') {
            return Err(PathError::invalid("Path must start with '$' or '@'"));
        }
        if self.cursor.is_tail() {
            return Ok(root);
        }
        self.cursor.position += 1;
        if !matches!(self.cursor.current()?, '.' | '[') {
            let position = self.cursor.position;
            return Err(PathError::invalid(format!(
                "Illegal character at position {position} expected '.' or '['"
            )));
        }
        self.token()?;
        while !self.cursor.is_tail() {
            self.token()?;
        }
        Ok(root)
    }

    fn token(&mut self) -> Read<()> {
        let position = self.cursor.position;
        let (read, expected) = match self.cursor.current()? {
            '[' => (self.bracket()?, ". Expected ?, ', 0-9, * "),
            '.' => return self.dot(),
            '*' => (self.wildcard()?, ""),
            _ => (self.property_or_function()?, ""),
        };
        if read {
            return Ok(());
        }
        Err(PathError::invalid(format!("Could not parse token starting at position {position}{expected}")))
    }

    fn bracket(&mut self) -> Read<bool> {
        Ok(self.quoted_properties()?
            || self.array()?
            || self.wildcard()?
            || self.filter()?
            || self.placeholder()?)
    }

    /// `.` or `..`, with the token that follows.
    fn dot(&mut self) -> Read<()> {
        if self.cursor.next_is('.') {
            self.tokens.push(Token::Scan);
            self.cursor.position += 2;
        } else if self.cursor.has_more() {
            self.cursor.position += 1;
        } else {
            return Err(PathError::invalid("Path must not end with a '."));
        }
        if self.cursor.current_is('.')? {
            let position = self.cursor.position;
            return Err(PathError::invalid(format!("Character '.' on position {position} is not valid.")));
        }
        self.token()
    }

    /// `name` or `name(...)`.
    fn property_or_function(&mut self) -> Read<bool> {
        let start = self.cursor.position;
        if matches!(self.cursor.current()?, '[' | '*' | '.' | ' ') {
            return Ok(false);
        }
        let mut end = start;
        let mut ends_in = None;
        while self.cursor.in_bounds(end) {
            match self.cursor.char_at(end)? {
                ' ' => {
                    return Err(PathError::invalid(format!(
                        "Use bracket notion ['my prop'] if your property contains blank characters. \
                         position: {start}"
                    )));
                }
                c @ ('.' | '[' | '(') => {
                    ends_in = Some(c);
                    break;
                }
                _ => end += 1,
            }
        }
        let name = self.cursor.text(start, end)?;
        if ends_in == Some('(') {
            let parameters = function_parser::parameters(&mut self.cursor, &name, end, self.depth)?;
            self.tokens.push(Token::Function { name, parameters });
        } else {
            self.cursor.position = end;
            self.tokens.push(Token::Property { names: vec![name], quote: '\'' });
        }
        Ok(true)
    }

    /// `['name']`, `['one','two']`, `["name"]`.
    fn quoted_properties(&mut self) -> Read<bool> {
        let quote = self.cursor.next_significant(self.cursor.position);
        if !matches!(quote, '\'' | '"') {
            return Ok(false);
        }
        let mut names = Vec::new();
        let mut start = self.cursor.position + 1;
        let mut end = 0;
        let mut inside = false;
        let mut escaped = false;
        let mut after_comma = false;
        let mut at = start;
        while self.cursor.in_bounds(at) {
            let c = self.cursor.char_at(at)?;
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if matches!(c, ']' | ',') && !inside {
                if after_comma {
                    return Err(PathError::invalid(format!("Found empty property at index {at}")));
                }
                if c == ']' {
                    break;
                }
                after_comma = true;
            } else if c == quote && inside {
                if !matches!(self.cursor.next_significant(at), ']' | ',') {
                    return Err(PathError::invalid(format!(
                        "Property must be separated by comma or Property must be terminated close square \
                         bracket at index {at}"
                    )));
                }
                end = at;
                names.push(unescape(&self.cursor.text(start, end)?)?);
                inside = false;
            } else if c == quote {
                (start, inside, after_comma) = (at + 1, true, false);
            }
            at += 1;
        }
        if inside {
            return Err(PathError::invalid(format!(
                "Property has not been closed - missing closing {quote}"
            )));
        }
        // Jayway 2.8 starts again from the front here and overflows its stack; later versions say
        // this.
        let Some(close) = self.cursor.index_of_next_significant(end, ']')? else {
            return Err(PathError::invalid("Property has not been closed - missing closing ]"));
        };
        self.cursor.position = close + 1;
        if names.is_empty() {
            return Err(PathError::invalid("Empty properties"));
        }
        self.tokens.push(Token::Property { names, quote });
        Ok(true)
    }

    /// `[1]`, `[1,2]`, `[1:]`, `[1:2]`, `[:2]`.
    fn array(&mut self) -> Read<bool> {
        let first = self.cursor.next_significant(self.cursor.position);
        if !first.is_ascii_digit() && !matches!(first, '-' | ':') {
            return Ok(false);
        }
        let begin = self.cursor.position + 1;
        let Some(end) = self.cursor.next_index_of(begin, ']') else { return Ok(false) };
        let text = self.cursor.text(begin, end)?;
        let text = text.trim_matches(|c| c <= ' ');
        if !text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '-' | ':' | ' ')) {
            return Ok(false);
        }
        self.tokens.push(if text.contains(':') { slice(text)? } else { indexes(text)? });
        self.cursor.position = end + 1;
        Ok(true)
    }

    /// `*` or `[*]`.
    fn wildcard(&mut self) -> Read<bool> {
        let position = self.cursor.position;
        if self.cursor.current_is('[')? {
            if self.cursor.next_significant(position) != '*' {
                return Ok(false);
            }
            let star = self.cursor.index_of_next_significant(position, '*')?.unwrap_or(position);
            if self.cursor.next_significant(star) != ']' {
                let offset = star + 1;
                return Err(PathError::invalid(format!(
                    "Expected wildcard token to end with ']' on position {offset}"
                )));
            }
            self.cursor.position = self.cursor.index_of_next_significant(star, ']')?.unwrap_or(star) + 1;
        } else {
            self.cursor.position += 1;
        }
        self.tokens.push(Token::Wildcard);
        Ok(true)
    }

    /// `[?(...)]`.
    fn filter(&mut self) -> Read<bool> {
        let cursor = &self.cursor;
        let open = cursor.position;
        let Some(question) = cursor.index_of_next_significant(open, '?')? else { return Ok(false) };
        let Some(parenthesis) = cursor.index_of_next_significant(question, '(')? else { return Ok(false) };
        let Some(close) = cursor.closing(parenthesis, '(', ')', true)? else { return Ok(false) };
        if cursor.next_significant(close) != ']' {
            return Ok(false);
        }
        let Some(end) = cursor.index_of_next_significant(close, ']')? else { return Ok(false) };
        let expression = filter_parser::compile(&cursor.text(open, end + 1)?, self.depth + 1)?;
        self.tokens.push(Token::Filter(expression));
        self.cursor.position = end + 1;
        Ok(true)
    }

    /// `[?]` takes a filter from a program; here is none.
    fn placeholder(&mut self) -> Read<bool> {
        let cursor = &self.cursor;
        let Some(question) = cursor.index_of_next_significant(cursor.position, '?')? else {
            return Ok(false);
        };
        if !matches!(cursor.next_significant(question), ']' | ',') {
            return Ok(false);
        }
        let begin = cursor.position + 1;
        let Some(end) = cursor.next_index_of(begin, ']') else { return Ok(false) };
        let expression = cursor.text(begin, end)?;
        let position = cursor.position;
        Err(PathError::invalid(format!(
            "Not enough predicates supplied for filter [{expression}] at position {position}"
        )))
    }
}

/// Jayway's `ArraySliceOperation.parse`. A third part is read over.
fn slice(text: &str) -> Read<Token> {
    let wrong = || PathError::invalid(format!("Failed to parse SliceOperation: {text}"));
    if !text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':')) {
        return Err(wrong());
    }
    let mut parts = text.split(':');
    let mut number = || match parts.next() {
        None | Some("") => Ok(None),
        Some(digits) => digits.parse().map(Some).map_err(|_| number_fault(digits)),
    };
    let from = number()?;
    let to = number()?;
    if from.is_none() && to.is_none() {
        return Err(wrong());
    }
    Ok(Token::Slice { from, to })
}

fn number_fault(digits: &str) -> PathError {
    PathError::other(format!("java.lang.NumberFormatException: For input string: \"{digits}\""))
}

/// Jayway's `ArrayIndexOperation.parse`.
fn indexes(text: &str) -> Read<Token> {
    let number = |digits: &str| {
        digits.trim_matches(' ').parse().map_err(|_| {
            PathError::invalid(format!(
                "Failed to parse token in ArrayIndexOperation: {}",
                digits.trim_matches(' ')
            ))
        })
    };
    Ok(Token::Index(text.split(',').map(number).collect::<Read<_>>()?))
}
