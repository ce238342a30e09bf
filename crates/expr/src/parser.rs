//! The grammar of `${...}` (JMeter's `FunctionParser`, including its special cases).

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::arguments::Args;
use crate::foreign::ForeignFunction;
use crate::function::Call;
use crate::function_table::{CallText, Entry, FunctionTable, Implementation, NEEDS_SCRIPT, expected};
use crate::level::Level;
use crate::nearest::meant_as_function;
use crate::outside_calls::{ForeignCall, RemoteFunctionCall};
use crate::remote::RemoteFunctions;
use crate::scope::Scope;
use crate::template::{Piece, Template, Variable};
use crate::trim::trim;

/// Arguments within arguments within … : more than anyone writes, less than the stack holds.
const MAX_DEPTH: u32 = 50;

/// A text that makes JMeter refuse the plan (`InvalidVariableException`, "Error occurred compiling
/// the tree"). The reason is already recorded as a problem.
#[derive(Debug)]
pub(crate) struct InvalidText;

/// Parses a text to pieces. Escapes before `$`, `,` and `\` are removed.
pub(crate) fn parse(
    text: &str,
    scope: &Scope<'_>,
    functions: &FunctionTable,
) -> Result<Vec<Piece>, InvalidText> {
    Parser { scope, functions, depth: 0 }.text(text)
}

/// JMeter's `CompoundVariable.hasFunction`: the text is more than one plain text. An unclosed `${`
/// inside a text counts, as it does there.
pub(crate) fn has_reference(pieces: &[Piece]) -> bool {
    pieces.len() > 1 || !matches!(pieces.first(), Some(Piece::Text(_)) | None)
}

/// A function that a text calls.
enum FunctionTarget {
    /// One of Swell's own.
    Own(&'static Entry),
    /// One that another crate brought.
    Foreign(Arc<dyn ForeignFunction>),
    /// One of that name that something else answers.
    Remote(Arc<dyn RemoteFunctions>, String),
}

struct Parser<'s, 'c> {
    scope: &'s Scope<'c>,
    functions: &'s FunctionTable,
    depth: u32,
}

/// A reading position (Java's `StringReader`).
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl Cursor<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// The character after a backslash; at the end of the text Java reads nothing and sees the
    /// backslash again.
    fn escaped(&mut self) -> char {
        self.next().unwrap_or('\\')
    }

    /// The first character that is not a space by `Character.isSpaceChar`, which excludes line ends
    /// and tabs.
    fn first_non_space(&mut self) -> Option<char> {
        loop {
            let c = self.next()?;
            if !is_space_char(c) {
                return Some(c);
            }
        }
    }
}

