//! Statements: what they are, and running them.

use super::failure::{ScriptFailure, exception};
use super::frame::Frame;
use super::run;
use super::tree::{Declared, Node};
use super::value::Value;
use super::{Language, arithmetic};

/// Statements that follow each other.
pub(super) type Block = Vec<Statement>;

/// A script of statements.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) body: Block,
    /// How many variables it has.
    pub(super) slots: u32,
}

#[derive(Debug)]
pub(super) enum Statement {
    /// An expression; its value is the script's if it is the last.
    Value(Node),
    /// `Type a = b`.
    Declare {
        slot: u32,
        declared: Declared,
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
    Block(Block),
    /// Declarations of one statement.
    Several(Block),
    Return(Option<Node>),
    Break,
    Continue,
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
        Self { body: vec![Statement::Value(node)], slots: 0 }
    }

    /// The script's value.
    pub(super) fn run(&self, frame: &mut Frame<'_>) -> Result<Value, ScriptFailure> {
        match block(&self.body, frame)? {
            Flow::Next(value) | Flow::Return(value) => Ok(value),
            Flow::Break | Flow::Continue => Err(exception("it leaves a loop where there is none")),
        }
    }
}

/// Runs statements in order.
fn block(statements: &[Statement], frame: &mut Frame<'_>) -> Result<Flow, ScriptFailure> {
    let mut last = Value::Null;
    for statement in statements {
        match run_one(statement, frame)? {
            Flow::Next(value) => last = value,
            flow => return Ok(flow),
        }
    }
    Ok(Flow::Next(last))
}

fn run_one(statement: &Statement, frame: &mut Frame<'_>) -> Result<Flow, ScriptFailure> {
    frame.step()?;
    match statement {
        Statement::Value(node) => run::value(node, frame).map(Flow::Next),
        Statement::Declare { slot, declared, value } => {
            let value = match value {
                Some(node) => declared.hold(run::value(node, frame)?, frame.language)?,
                None => Value::Null,
            };
            frame.locals[*slot as usize] = value.clone();
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
        Statement::While { .. } | Statement::DoWhile { .. } | Statement::For { .. } => {
            looped(statement, frame)
        }
    }
}

/// Groovy takes the last value of an `if` for the script's; BeanShell does not.
fn of_statement(flow: Flow, frame: &Frame<'_>) -> Flow {
    match flow {
        Flow::Next(_) if frame.language != Language::Groovy => Flow::Next(Value::Null),
        flow => flow,
    }
}

fn truth(node: &Node, frame: &mut Frame<'_>) -> Result<bool, ScriptFailure> {
    arithmetic::truth(&run::value(node, frame)?, frame.language)
}

/// Runs the body of a loop; what ends the loop, if something does.
fn turn(body: &[Statement], frame: &mut Frame<'_>) -> Result<Option<Flow>, ScriptFailure> {
    frame.step()?;
    Ok(match block(body, frame)? {
        Flow::Next(_) | Flow::Continue => None,
        Flow::Break => Some(Flow::Next(Value::Null)),
        returned @ Flow::Return(_) => Some(returned),
    })
}

fn looped(statement: &Statement, frame: &mut Frame<'_>) -> Result<Flow, ScriptFailure> {
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
        _ => unreachable!("only loops are given"),
    }
    Ok(Flow::Next(Value::Null))
}
