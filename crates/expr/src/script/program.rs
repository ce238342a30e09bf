//! Statements: what they are, and running them.

use super::frame::Frame;
use super::run;
use super::tree::{Node, Target};
use super::value::Value;
use super::{Language, arithmetic, tree};

/// Statements that follow each other.
pub(super) type Block = Vec<Statement>;

/// A script of statements.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) body: Block,
    /// How many variables it has.
    pub(super) places: u32,
}

#[derive(Debug)]
pub(super) enum Statement {
    /// An expression; its value is the script's if it is the last.
    Value(Node),
    /// `Type a = b`.
    Declare {
        place: u32,
        declared: tree::Declared,
        value: Option<Node>,
    },
    If {
        condition: Node,
        yes: Block,
        no: Block,
    },
    While {
        condition: Node,
        body: Block,
    },
    DoWhile {
        body: Block,
        condition: Node,
    },
    For {
        start: Block,
        condition: Option<Node>,
        step: Block,
        body: Block,
    },
    /// `for (a in b)`.
    Each {
        place: u32,
        of: Node,
        body: Block,
    },
    Switch {
        of: Node,
        cases: Vec<Case>,
    },
    Block(Block),
    /// Declarations of one statement.
    Several(Block),
    Try {
        body: Block,
        caught: Option<(u32, Block)>,
        last: Block,
    },
    Return(Option<Node>),
    Break,
    Continue,
}

/// A part of a `switch`; without a value it is the default.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) value: Option<Node>,
    pub(super) body: Block,
}

/// How a block ended.
pub(super) enum Flow {
    /// At its end, with the value of its last statement.
    Next(Value),
    Break,
    Continue,
    Return(Value),
}

impl Program {
    /// A script that is one expression.
    pub(super) fn of(node: Node) -> Self {
        Self { body: vec![Statement::Value(node)], places: 0 }
    }

    /// The script's value. The error is the exception.
    pub(super) fn run(&self, frame: &mut Frame<'_>) -> Result<Value, String> {
        match block(&self.body, frame)? {
            Flow::Next(value) | Flow::Return(value) => Ok(value),
            Flow::Break | Flow::Continue => Err("it leaves a loop where there is none".to_owned()),
        }
    }
}

/// Runs statements in order.
pub(super) fn block(statements: &[Statement], frame: &mut Frame<'_>) -> Result<Flow, String> {
    let mut last = Value::Null;
    for statement in statements {
        match run_one(statement, frame)? {
            Flow::Next(value) => last = value,
            flow => return Ok(flow),
        }
    }
    Ok(Flow::Next(last))
}

fn run_one(statement: &Statement, frame: &mut Frame<'_>) -> Result<Flow, String> {
    frame.step()?;
    match statement {
        Statement::Value(node) => run::value(node, frame).map(Flow::Next),
        Statement::Declare { place, declared, value } => {
            let value = match value {
                Some(node) => declared.hold(run::value(node, frame)?, frame.language)?,
                None => Value::Null,
            };
            frame.locals[*place as usize] = value.clone();
            // BeanShell's declarations have no value.
            Ok(Flow::Next(if frame.language == Language::Groovy { value } else { Value::Null }))
        }
        Statement::If { condition, yes, no } => {
            let flow = block(if truth(condition, frame)? { yes } else { no }, frame)?;
            Ok(of_statement(flow, frame))
        }
        Statement::Block(body) | Statement::Several(body) => block(body, frame),
        Statement::Return(None) => Ok(Flow::Return(Value::Null)),
        Statement::Return(Some(node)) => run::value(node, frame).map(Flow::Return),
        Statement::Break => Ok(Flow::Break),
        Statement::Continue => Ok(Flow::Continue),
        Statement::Switch { of, cases } => switch(of, cases, frame),
        Statement::Try { body, caught, last } => attempt(body, caught.as_ref(), last, frame),
        _ => looped(statement, frame),
    }
}

/// Groovy takes the last value of an `if` for the script's; BeanShell does not.
fn of_statement(flow: Flow, frame: &Frame<'_>) -> Flow {
    match flow {
        Flow::Next(_) if frame.language != Language::Groovy => Flow::Next(Value::Null),
        flow => flow,
    }
}

