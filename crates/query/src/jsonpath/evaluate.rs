//! Evaluates a path on a document (Jayway's path tokens and `EvaluationContextImpl`).

use std::borrow::Cow;

use swell_budget::{Budget, Exceeded};

use crate::json::Json;

use super::path::{Path, Token};
use super::{PathError, filter, functions};

/// What a look at a value costs, in units of work.
const LOOK: u64 = 20;

/// What a value takes, bytes.
const VALUE: usize = 48;

/// The document, and the budget for evaluating a path on it.
#[derive(Clone, Copy)]
pub(super) struct Root<'m, 'd> {
    pub(super) value: &'m Json<'d>,
    pub(super) budget: &'m Budget,
}

impl Root<'_, '_> {
    fn look(self) -> Step {
        self.budget.work(LOOK).map_err(given_up)
    }

    /// Counts a value that is to be copied.
    fn copy(self, value: &Json<'_>) -> Step {
        let weight = value.weight();
        self.budget.work(LOOK.saturating_mul(weight as u64)).map_err(given_up)?;
        self.budget.hold(weight.saturating_mul(VALUE)).map_err(given_up)
    }
}

fn given_up(why: Exceeded) -> PathError {
    PathError::other(format!("reading the path was stopped: {why}"))
}

/// What a path finds, in order. `require` makes missing properties an error
/// (`Option.REQUIRE_PROPERTIES`).
pub(super) fn results<'m, 'd>(
    path: &Path,
    start: &'m Json<'d>,
    root: Root<'m, 'd>,
    require: bool,
) -> Result<Vec<Cow<'m, Json<'d>>>, PathError> {
    let mut walk =
        Walk { path, root, require, found: Vec::new(), array_index: vec![None; path.tokens.len()] };
    if path.tokens.is_empty() {
        walk.found.push(Cow::Borrowed(start));
    } else {
        walk.token(0, start)?;
    }
    Ok(walk.found)
}

/// What a definite path finds last, or the array of what an indefinite one finds.
pub(super) fn value_of<'m, 'd>(
    path: &Path,
    start: &'m Json<'d>,
    root: Root<'m, 'd>,
    require: bool,
) -> Result<Cow<'m, Json<'d>>, PathError> {
    let found = results(path, start, root, require)?;
    value_of_results(path, found, root)
}

pub(super) fn value_of_results<'m, 'd>(
    path: &Path,
    mut found: Vec<Cow<'m, Json<'d>>>,
    root: Root<'_, '_>,
) -> Result<Cow<'m, Json<'d>>, PathError> {
    if path.definite {
        return found.pop().ok_or_else(|| path.no_results());
    }
    for value in &found {
        if matches!(value, Cow::Borrowed(_)) {
            root.copy(value)?;
        }
    }
    Ok(Cow::Owned(Json::Array(found.into_iter().map(Cow::into_owned).collect())))
}

struct Walk<'p, 'm, 'd> {
    path: &'p Path,
    root: Root<'m, 'd>,
    require: bool,
    found: Vec<Cow<'m, Json<'d>>>,
    /// For each token, the index of the array element that a deep scan gave it last.
    array_index: Vec<Option<usize>>,
}

pub(super) type Step = Result<(), PathError>;

