//! Evaluates a path on a document (Jayway's path tokens and `EvaluationContextImpl`).

use std::borrow::Cow;

use swell_budget::{Budget, Exceeded};

use crate::json::Json;

use super::model::{Found, Model, Shape};
use super::path::{Path, Token};
use super::{PathError, filter, functions};

/// What a look at a value costs, in units of work.
const LOOK: u64 = 20;

/// What a value takes, bytes.
const VALUE: usize = 48;

/// The document, and the budget for evaluating a path on it.
#[derive(Clone, Copy)]
pub(super) struct Root<'m, M> {
    pub(super) value: M,
    pub(super) budget: &'m Budget,
}

impl<'m, M> Root<'m, M> {
    pub(super) fn look(&self) -> Step {
        self.budget.work(LOOK).map_err(given_up)
    }

    /// Counts a value that is to be copied.
    fn copy<'d: 'm>(&self, value: M) -> Step
    where
        M: Model<'m, 'd>,
    {
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
pub(super) fn results<'m, 'd: 'm, M: Model<'m, 'd>>(
    path: &Path,
    start: M,
    root: Root<'m, M>,
    require: bool,
) -> Result<Vec<Found<'d, M>>, PathError> {
    let mut walk =
        Walk { path, root, require, found: Vec::new(), array_index: vec![None; path.tokens.len()] };
    if path.tokens.is_empty() {
        walk.found.push(Found::There(start));
    } else {
        walk.token(0, start)?;
    }
    Ok(walk.found)
}

/// What a definite path finds last, or the array of what an indefinite one finds.
pub(super) fn value_of<'m, 'd: 'm, M: Model<'m, 'd>>(
    path: &Path,
    start: M,
    root: Root<'m, M>,
    require: bool,
) -> Result<Found<'d, M>, PathError> {
    let found = results(path, start, root, require)?;
    value_of_results(path, found, root)
}

pub(super) fn value_of_results<'m, 'd: 'm, M: Model<'m, 'd>>(
    path: &Path,
    mut found: Vec<Found<'d, M>>,
    root: Root<'m, M>,
) -> Result<Found<'d, M>, PathError> {
    if path.definite {
        return found.pop().ok_or_else(|| path.no_results());
    }
    for value in &found {
        if let Found::There(value) = value {
            root.copy(*value)?;
        }
    }
    Ok(Found::Made(Json::Array(found.into_iter().map(|value| value.json().into_owned()).collect())))
}

struct Walk<'p, 'm, 'd, M> {
    path: &'p Path,
    root: Root<'m, M>,
    require: bool,
    found: Vec<Found<'d, M>>,
    /// For each token, the index of the array element that a deep scan gave it last.
    array_index: Vec<Option<usize>>,
}

pub(super) type Step = Result<(), PathError>;

impl<'m, 'd: 'm, M: Model<'m, 'd>> Walk<'_, 'm, 'd, M> {
    fn token(&mut self, at: usize, model: M) -> Step {
        let path = self.path;
        match &path.tokens[at] {
            Token::Property { names, .. } => self.properties(at, names, model),
            Token::Wildcard => self.wildcard(at, model),
            Token::Scan => self.scan(at, model),
            Token::Index(indexes) => {
                if self.is_array(at, model)? {
                    indexes.iter().try_for_each(|index| self.index(at, i64::from(*index), model))?;
                }
                Ok(())
            }
            Token::Slice { from, to } => {
                if self.is_array(at, model)? {
                    self.slice(at, *from, *to, model)?;
                }
                Ok(())
            }
            Token::Filter(expression) => self.filter(at, expression, model),
            Token::Function { name, parameters } => {
                let value = functions::call(name, parameters, &model.json(), self.root)?;
                self.function_value(at, value)
            }
        }
    }

    /// A value computed by a function is found, and the rest of the path continues from it.
    fn function_value(&mut self, at: usize, value: Json<'d>) -> Step {
        if self.path.is_leaf(at) {
            self.found.push(Found::Made(value));
            return Ok(());
        }
        let document = self.root.value.json();
        let mut rest = Walk {
            path: self.path,
            root: Root { value: &*document, budget: self.root.budget },
            require: self.require,
            found: Vec::new(),
            array_index: vec![None; self.path.tokens.len()],
        };
        rest.token(at + 1, &value)?;
        let found: Vec<Json<'d>> = rest.found.into_iter().map(|found| found.json().into_owned()).collect();
        self.found.push(Found::Made(value));
        self.found.extend(found.into_iter().map(Found::Made));
        Ok(())
    }

    fn found_or_next(&mut self, at: usize, value: M) -> Step {
        self.root.look()?;
        if !self.path.is_leaf(at) {
            return self.token(at + 1, value);
        }
        self.root.budget.hold(size_of::<Cow<'_, Json<'_>>>()).map_err(given_up)?;
        self.found.push(Found::There(value));
        Ok(())
    }