fn truth(node: &Node, frame: &mut Frame<'_>) -> Result<bool, String> {
    arithmetic::truth(&run::value(node, frame)?, frame.language)
}

/// Runs the body of a loop; what ends the loop, if something does.
fn turn(body: &[Statement], frame: &mut Frame<'_>) -> Result<Option<Flow>, String> {
    frame.step()?;
    Ok(match block(body, frame)? {
        Flow::Next(_) | Flow::Continue => None,
        Flow::Break => Some(Flow::Next(Value::Null)),
        returned @ Flow::Return(_) => Some(returned),
    })
}

fn looped(statement: &Statement, frame: &mut Frame<'_>) -> Result<Flow, String> {
    match statement {
        Statement::While { condition, body } => {
            while truth(condition, frame)? {
                if let Some(end) = turn(body, frame)? {
                    return Ok(end);
                }
            }
        }
        Statement::DoWhile { body, condition } => loop {
            if let Some(end) = turn(body, frame)? {
                return Ok(end);
            }
            if !truth(condition, frame)? {
                break;
            }
        },
        Statement::For { start, condition, step, body } => {
            block(start, frame)?;
            loop {
                if let Some(condition) = condition
                    && !truth(condition, frame)?
                {
                    break;
                }
                if let Some(end) = turn(body, frame)? {
                    return Ok(end);
                }
                block(step, frame)?;
            }
        }
        Statement::Each { place, of, body } => {
            let of = run::value(of, frame)?;
            for value in super::members::each(&of, frame.language)? {
                frame.locals[*place as usize] = value;
                if let Some(end) = turn(body, frame)? {
                    return Ok(end);
                }
            }
        }
        _ => unreachable!("only loops are given"),
    }
    Ok(Flow::Next(Value::Null))
}

fn switch(of: &Node, cases: &[Case], frame: &mut Frame<'_>) -> Result<Flow, String> {
    let of = run::value(of, frame)?;
    let mut from = None;
    for (at, case) in cases.iter().enumerate() {
        let Some(value) = &case.value else { continue };
        let value = run::value(value, frame)?;
        let same = match (&of, &value) {
            (Value::Text(a), Value::Text(b)) => a.text == b.text,
            (a, b) => arithmetic::equal(a, b, frame.language)?,
        };
        if same {
            from = Some(at);
            break;
        }
    }
    let from = from.or_else(|| cases.iter().position(|case| case.value.is_none()));
    for case in cases.iter().skip(from.unwrap_or(cases.len())) {
        match block(&case.body, frame)? {
            Flow::Next(_) => {}
            Flow::Break => break,
            flow => return Ok(flow),
        }
    }
    Ok(Flow::Next(Value::Null))
}

/// What no `catch` may hide: the script does something that is not understood.
const NOT_UNDERSTOOD: &str = "a script engine";

fn attempt(
    body: &[Statement],
    caught: Option<&(u32, Block)>,
    last: &[Statement],
    frame: &mut Frame<'_>,
) -> Result<Flow, String> {
    let mut ended = block(body, frame);
    if let (Err(reason), Some((place, body))) = (&ended, caught)
        && !reason.contains(NOT_UNDERSTOOD)
    {
        frame.locals[*place as usize] = Value::object(super::object::Object::Shown(reason.as_str().into()));
        ended = block(body, frame);
    }
    match block(last, frame)? {
        Flow::Next(_) => ended,
        flow => Ok(flow),
    }
}

/// Puts a value where an assignment says; the value that the place has then.
pub(super) fn assign(target: &Target, value: Value, frame: &mut Frame<'_>) -> Result<Value, String> {
    match target {
        Target::Local(place, declared) => {
            let value = declared.hold(value, frame.language)?;
            frame.locals[*place as usize] = value.clone();
            Ok(value)
        }
        Target::Index(of, key) => {
            let (of, key) = (run::value(of, frame)?, run::value(key, frame)?);
            super::members::put(&of, &key, value.clone())?;
            Ok(value)
        }
        Target::Member(of, name) => {
            let of = run::value(of, frame)?;
            super::members::set_property(&of, name, value.clone(), frame)?;
            Ok(value)
        }
    }
}
