//! Compiled paths.

use std::fmt::Write;

use super::PathError;
use super::filter::Expression;
use super::model::Model;

/// A path: its start and its steps.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// `$` the document, `@` the value that a filter looks at.
    pub(super) root: char,
    pub(super) tokens: Vec<Token>,
    /// Whether it can find one value at most.
    pub(super) definite: bool,
    /// For each token: whether all before it are definite.
    pub(super) upstream_definite: Vec<bool>,
}

/// A step of a path.
#[derive(Clone, Debug)]
pub(super) enum Token {
    /// One property or several, with the quote they were written in.
    Property { names: Vec<String>, quote: char },
    /// `*`.
    Wildcard,
    /// `..`.
    Scan,
    /// `[0]`, `[0,1]`, `[-1]`.
    Index(Vec<i32>),
    /// `[from:to]`; one of the two is there.
    Slice { from: Option<i32>, to: Option<i32> },
    /// `[?(...)]`.
    Filter(Expression),
    /// `.name(...)`.
    Function { name: String, parameters: Vec<Parameter> },
}

/// An argument of a function.
#[derive(Clone, Debug)]
pub(super) enum Parameter {
    /// A JSON text, read when the function runs.
    Json(String),
    /// A path, read on the document.
    Path(Path),
}

impl Path {
    pub(super) fn new(root: char, tokens: Vec<Token>) -> Self {
        let (root, tokens) = turn_scan_into_parameter(root, tokens);
        let mut upstream_definite = Vec::with_capacity(tokens.len());
        let mut definite = true;
        for (i, token) in tokens.iter().enumerate() {
            upstream_definite.push(definite);
            definite &= token.is_definite(i + 1 == tokens.len());
        }
        Self { root, tokens, definite, upstream_definite }
    }

    /// Whether a token is the last one.
    pub(super) fn is_leaf(&self, at: usize) -> bool {
        at + 1 == self.tokens.len()
    }

    /// Whether a token is definite in its position.
    pub(super) fn is_token_definite(&self, at: usize) -> bool {
        self.tokens[at].is_definite(self.is_leaf(at))
    }

    pub(super) fn ends_in_function(&self) -> bool {
        matches!(self.tokens.last(), Some(Token::Function { .. }))
    }

    /// The tokens from one on as Jayway writes them.
    pub(super) fn text_from(&self, at: usize) -> String {
        self.tokens[at..].iter().map(Token::fragment).collect()
    }

    /// The place before a token, as definite paths have it.
    pub(super) fn place_before(&self, at: usize) -> String {
        let mut place = self.root.to_string();
        for token in &self.tokens[..at] {
            match token {
                Token::Property { names, .. } => {
                    for name in names {
                        write!(place, "['{name}']").expect("writing to a String cannot fail");
                    }
                }
                Token::Function { .. } => {}
                other => place.push_str(&other.fragment()),
            }
        }
        place
    }

    /// What a path that only names members leads to from a value, if it is there; none for others.
    #[expect(clippy::option_option, reason = "the outer one says whether the path is such a path")]
    #[inline]
    pub(super) fn follow_names<'m, 'd: 'm, M: Model<'m, 'd>>(&self, start: M) -> Option<Option<M>> {
        let mut value = Some(start);
        for token in &self.tokens {
            let Token::Property { names, .. } = token else { return None };
            let [name] = &names[..] else { return None };
            value = value.and_then(|value| value.get(name));
        }
        Some(value)
    }

    /// Whether a step is a function.
    pub(super) fn has_functions(&self) -> bool {
        self.tokens.iter().any(|token| matches!(token, Token::Function { .. }))
    }

    pub(super) fn is_simple(&self) -> bool {
        let costly = |token: &&Token| matches!(token, Token::Filter(_) | Token::Function { .. });
        let scans = self.tokens.iter().filter(|token| matches!(token, Token::Scan)).count();
        let spreads =
            self.tokens.iter().filter(|token| matches!(token, Token::Index(all) if all.len() > 1)).count();
        !self.tokens.iter().any(|token| costly(&token)) && scans <= 1 && spreads == 0
    }

    pub(super) fn no_results(&self) -> PathError {
        PathError::not_found(format!("No results for path: {}{}", self.root, self.text_from(0)))
    }
}

/// `$..path.function()` means `$.function($..path)`.
fn turn_scan_into_parameter(root: char, mut tokens: Vec<Token>) -> (char, Vec<Token>) {
    let is_function = |token: &Token| matches!(token, Token::Function { .. });
    let starts_with_scan = matches!(tokens.first(), Some(Token::Scan));
    if !starts_with_scan || !tokens.last().is_some_and(is_function) {
        return (root, tokens);
    }
    let first = tokens.iter().position(is_function).unwrap_or_default();
    let mut functions = tokens.split_off(first);
    if let Some(Token::Function { parameters, .. }) = functions.first_mut() {
        *parameters = vec![Parameter::Path(Path::new(root, tokens))];
    }
    ('$', functions)
}

impl Token {
    fn is_definite(&self, leaf: bool) -> bool {
        match self {
            // Several properties at the end are merged into one object.
            Self::Property { names, .. } => leaf || names.len() == 1,
            Self::Index(indexes) => indexes.len() == 1,
            Self::Function { .. } => true,
            Self::Wildcard | Self::Scan | Self::Slice { .. } | Self::Filter(_) => false,
        }
    }

    /// The token as Jayway writes it in messages (`PathToken.getPathFragment`).
    pub(super) fn fragment(&self) -> String {
        let number = |number: &Option<i32>| number.map_or_else(String::new, |number| number.to_string());
        match self {
            Self::Property { names, quote } => {
                let quoted: Vec<_> = names.iter().map(|name| format!("{quote}{name}{quote}")).collect();
                format!("[{}]", quoted.join(","))
            }
            Self::Wildcard => "[*]".into(),
            Self::Scan => "..".into(),
            Self::Index(indexes) => {
                let indexes: Vec<_> = indexes.iter().map(ToString::to_string).collect();
                format!("[{}]", indexes.join(","))
            }
            Self::Slice { from, to } => format!("[{}:{}]", number(from), number(to)),
            Self::Filter(_) => "[?]".into(),
            Self::Function { name, parameters } => {
                format!(".{name}{}", if parameters.is_empty() { "()" } else { "(...)" })
            }
        }
    }
}
