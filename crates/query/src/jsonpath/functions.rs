//! Functions in a path (Jayway's `internal.function`).

use std::borrow::Cow;

use swell_budget::Budget;

use crate::json::{self, Json};

use super::PathError;
use super::evaluate::{self, Root};
use super::model::{Found, Model};
use super::path::{Parameter, Path, Token};

/// The value of a function on a value.
pub(super) fn call<'m, 'd: 'm, M: Model<'m, 'd>>(
    name: &str,
    parameters: &[Parameter],
    model: &Json<'d>,
    root: Root<'m, M>,
) -> Result<Json<'d>, PathError> {
    if !matches!(
        name,
        "avg"
            | "stddev"
            | "sum"
            | "min"
            | "max"
            | "concat"
            | "length"
            | "size"
            | "append"
            | "keys"
            | "first"
            | "last"
            | "index"
    ) {
        return Err(PathError::invalid(format!("Function with name: {name} does not exist.")));
    }
    // Paths are read before the function runs, JSON texts when it asks.
    let values = parameters.iter().map(|parameter| match parameter {
        Parameter::Path(path) => {
            evaluate::value_of(path, root.value, root, false).map(|found| Some(found.json().into_owned()))
        }
        Parameter::Json(_) => Ok(None),
    });
    let arguments = Arguments { parameters, values: values.collect::<Result<_, _>>()? };
    match name {
        "avg" | "stddev" | "sum" | "min" | "max" => aggregate(name, model, &arguments),
        "concat" => concatenate(model, &arguments),
        "length" | "size" => length(model, root.budget, &arguments),
        "append" => append(model, &arguments),
        "keys" => Ok(keys(model)),
        "first" => element(model, 0),
        "last" => element(model, -1),
        _ => match arguments.numbers()?.first() {
            Some(index) => element(model, *index as i64),
            None => Err(PathError::other("Index 0 out of bounds for length 0")),
        },
    }
}

struct Arguments<'p, 'd> {
    parameters: &'p [Parameter],
    /// Values of paths.
    values: Vec<Option<Json<'d>>>,
}

impl<'d> Arguments<'_, 'd> {
    fn value(&self, at: usize) -> Result<Json<'d>, PathError> {
        match (&self.values[at], &self.parameters[at]) {
            (Some(value), _) => Ok(value.clone()),
            (None, Parameter::Json(text)) => {
                json::parse(text).map(Json::into_static).map_err(PathError::other)
            }
            (None, Parameter::Path(_)) => Ok(Json::Null),
        }
    }

    /// Values, those of arrays one by one.
    fn flat(&self) -> Result<Vec<Json<'d>>, PathError> {
        let mut flat = Vec::new();
        for at in 0..self.parameters.len() {
            match self.value(at)? {
                Json::Array(members) => flat.extend(members),
                other => flat.push(other),
            }
        }
        Ok(flat)
    }

    fn numbers(&self) -> Result<Vec<f64>, PathError> {
        Ok(self.flat()?.iter().filter_map(Json::as_f64).collect())
    }
}

fn empty() -> PathError {
    PathError::other("Aggregation function attempted to calculate value using empty array")
}

fn aggregate<'d>(name: &str, model: &Json<'d>, arguments: &Arguments<'_, 'd>) -> Result<Json<'d>, PathError> {
    let mut numbers: Vec<f64> = match model {
        Json::Array(members) => members.iter().filter_map(Json::as_f64).collect(),
        _ => Vec::new(),
    };
    numbers.extend(arguments.numbers()?);
    if numbers.is_empty() {
        return Err(empty());
    }
    let count = numbers.len() as f64;
    let sum = numbers.iter().fold(0.0, |sum, number| sum + number);
    Ok(Json::Double(match name {
        "sum" => sum,
        "avg" => sum / count,
        "min" => numbers.iter().fold(f64::MAX, |least, n| if least > *n { *n } else { least }),
        // Java's Double.MIN_VALUE is the least positive number.
        "max" => numbers.iter().fold(f64::from_bits(1), |most, n| if most < *n { *n } else { most }),
        _ => {
            let squares = numbers.iter().fold(0.0, |sum, number| sum + number * number);
            (squares / count - sum * sum / count / count).sqrt()
        }
    }))
}

fn concatenate<'d>(model: &Json<'d>, arguments: &Arguments<'_, 'd>) -> Result<Json<'d>, PathError> {
    let mut out = String::new();
    if let Json::Array(members) = model {
        for member in members {
            if let Json::Text(text) = member {
                out.push_str(text);
            }
        }
    }
    for value in arguments.flat()? {
        if value != Json::Null {
            out.push_str(&value.java_text());
        }
    }
    Ok(Json::Text(Cow::Owned(out)))
}

fn length<'d>(
    model: &Json<'d>,
    budget: &Budget,
    arguments: &Arguments<'_, 'd>,
) -> Result<Json<'d>, PathError> {
    if let Some(first) = arguments.parameters.first() {
        let Parameter::Path(path) = first else { return Err(PathError::other("null")) };
        if let Json::Array(members) = &*children(path, model, budget)? {
            return Ok(Json::Int(members.len() as i64));
        }
    }
    Ok(match model {
        Json::Array(members) => Json::Int(members.len() as i64),
        Json::Object(members) => Json::Int(members.len() as i64),
        _ => Json::Null,
    })
}

/// What a path finds one level further down: `length` counts that. A path that was definite stays
/// so to Jayway, so of its children only the last is seen.
fn children<'m, 'd>(
    path: &Path,
    model: &'m Json<'d>,
    budget: &'m Budget,
) -> Result<Cow<'m, Json<'d>>, PathError> {
    let root = Root { value: model, budget };
    if path.ends_in_function() || path.tokens.is_empty() {
        return evaluate::value_of(path, model, root, false).map(Found::json);
    }
    let mut tokens = path.tokens.clone();
    tokens.push(Token::Wildcard);
    let below = Path { definite: path.definite, ..Path::new(path.root, tokens) };
    let found = evaluate::results(&below, model, root, false)?;
    evaluate::value_of_results(&below, found, root).map(Found::json)
}

fn append<'d>(model: &Json<'d>, arguments: &Arguments<'_, 'd>) -> Result<Json<'d>, PathError> {
    let mut value = model.clone();
    if let Json::Array(members) = &mut value {
        for at in 0..arguments.parameters.len() {
            members.push(arguments.value(at)?);
        }
    }
    Ok(value)
}

fn keys<'d>(model: &Json<'d>) -> Json<'d> {
    match model {
        Json::Object(members) => Json::Keys(members.iter().map(|(key, _)| key.clone()).collect()),
        _ => Json::Null,
    }
}

/// An element by its index; from the end if it is negative, but never the first one then.
fn element<'d>(model: &Json<'d>, index: i64) -> Result<Json<'d>, PathError> {
    let Json::Array(members) = model else { return Err(empty()) };
    let length = members.len() as i64;
    let place = if index >= 0 { index } else { length + index };
    if index < 0 && place <= 0 {
        return Err(PathError::other(format!("Target index:{index} larger than object count:{length}")));
    }
    match usize::try_from(place).ok().and_then(|place| members.get(place)) {
        Some(member) => Ok(member.clone()),
        None => Err(PathError::other(format!("Index {place} out of bounds for length {length}"))),
    }
}
