//! A text with `${...}`, parsed once and evaluated many times.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use crate::context::Context;
use crate::file_name::FileName;
use crate::function::{Call, CallFailure};
use crate::level::Level;
use crate::properties::Properties;
use crate::replay::{Key, ReplayEntry};
use crate::vars::{Slot, Value};

/// A parsed text: a constant, one variable, or pieces to evaluate with a [`Context`].
pub struct Template {
    body: Body,
    /// A function in it may be one that something else answers.
    may_wait: bool,
}

enum Body {
    Constant(Value),
    Variable(Variable),
    Pieces(Box<[Piece]>),
}

/// Marks the keys of variables among those of calls.
const OF_VARIABLE: Key = 1 << 63;

/// A part of a parsed text.
pub(crate) enum Piece {
    Text(Value),
    Variable(Variable),
    Call(Rc<Call>),
}

impl Piece {
    fn part(&self, cx: &mut Context) -> Part<'_> {
        match self {
            Self::Text(text) => Part::Text(Cow::Borrowed(text)),
            Self::Variable(variable) => Part::Variable(variable),
            Self::Call(call) if call.is_settled() => {
                let mut text = String::new();
                eval_pieces(std::slice::from_ref(self), cx, &mut text);
                Part::Text(Cow::Owned(text))
            }
            Self::Call(call) => Part::Call(FunctionCall(call.clone())),
        }
    }
}

/// A part of a text, while no property of the run changes.
pub enum Part<'t> {
    /// What is always the same.
    Text(Cow<'t, str>),
    /// What a variable has.
    Variable(&'t Variable),
    /// What a function gives, which may be another text each time.
    Call(FunctionCall),
}

/// A call of a function in a text.
#[derive(Clone)]
pub struct FunctionCall(Rc<Call>);

impl FunctionCall {
    /// Appends the text that it gives now.
    pub fn eval_into(&self, cx: &mut Context, out: &mut String) {
        eval_call(&self.0, cx, out);
    }
}

/// A reference to a variable (JMeter's `SimpleVariable`); if the variable is undefined, the
/// reference itself is shown.
#[derive(Clone)]
pub struct Variable {
    place: Place,
    literal: Value,
}

/// How a variable is looked up: by slot if its name is in the plan, or by name if the name is built
/// during the test.
#[derive(Clone)]
pub(crate) enum Place {
    Slot(Slot),
    Name(Rc<str>),
}

/// The value of a template. Borrowed or shared if possible, so constants and variables need no
/// allocation.
pub enum Text<'t> {
    /// A constant of the plan.
    Borrowed(&'t str),
    /// A variable's value.
    Shared(Value),
    /// Text made just now.
    Owned(String),
}

/// A text that should be a number but is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotANumber(pub String);

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a whole number", self.0)
    }
}

impl std::error::Error for NotANumber {}

impl Template {
    /// A template that is always the same text.
    pub fn constant_text(text: &str) -> Self {
        Self { body: Body::Constant(text.into()), may_wait: false }
    }

    pub(crate) fn from_pieces(pieces: Vec<Piece>) -> Self {
        let mut pieces = merge_texts(pieces);
        let body = match pieces.len() {
            0 => Body::Constant("".into()),
            1 => match pieces.remove(0) {
                Piece::Text(text) => Body::Constant(text),
                Piece::Variable(variable) => Body::Variable(variable),
                call @ Piece::Call(_) => Body::Pieces(Box::new([call])),
            },
            _ => Body::Pieces(pieces.into()),
        };
        Self { body, may_wait: false }
    }

    /// The same, of which a function may be one that something else answers.
    pub(crate) fn waiting_if(self, may_wait: bool) -> Self {
        Self { may_wait, ..self }
    }

    /// The text, if it does not depend on anything.
    pub fn constant(&self) -> Option<&str> {
        match &self.body {
            Body::Constant(text) => Some(text),
            _ => None,
        }
    }

    /// The text with a character instead of each variable and call: what is known of it before the
    /// run.
    pub(crate) fn shape(&self, hole: char) -> String {
        match &self.body {
            Body::Constant(text) => text.to_string(),
            Body::Variable(_) => hole.to_string(),
            Body::Pieces(pieces) => {
                let known = pieces.iter().map(|piece| match piece {
                    Piece::Text(text) => text.to_string(),
                    Piece::Variable(_) | Piece::Call(_) => hole.to_string(),
                });
                known.collect()
            }
        }
    }

