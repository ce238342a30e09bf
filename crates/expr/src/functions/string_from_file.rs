//! `__StringFromFile(file, variable, start, end)` (JMeter's `StringFromFile`): the next line of a
//! file, starting again after the last one. All users share the cursor of a call. With start and
//! end numbers, the file name is a pattern of `DecimalFormat`, and the files are read one after the
//! other. After the last file, it throws the exception that stops the thread; an HTTP sampler makes
//! a sample of it.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::lines::Lines;
use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::thrown::Thrown;
use swell_java::format::DecimalFormat;

const ERROR: &str = "**ERR**";

struct StringFromFile {
    file: Template,
    variable: Variable,
    start: Option<Template>,
    end: Option<Template>,
    cursor: Arc<Mutex<Cursor>>,
}

/// The variable's name where none is given is a fixed one; an empty one is none.
enum Variable {
    Default,
    Given(Target),
}

#[derive(Default)]
struct Cursor {
    opened: bool,
    lines: Option<Lines>,
    /// Number of the next file of a sequence.
    current: Option<i32>,
    start: Option<i32>,
    end: Option<i32>,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let file = args.required();
    let variable = if args.len() == 0 { Variable::Default } else { Variable::Given(args.target(scope)) };
    let start = args.optional();
    let end = args.optional();
    Box::new(StringFromFile { file, variable, start, end, cursor: scope.global(Mutex::default) })
}

impl Function for StringFromFile {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        {
            let mut cursor = self.cursor.lock();
            out.push_str(&self.next_line(&mut cursor, cx)?);
        }
        match &self.variable {
            Variable::Default => cx.store("StringFromFile_", &out[start..]),
            Variable::Given(target) => target.put(cx, &out[start..]),
        }
        Ok(())
    }
}

impl StringFromFile {
    fn next_line(&self, cursor: &mut Cursor, cx: &mut Context) -> Result<String, CallFailure> {
        if !cursor.opened {
            cursor.opened = true;
            self.open(cursor, cx)?;
        }
        if let Some(lines) = &mut cursor.lines {
            match lines.next() {
                Ok(Some(line)) => return Ok(line),
                Ok(None) => self.open(cursor, cx)?,
                Err(reason) => {
                    // The rest of such a line is not a line, and the next call should not take as
                    // long.
                    if reason.kind() == ErrorKind::FileTooLarge {
                        cursor.lines = None;
                    }
                    cx.host
                        .log(Level::Error, &format!("{} error reading file {reason}", cx.user.thread_name));
                    return Ok(ERROR.to_owned());
                }
            }
        }
        match (&mut cursor.lines, cursor.end) {
            // Java appends its null where the file is empty.
            (Some(lines), _) => Ok(lines.next().ok().flatten().unwrap_or_else(|| "null".to_owned())),
            (None, None) => Ok(ERROR.to_owned()),
            (None, Some(_)) => Err(CallFailure::thrown(Thrown::STOP_THREAD, "End of sequence")),
        }
    }

    fn open(&self, cursor: &mut Cursor, cx: &mut Context) -> Result<(), CallFailure> {
        cursor.lines = None;
        let mut name = self.file.text(cx).to_string();
        if let Some(start) = &self.start {
            cursor.start = number(start, cx);
        }
        let current = *cursor.current.get_or_insert(cursor.start.unwrap_or(1));
        if let Some(end) = &self.end {
            cursor.end = number(end, cx);
        }
        if self.start.is_some() {
            if cursor.end.is_some_and(|end| current > end) {
                return Ok(());
            }
            if cursor.start.is_some() {
                name = DecimalFormat::new(&name).map_err(CallFailure::illegal)?.format_i64(current.into());
            }
            cursor.current = Some(current.wrapping_add(1));
        }
        cx.host.log(Level::Info, &format!("{} opening file {name}", cx.user.thread_name));
        match cx.host.open(Path::new(&name)) {
            Ok(file) => cursor.lines = Some(Lines::new(file, cx.host.file_limits())),
            Err(reason) => cx.host.log(Level::Error, &format!("openFile() error: {name}: {reason}")),
        }
        Ok(())
    }
}

/// An invalid number is ignored.
fn number(template: &Template, cx: &mut Context) -> Option<i32> {
    template.text(cx).parse().ok()
}