    fn properties(&mut self, at: usize, names: &[String], model: M) -> Step {
        if model.shape() != Shape::Object {
            if !self.path.upstream_definite[at] {
                return Ok(());
            }
            return Err(PathError::not_found(format!(
                "Expected to find an object with property {} in path {} but found '{}'. This is not a json object \
                 according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JsonSmartJsonProvider'.",
                self.path.tokens[at].fragment(),
                self.path.place_before(at),
                model.json().class_name()
            )));
        }
        if names.len() == 1 || !self.path.is_leaf(at) {
            return names.iter().try_for_each(|name| self.property(at, name, model));
        }
        let mut merged = Vec::with_capacity(names.len());
        for name in names {
            match model.get(name) {
                Some(value) => {
                    Json::set(&mut merged, Cow::Owned(name.clone()), value.json().into_owned());
                }
                None if self.require => {
                    return Err(PathError::not_found(format!(
                        "Missing property in path {}",
                        self.path.place_before(at)
                    )));
                }
                None => {}
            }
        }
        self.found.push(Found::Made(Json::Object(merged)));
        Ok(())
    }

    fn property(&mut self, at: usize, name: &str, model: M) -> Step {
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
    fn property_value(&mut self, at: usize, value: M) -> Step {
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

    fn wildcard(&mut self, at: usize, model: M) -> Step {
        if model.shape() == Shape::Object {
            return model.values().try_for_each(|value| self.property_value(at, value));
        }
        for member in model.values() {
            match self.found_or_next(at, member) {
                Err(fault) if fault.kind == super::PathErrorKind::NotFound && !self.require => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// Whether a value is an array; if not, the path continues elsewhere, or it is an error where
    /// an array is required.
    fn is_array(&self, at: usize, model: M) -> Result<bool, PathError> {
        match model.shape() {
            Shape::Array => Ok(true),
            _ if !self.path.upstream_definite[at] => Ok(false),
            Shape::Null => {
                Err(PathError::not_found(format!("The path {} is null", self.path.place_before(at))))
            }
            _ => Err(PathError::not_found(format!(
                "Filter: {} can only be applied to arrays. Current context is: {}",
                self.path.text_from(at),
                model.json().java_text()
            ))),
        }
    }

    fn index(&mut self, at: usize, index: i64, model: M) -> Step {
        let index = if index < 0 { model.values().count() as i64 + index } else { index };
        match usize::try_from(index).ok().and_then(|index| model.element(index)) {
            Some(member) => self.found_or_next(at, member),
            None => Ok(()),
        }
    }

    fn slice(&mut self, at: usize, from: Option<i32>, to: Option<i32>, model: M) -> Step {
        let members: Vec<M> = model.values().collect();
        let length = members.len() as i64;
        let from_end = |index: i64| if index < 0 { length + index } else { index };
        let (from, to) = match (from.map(i64::from), to.map(i64::from)) {
            (Some(from), Some(to)) => (from, to.min(length)),
            (Some(from), None) => (from_end(from).max(0), length),
            (None, to) => (0, from_end(to.unwrap_or(length)).min(length)),
        };
        // Between two bounds a negative start counts from the end, element by element.
        for index in from.max(-length)..to {
            let member = usize::try_from(from_end(index)).ok().and_then(|index| members.get(index));
            if let Some(member) = member {
                self.found_or_next(at, *member)?;
            }
        }
        Ok(())
    }

    fn filter(&mut self, at: usize, expression: &filter::Expression, model: M) -> Step {
        match model.shape() {
            Shape::Object => {
                let accepted = filter::accepts(expression, model, self.root, self.require)?;
                return if accepted { self.found_or_next(at, model) } else { Ok(()) };
            }
            Shape::Array => {
                for member in model.values() {
                    if filter::accepts(expression, member, self.root, self.require)? {
                        self.found_or_next(at, member)?;
                    }
                }
            }
            _ if self.path.upstream_definite[at] => {
                return Err(PathError::invalid(format!(
                    "Filter: {} can not be applied to primitives. Current context is: {}",
                    self.path.text_from(at),
                    model.json().java_text()
                )));
            }
            _ => {}
        }
        Ok(())
    }

    fn scan(&mut self, at: usize, model: M) -> Step {
        if self.path.is_leaf(at) {
            return Err(PathError::other("Current path token is a leaf"));
        }
        self.scan_below(at + 1, model)
    }

    /// Looks with a token at a value and at all below it.
    fn scan_below(&mut self, at: usize, model: M) -> Step {
        self.root.look()?;
        match model.shape() {
            Shape::Object => {
                if self.is_wanted(at, model)? {
                    self.token(at, model)?;
                }
            }
            Shape::Array => {
                if self.is_wanted(at, model)? {
                    self.scan_array(at, model)?;
                }
            }
            _ => return Ok(()),
        }
        model.values().try_for_each(|value| self.scan_below(at, value))
    }

    fn scan_array(&mut self, at: usize, model: M) -> Step {
        if self.path.is_leaf(at) {
            return self.token(at, model);
        }
        for (index, member) in model.values().enumerate() {
            self.root.look()?;
            self.array_index[at + 1] = Some(index);
            self.token(at + 1, member)?;
        }
        Ok(())
    }

    /// Whether a deep scan asks its token about a value.
    fn is_wanted(&self, at: usize, model: M) -> Result<bool, PathError> {
        let shape = model.shape();
        Ok(match &self.path.tokens[at] {
            Token::Property { .. } if shape != Shape::Object => false,
            Token::Property { .. } if !self.path.is_token_definite(at) => true,
            Token::Property { names, .. } => names.iter().all(|name| model.get(name).is_some()),
            Token::Index(_) | Token::Slice { .. } => shape == Shape::Array,
            Token::Wildcard => true,
            Token::Filter(expression) => filter::accepts(expression, model, self.root, self.require)?,
            Token::Scan | Token::Function { .. } => false,
        })
    }
}