    /// The text before the run, where the plan's variables and properties alone decide it.
    pub fn known(&self, variables: &[(String, String)], props: &Properties) -> Option<String> {
        let of_variable = |variable: &Variable| {
            let (_, value) = variables.iter().find(|(name, _)| name == variable.name())?;
            (!value.contains("${")).then(|| value.clone())
        };
        match &self.body {
            Body::Constant(text) => Some(text.to_string()),
            Body::Variable(variable) => of_variable(variable),
            Body::Pieces(pieces) => {
                let mut all = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => all.push_str(text),
                        Piece::Variable(variable) => all.push_str(&of_variable(variable)?),
                        Piece::Call(call) => call.function.known(props, &mut all).then_some(())?,
                    }
                }
                Some(all)
            }
        }
    }

    /// Whether functions are called: each evaluation may give another text, or do something.
    pub fn has_calls(&self) -> bool {
        match &self.body {
            Body::Constant(_) | Body::Variable(_) => false,
            Body::Pieces(pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Call(_))),
        }
    }

    /// Whether a function in it may be one that something else answers ([`Context::is_suspended`]).
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Whether only a change of the run's properties ([`crate::Properties::version`]) can change
    /// the text.
    pub fn is_settled(&self) -> bool {
        match &self.body {
            Body::Constant(_) => true,
            Body::Variable(_) => false,
            Body::Pieces(pieces) => pieces.iter().all(|piece| match piece {
                Piece::Text(_) => true,
                Piece::Variable(_) => false,
                Piece::Call(call) => call.is_settled(),
            }),
        }
    }

    /// The parts of the text, in which no function is called but those that are settled. Its
    /// context is not one that may be suspended ([`Context::may_be_suspended`]).
    pub fn parts(&self, cx: &mut Context) -> Vec<Part<'_>> {
        match &self.body {
            Body::Constant(text) => vec![Part::Text(Cow::Borrowed(text))],
            Body::Variable(variable) => vec![Part::Variable(variable)],
            Body::Pieces(pieces) => pieces.iter().map(|piece| piece.part(cx)).collect(),
        }
    }

    /// The text now. Constants are borrowed; use [`Template::text`] or [`Template::eval_value`]
    /// where a variable is likely and its copy matters.
    pub fn eval<'a>(&'a self, cx: &mut Context) -> Cow<'a, str> {
        match self.text(cx) {
            Text::Borrowed(text) => Cow::Borrowed(text),
            Text::Shared(value) => Cow::Owned(value.to_string()),
            Text::Owned(text) => Cow::Owned(text),
        }
    }

    /// The text now, without a copy for constants and single variables.
    pub fn text(&self, cx: &mut Context) -> Text<'_> {
        match &self.body {
            Body::Constant(text) => Text::Borrowed(text),
            Body::Variable(variable) => Text::Shared(variable.value(cx).clone()),
            Body::Pieces(pieces) => {
                let mut out = String::new();
                eval_pieces(pieces, cx, &mut out);
                Text::Owned(out)
            }
        }
    }

    /// The text now as the name of a file, with how much of it is the plan's own: texts,
    /// properties, and variables that are as they were at the start, up to the first that is
    /// something else.
    pub fn file_name(&self, cx: &mut Context) -> FileName {
        let pieces = match &self.body {
            Body::Constant(text) => return FileName::of_plan(&**text),
            Body::Variable(variable) => {
                let text = variable.value(cx).to_string();
                let own = if variable.is_of_plan(cx) { text.len() } else { 0 };
                return FileName::new(text, own);
            }
            Body::Pieces(pieces) => pieces,
        };
        let mut text = String::new();
        let mut own = None;
        for piece in pieces {
            if own.is_none() && !piece.is_of_plan(cx) {
                own = Some(text.len());
            }
            eval_pieces(std::slice::from_ref(piece), cx, &mut text);
        }
        let own = own.unwrap_or(text.len());
        FileName::new(text, own)
    }

    /// Appends the text now.
    pub fn eval_into(&self, cx: &mut Context, out: &mut String) {
        match &self.body {
            Body::Constant(text) => out.push_str(text),
            Body::Variable(variable) => out.push_str(variable.value(cx)),
            Body::Pieces(pieces) => eval_pieces(pieces, cx, out),
        }
    }

    /// The text now as a variable's value: a clone of the `Rc` for constants and single variables.
    pub fn eval_value(&self, cx: &mut Context) -> Value {
        match &self.body {
            Body::Constant(text) => text.clone(),
            Body::Variable(variable) => variable.value(cx).clone(),
            Body::Pieces(_) => self.text(cx).deref().into(),
        }
    }

    /// The text now as a whole number, read as Java's `Long.parseLong` does (no spaces around).
    /// JMeter takes 0 for most number properties that are none; the caller decides.
    pub fn eval_i64(&self, cx: &mut Context) -> Result<i64, NotANumber> {
        let text = self.text(cx);
        text.parse().map_err(|_| NotANumber(text.to_string()))
    }
}

