//! Files that scripts write.

use std::cell::RefCell;

use super::frame::Frame;
use super::object::Object;
use super::value::Value;
use crate::FileName;

/// `new FileWriter(file, append)`: the file is there from then on, and empty unless it is appended to.
pub(super) fn writer(file: &Value, rest: &[Value], frame: &mut Frame<'_>) -> Result<Value, String> {
    let path = match file {
        Value::Text(text) => text.text.clone(),
        Value::Object(object) => match &**object {
            Object::File(path) => path.clone(),
            _ => return Err("a writer to this needs a script engine".to_owned()),
        },
        _ => return Err("java.lang.NullPointerException".to_owned()),
    };
    let append = match rest {
        [] => false,
        [Value::Boolean(append)] => *append,
        _ => return Err("these arguments need a script engine".to_owned()),
    };
    write(&path, "", append, frame)?;
    Ok(Value::object(Object::Writer(path, RefCell::default())))
}

/// Whether a value is one.
pub(super) fn is_writer(value: &Value) -> bool {
    matches!(value, Value::Object(object) if matches!(**object, Object::Writer(..)))
}

fn write(path: &str, text: &str, append: bool, frame: &mut Frame<'_>) -> Result<(), String> {
    let written = frame.cx()?.host.write_file(&FileName::of_plan(path), text.as_bytes(), append);
    written.map_err(|reason| format!("java.io.FileNotFoundException: {path} ({reason})"))
}

/// A method of a file or a writer. None if there is no such method.
pub(super) fn call(
    object: &Object,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    match (object, name, arguments) {
        (Object::File(path), "append" | "write", [Value::Text(text)])
            if frame.language == super::Language::Groovy =>
        {
            Some(write(path, &text.text, name == "append", frame).map(|()| Value::Null))
        }
        (Object::Writer(_, waiting), "write" | "append" | "print", [Value::Text(text)]) => {
            waiting.borrow_mut().push_str(&text.text);
            Some(Ok(Value::Null))
        }
        (Object::Writer(_, waiting), "println", [Value::Text(text)]) => {
            waiting.borrow_mut().extend([&*text.text, "\n"]);
            Some(Ok(Value::Null))
        }
        (Object::Writer(_, waiting), "newLine" | "println", []) => {
            waiting.borrow_mut().push('\n');
            Some(Ok(Value::Null))
        }
        (Object::Writer(path, waiting), "flush" | "close", []) => {
            let text = waiting.take();
            Some(write(path, &text, true, frame).map(|()| Value::Null))
        }
        _ => None,
    }
}