impl<'m, 'd> Walk<'_, 'm, 'd> {
    fn token(&mut self, at: usize, model: &'m Json<'d>) -> Step {
        let path = self.path;
        match &path.tokens[at] {
            Token::Property { names, .. } => self.properties(at, names, model),
            Token::Wildcard => self.wildcard(at, model),
            Token::Scan => self.scan(at, model),
            Token::Index(indexes) => match self.array(at, model)? {
                None => Ok(()),
                Some(members) => {
                    indexes.iter().try_for_each(|index| self.index(at, i64::from(*index), members))
                }
            },
            Token::Slice { from, to } => match self.array(at, model)? {
                None => Ok(()),
                Some(members) => self.slice(at, *from, *to, members),
            },
            Token::Filter(expression) => self.filter(at, expression, model),
            Token::Function { name, parameters } => {
                let value = functions::call(name, parameters, model, self.root)?;
                self.function_value(at, value)
            }
        }
    }

    /// A value computed by a function is found, and the rest of the path continues from it.
    fn function_value(&mut self, at: usize, value: Json<'d>) -> Step {
        if self.path.is_leaf(at) {
            self.found.push(Cow::Owned(value));
            return Ok(());
        }
        let mut rest = Walk {
            path: self.path,
            root: self.root,
            require: self.require,
            found: Vec::new(),
            array_index: vec![None; self.path.tokens.len()],
        };
        rest.follow(at + 1, &value)?;
        let found: Vec<Json<'d>> = rest.found.into_iter().map(Cow::into_owned).collect();
        self.found.push(Cow::Owned(value));
        self.found.extend(found.into_iter().map(Cow::Owned));
        Ok(())
    }

    /// The same value as [`Self::token`]; a separate step, so that it can continue from a
    /// shorter-lived value.
    fn follow(&mut self, at: usize, model: &'m Json<'d>) -> Step {
        self.token(at, model)
    }

    fn found_or_next(&mut self, at: usize, value: &'m Json<'d>) -> Step {
        self.root.look()?;
        if !self.path.is_leaf(at) {
            return self.token(at + 1, value);
        }
        self.root.budget.hold(size_of::<Cow<'_, Json<'_>>>()).map_err(given_up)?;
        self.found.push(Cow::Borrowed(value));
        Ok(())
    }

    fn properties(&mut self, at: usize, names: &[String], model: &'m Json<'d>) -> Step {
        let Json::Object(members) = model else {
            if !self.path.upstream_definite[at] {
                return Ok(());
            }
            return Err(PathError::not_found(format!(
                "Expected to find an object with property {} in path {} but found '{}'. This is not a json object \
                 according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JsonSmartJsonProvider'.",
                self.path.tokens[at].fragment(),
                self.path.place_before(at),
                model.class_name()
            )));
        };
        if names.len() == 1 || !self.path.is_leaf(at) {
            return names.iter().try_for_each(|name| self.property(at, name, model));
        }
        let mut merged = Vec::with_capacity(names.len());
        for name in names {
            match members.iter().find(|(key, _)| key == name) {
                Some((key, value)) => Json::set(&mut merged, key.clone(), value.clone()),
                None if self.require => {
                    return Err(PathError::not_found(format!(
                        "Missing property in path {}",
                        self.path.place_before(at)
                    )));
                }
                None => {}
            }
        }
        self.found.push(Cow::Owned(Json::Object(merged)));
        Ok(())
    }

    fn property(&mut self, at: usize, name: &str, model: &'m Json<'d>) -> Step {
        let Some(value) = model.get(name) else {
            let leaf = self.path.is_leaf(at);
            let definite = self.path.upstream_definite[at] && self.path.is_token_definite(at);
            if !self.require && (leaf || !definite) {
                return Ok(());
            }
            let problem = if leaf { "No results for path:" } else { "Missing property in path" };
            return Err(PathError::not_found(format!("{problem} {}['{name}']", self.path.place_before(at))));
        };
        self.property_value(at, value)
    }

    /// A property's value is found, or the path continues from it. Where a deep scan came through
    /// an array, it counts only if the path asks for just that index.
    fn property_value(&mut self, at: usize, value: &'m Json<'d>) -> Step {
        let came_through = self.array_index[at];
        if !self.path.is_leaf(at) || came_through.is_none_or(|index| self.asks_for(at, index)) {
            return self.found_or_next(at, value);
        }
        Ok(())
    }

    fn asks_for(&self, at: usize, index: usize) -> bool {
        match at.checked_sub(1).map(|before| &self.path.tokens[before]) {
            Some(Token::Index(indexes)) => indexes.len() == 1 && i64::from(indexes[0]) == index as i64,
            _ => false,
        }
    }

    fn wildcard(&mut self, at: usize, model: &'m Json<'d>) -> Step {
        match model {
            Json::Object(members) => members.iter().try_for_each(|(_, value)| self.property_value(at, value)),
            Json::Array(members) => {
                for member in members {
                    match self.found_or_next(at, member) {
                        Err(fault) if fault.kind == super::PathErrorKind::NotFound && !self.require => {}
                        other => other?,
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The members of an array; `None` if the path continues elsewhere, an error if an array is
    /// required.
    fn array(&self, at: usize, model: &'m Json<'d>) -> Result<Option<&'m [Json<'d>]>, PathError> {
        match model {
            Json::Array(members) => Ok(Some(members)),
            _ if !self.path.upstream_definite[at] => Ok(None),
            Json::Null => {
                Err(PathError::not_found(format!("The path {} is null", self.path.place_before(at))))
            }
            other => Err(PathError::not_found(format!(
                "Filter: {} can only be applied to arrays. Current context is: {}",
                self.path.text_from(at),
                other.java_text()
            ))),
        }
    }

    fn index(&mut self, at: usize, index: i64, members: &'m [Json<'d>]) -> Step {
        let index = if index < 0 { members.len() as i64 + index } else { index };
        match usize::try_from(index).ok().and_then(|index| members.get(index)) {
            Some(member) => self.found_or_next(at, member),
            None => Ok(()),
        }
    }

    fn slice(&mut self, at: usize, from: Option<i32>, to: Option<i32>, members: &'m [Json<'d>]) -> Step {
        let length = members.len() as i64;
        let from_end = |index: i64| if index < 0 { length + index } else { index };
        let (from, to) = match (from.map(i64::from), to.map(i64::from)) {
            (Some(from), Some(to)) => (from, to.min(length)),
            (Some(from), None) => (from_end(from).max(0), length),
            (None, to) => (0, from_end(to.unwrap_or(length)).min(length)),
        };
        // Between two bounds a negative start counts from the end, element by element.
        (from.max(-length)..to).try_for_each(|index| self.index(at, index, members))
    }

    fn filter(&mut self, at: usize, expression: &filter::Expression, model: &'m Json<'d>) -> Step {
        match model {
            Json::Object(_) => {
                let accepted = filter::accepts(expression, model, self.root, self.require)?;
                return if accepted { self.found_or_next(at, model) } else { Ok(()) };
            }
            Json::Array(members) => {
                for member in members {
                    if filter::accepts(expression, member, self.root, self.require)? {
                        self.found_or_next(at, member)?;
                    }
                }
            }
            other if self.path.upstream_definite[at] => {
                return Err(PathError::invalid(format!(
                    "Filter: {} can not be applied to primitives. Current context is: {}",
                    self.path.text_from(at),
                    other.java_text()
                )));
            }
            _ => {}
        }
        Ok(())
    }

    fn scan(&mut self, at: usize, model: &'m Json<'d>) -> Step {
        if self.path.is_leaf(at) {
            return Err(PathError::other("Current path token is a leaf"));
        }
        self.scan_below(at + 1, model)
    }

    /// Looks with a token at a value and at all below it.
    fn scan_below(&mut self, at: usize, model: &'m Json<'d>) -> Step {
        self.root.look()?;
        match model {
            Json::Object(members) => {
                if self.is_wanted(at, model)? {
                    self.token(at, model)?;
                }
                members.iter().try_for_each(|(_, value)| self.scan_below(at, value))
            }
            Json::Array(members) => {
                if self.is_wanted(at, model)? {
                    self.scan_array(at, model, members)?;
                }
                members.iter().try_for_each(|member| self.scan_below(at, member))
            }
            _ => Ok(()),
        }
    }

    fn scan_array(&mut self, at: usize, model: &'m Json<'d>, members: &'m [Json<'d>]) -> Step {
        if self.path.is_leaf(at) {
            return self.token(at, model);
        }
        for (index, member) in members.iter().enumerate() {
            self.root.look()?;
            self.array_index[at + 1] = Some(index);
            self.token(at + 1, member)?;
        }
        Ok(())
    }

    /// Whether a deep scan asks its token about a value.
    fn is_wanted(&self, at: usize, model: &'m Json<'d>) -> Result<bool, PathError> {
        Ok(match &self.path.tokens[at] {
            Token::Property { names, .. } => match model {
                Json::Object(_) if !self.path.is_token_definite(at) => true,
                Json::Object(_) => names.iter().all(|name| model.get(name).is_some()),
                _ => false,
            },
            Token::Index(_) | Token::Slice { .. } => matches!(model, Json::Array(_)),
            Token::Wildcard => true,
            Token::Filter(expression) => filter::accepts(expression, model, self.root, self.require)?,
            Token::Scan | Token::Function { .. } => false,
        })
    }
}