/// Neighbouring texts become one, empty ones vanish.
fn merge_texts(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(before)), Piece::Text(text)) => *before = format!("{before}{text}").into(),
            (_, piece) => merged.push(piece),
        }
    }
    merged
}

fn eval_pieces(pieces: &[Piece], cx: &mut Context, out: &mut String) {
    let replays = cx.replay().is_some();
    for piece in pieces {
        if replays { replay_piece(piece, cx, out) } else { eval_piece(piece, cx, out) }
    }
}

fn eval_piece(piece: &Piece, cx: &mut Context, out: &mut String) {
    match piece {
        Piece::Text(text) => out.push_str(text),
        Piece::Variable(variable) => out.push_str(variable.value(cx)),
        Piece::Call(call) => eval_call(call, cx, out),
    }
}

/// A variable or call as it was when this was evaluated for the first time.
fn replay_piece(piece: &Piece, cx: &mut Context, out: &mut String) {
    let key = match piece {
        Piece::Call(call) => call.key,
        // Texts of the plan stay where they are.
        Piece::Variable(variable) => std::ptr::from_ref(variable).addr() as u64 | OF_VARIABLE,
        Piece::Text(text) => return out.push_str(text),
    };
    let Some(replay) = cx.replay().filter(|replay| !replay.is_suspended()) else { return };
    let place = match replay.enter(key) {
        ReplayEntry::Known(text, thrown) => {
            out.push_str(&text);
            cx.thrown = cx.thrown.take().or(thrown);
            return;
        }
        ReplayEntry::New(place) => place,
        ReplayEntry::Unrecorded => return eval_piece(piece, cx, out),
    };
    let start = out.len();
    eval_piece(piece, cx, out);
    let thrown = cx.thrown.take();
    if let Some(replay) = cx.replay() {
        replay.done(place, &out[start..], thrown.as_deref());
    }
    cx.thrown = thrown;
}

/// A call that fails leaves no text (`CompoundVariable.execute`) and a line in the log, or throws.
fn eval_call(call: &Call, cx: &mut Context, out: &mut String) {
    if cx.thrown.is_some() {
        return;
    }
    let start = out.len();
    if let Err(failed) = call.function.call(cx, out) {
        out.truncate(start);
        let reason = match failed {
            CallFailure::Refused => return,
            // It was logged where it happened.
            CallFailure::Empty(reason) if reason.is_empty() => return,
            CallFailure::Empty(reason) => reason,
            // An earlier exception of an argument is the one reported.
            CallFailure::Thrown(thrown) => cx.thrown.get_or_insert_with(|| Box::new(thrown)).to_string(),
        };
        cx.host.log(Level::Error, &format!("{} - {}: {reason}", cx.user.thread_name, call.name));
    }
}

impl Piece {
    fn is_of_plan(&self, cx: &Context) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Variable(variable) => variable.is_of_plan(cx),
            Self::Call(call) => call.function.is_of_plan(cx),
        }
    }
}

impl Variable {
    /// Whether it has the value that the plan gives it. One that was never set has the text of the
    /// plan.
    fn is_of_plan(&self, cx: &Context) -> bool {
        let Some(value) = self.place.get(cx) else { return true };
        let mut at_start = cx.run.variables.iter();
        at_start.any(|(of_plan, text)| of_plan == self.name() && **text == **value)
    }

    fn name(&self) -> &str {
        let name = self.literal.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
        name.expect("`Variable::new` makes it so")
    }

    pub(crate) fn new(name: &str, place: Place) -> Self {
        Self { place, literal: format!("${{{name}}}").into() }
    }

    /// Its value now.
    pub fn value<'a>(&'a self, cx: &'a Context) -> &'a Value {
        self.place.get(cx).unwrap_or(&self.literal)
    }
}

impl Place {
    pub(crate) fn get<'c>(&self, cx: &'c Context) -> Option<&'c Value> {
        match self {
            Place::Slot(slot) => cx.vars.get_slot(*slot),
            Place::Name(name) => cx.vars.get(name),
        }
    }

    pub(crate) fn put(&self, cx: &mut Context, value: impl Into<Value>) {
        match self {
            Place::Slot(slot) => cx.vars.put_slot(*slot, value),
            Place::Name(name) => cx.vars.put(name, value),
        }
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Shared(value) => value,
            Text::Owned(text) => text,
        }
    }
}

impl From<Text<'_>> for Value {
    fn from(text: Text<'_>) -> Self {
        match text {
            Text::Shared(value) => value,
            other => other.deref().into(),
        }
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