fn is_space_char(c: char) -> bool {
    matches!(
        c,
        ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

impl Parser<'_, '_> {
    fn text(&self, text: &str) -> Result<Vec<Piece>, InvalidText> {
        let mut cursor = Cursor { text, at: 0 };
        let mut pieces = Vec::new();
        let mut buffer = String::new();
        let mut previous = ' ';
        while let Some(c) = cursor.next() {
            if c == '\\' {
                let escaped = cursor.escaped();
                // The comma counts, because arguments are parsed here too.
                if !matches!(escaped, '$' | ',' | '\\') {
                    buffer.push('\\');
                }
                buffer.push(escaped);
                previous = ' ';
            } else if c == '{' && previous == '$' {
                buffer.pop();
                if !buffer.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut buffer).into()));
                }
                pieces.push(self.reference(&mut cursor)?);
                previous = ' ';
            } else {
                buffer.push(c);
                previous = c;
            }
        }
        if !buffer.is_empty() {
            pieces.push(Piece::Text(buffer.into()));
        }
        Ok(pieces)
    }

    /// What follows `${`: a function call, a variable, or, without a `}`, just text.
    fn reference(&self, cursor: &mut Cursor<'_>) -> Result<Piece, InvalidText> {
        let start = cursor.at - "${".len();
        let mut name = String::new();
        let mut previous = ' ';
        while let Some(c) = cursor.next() {
            if c == '\\' {
                name.push(cursor.escaped());
                previous = ' ';
            } else if c == '(' && previous != ' ' {
                match self.find(trim(&name)) {
                    Some(called) => return self.call_with_arguments(&called, cursor, start),
                    None => name.push('('),
                }
            } else if c == '}' {
                return match self.find(&name) {
                    Some(called) => self.call(&called, Vec::new(), &cursor.text[start..cursor.at]),
                    None => Ok(self.variable(&name)),
                };
            } else {
                name.push(c);
                previous = c;
            }
        }
        self.scope.problem(
            Level::Warn,
            format!("`{}` has no closing `}}` and is used as text", &cursor.text[start..]),
            Some(r"close it, or write `\${` if no reference is meant".to_owned()),
        );
        Ok(Piece::Text(name.into()))
    }

    fn call_with_arguments(
        &self,
        called: &FunctionTarget,
        cursor: &mut Cursor<'_>,
        start: usize,
    ) -> Result<Piece, InvalidText> {
        let arguments = self.arguments(cursor)?;
        let end = cursor.at;
        let closed = cursor.first_non_space() == Some('}');
        let piece = self.call(called, arguments, &cursor.text[start..cursor.at])?;
        if closed {
            return Ok(piece);
        }
        let message = format!("`}}` is missing after `{}`", &cursor.text[start..end]);
        self.refuse(message, "a call ends with `)}`")
    }

    fn find(&self, name: &str) -> Option<FunctionTarget> {
        let foreign = || self.scope.foreign(name).map(FunctionTarget::Foreign);
        self.functions.find(name).map(FunctionTarget::Own).or_else(foreign).or_else(|| self.find_remote(name))
    }

    /// A text that is built during the test cannot await the answer.
    fn find_remote(&self, name: &str) -> Option<FunctionTarget> {
        if !name.starts_with("__") || name.starts_with("__jm__") || self.scope.is_live() {
            return None;
        }
        let remote = self.scope.remote().filter(|remote| remote.missing().is_none())?;
        remote.knows(name).then(|| FunctionTarget::Remote(remote, name.to_owned()))
    }

    fn call(
        &self,
        called: &FunctionTarget,
        arguments: Vec<Template>,
        source: &str,
    ) -> Result<Piece, InvalidText> {
        match called {
            FunctionTarget::Own(entry) => self.own_call(entry, arguments, source),
            FunctionTarget::Foreign(function) => self.foreign_call(function, arguments),
            FunctionTarget::Remote(remote, name) => self.remote_call(remote, name, arguments),
        }
    }

    fn foreign_call(
        &self,
        function: &Arc<dyn ForeignFunction>,
        arguments: Vec<Template>,
    ) -> Result<Piece, InvalidText> {
        let (least, most) = function.arguments();
        let count = arguments.len();
        let most = most.unwrap_or(usize::MAX);
        if count < least || count > most {
            let message = format!("`{}` called with wrong number of parameters: {count}", function.name());
            return self.refuse(message, &format!("it takes {}", expected(least, most)));
        }
        let name: Cow<'static, str> = function.name().to_owned().into();
        let key = self.scope.call_key(&name);
        let function = Box::new(ForeignCall { function: function.clone(), arguments });
        Ok(Piece::Call(Rc::new(Call { name, key, function })))
    }

    fn remote_call(
        &self,
        remote: &Arc<dyn RemoteFunctions>,
        name: &str,
        arguments: Vec<Template>,
    ) -> Result<Piece, InvalidText> {
        match self.scope.remote_function(remote.clone(), name, arguments.len()) {
            Ok(function) => {
                let key = self.scope.call_key(name);
                let function = RemoteFunctionCall { function, arguments };
                Ok(Piece::Call(Rc::new(Call {
                    name: name.to_owned().into(),
                    key,
                    function: Box::new(function),
                })))
            }
            Err(reason) => {
                self.refuse(format!("invalid call of `{name}`: {reason}"), "see its documentation")
            }
        }
    }

    fn own_call(&self, entry: &Entry, arguments: Vec<Template>, source: &str) -> Result<Piece, InvalidText> {
        let count = arguments.len();
        if count < entry.min || count > entry.max {
            let message = format!("`{}` called with wrong number of parameters: {count}", entry.name);
            return self.refuse(message, &format!("it takes {}", entry.expected()));
        }
        match entry.kind {
            Implementation::Native(make) => {
                let key = self.scope.call_key(entry.name);
                let function = make(&mut Args::new(arguments), self.scope);
                Ok(Piece::Call(Rc::new(Call { name: entry.name.into(), key, function })))
            }
            Implementation::Script(make) => {
                let key = self.scope.call_key(entry.name);
                let call = CallText { name: entry.name, source };
                match make(&call, &mut Args::new(arguments), self.scope) {
                    Ok(function) => Ok(Piece::Call(Rc::new(Call { name: entry.name.into(), key, function }))),
                    Err(reason) => {
                        let message = format!("`{}` {NEEDS_SCRIPT}: {reason}", entry.name);
                        Ok(self.elsewhere(message, source))
                    }
                }
            }
        }
    }

    /// A call that does not run here.
    fn elsewhere(&self, message: String, source: &str) -> Piece {
        let missing = self.scope.remote().and_then(|remote| remote.missing());
        let hint = missing.unwrap_or_else(|| "the call is left unchanged in the text".to_owned());
        self.scope.problem(Level::Error, message, Some(hint));
        Piece::Text(source.into())
    }

    fn refuse<T>(&self, message: String, hint: &str) -> Result<T, InvalidText> {
        self.scope.problem(Level::Error, message, Some(hint.to_owned()));
        Err(InvalidText)
    }

    fn variable(&self, name: &str) -> Piece {
        if let Some(unknown) = meant_as_function(name, self.functions) {
            let others = || "Swell does not support functions of other plug-ins".to_owned();
            let hint = Some(unknown.nearest.map_or_else(others, |known| format!("did you mean `{known}`?")));
            let taken = "it is read as a variable, and left unchanged if there is no such variable";
            let message = format!("unknown function `{}`: {taken}", unknown.name);
            self.scope.problem(Level::Warn, message, hint);
        }
        Piece::Variable(Variable::new(name, self.scope.place(name)))
    }

    /// The arguments after `(`, up to the `)` that closes it.
    fn arguments(&self, cursor: &mut Cursor<'_>) -> Result<Vec<Template>, InvalidText> {
        let mut found = Vec::new();
        let mut buffer = String::new();
        let mut previous = ' ';
        let mut braces = 0_u32;
        let mut parens = 0_u32;
        while let Some(c) = cursor.next() {
            match c {
                '\\' => {
                    // Kept with its character: the argument is parsed again as a text.
                    buffer.push('\\');
                    buffer.push(cursor.escaped());
                    previous = ' ';
                    continue;
                }
                ',' if braces == 0 => {
                    // `previous` stays, as in JMeter.
                    found.push(self.argument(&std::mem::take(&mut buffer))?);
                    continue;
                }
                ')' if braces == 0 && parens == 0 => {
                    // `f()` has no argument rather than an empty one.
                    if !(buffer.is_empty() && found.is_empty()) {
                        found.push(self.argument(&buffer)?);
                    }
                    return Ok(found);
                }
                '{' if previous == '$' => braces += 1,
                '}' if braces > 0 => braces -= 1,
                ')' if braces == 0 => parens -= 1,
                '(' if braces == 0 => parens += 1,
                _ => {}
            }
            buffer.push(c);
            previous = c;
        }
        found.push(self.argument(&buffer)?);
        Ok(found)
    }

    fn argument(&self, text: &str) -> Result<Template, InvalidText> {
        if self.depth == MAX_DEPTH {
            let message = format!("calls are nested more than {MAX_DEPTH} deep");
            return self.refuse(message, "store the inner part in a variable");
        }
        let inner = Parser { depth: self.depth + 1, ..*self };
        inner.text(text).map(Template::from_pieces)
    }
}
