//! `__log(text, level, throwable, comment)` and `__logn(text, level, throwable)` (JMeter's
//! `LogFunction` and `LogFunction2`): a line for the log, or for standard output (`OUT`) or error
//! (`ERR`).

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::{Template, Text};
use crate::trim::trim;

struct Log {
    text: Template,
    level: Option<Template>,
    throwable: Option<Template>,
    comment: Option<Template>,
    /// `__logn` gives no text.
    silent: bool,
}

/// `__log(text, level, throwable, comment)` gives its text.
pub(crate) fn log(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    make(args, false)
}

/// `__logn(text, level, throwable)` gives nothing.
pub(crate) fn logn(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    make(args, true)
}

fn make(args: &mut Args, silent: bool) -> Box<dyn Function> {
    let text = args.required();
    let level = args.optional();
    let throwable = args.optional();
    let comment = args.optional();
    Box::new(Log { text, level, throwable, comment, silent })
}

impl Function for Log {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let level = given(self.level.as_ref(), cx).filter(|text| !text.is_empty());
        let thrown = given(self.throwable.as_ref(), cx).filter(|text| self.silent || !text.is_empty());
        let comment = given(self.comment.as_ref(), cx).filter(|text| !text.is_empty());
        let text = self.text.text(cx);
        if cx.thrown.is_some() {
            return Ok(());
        }
        write(cx, &text, level.as_deref().unwrap_or("INFO"), thrown.as_ref(), comment.as_deref());
        if !self.silent {
            out.push_str(&text);
        }
        Ok(())
    }
}

fn given<'t>(template: Option<&'t Template>, cx: &mut Context) -> Option<Text<'t>> {
    template.map(|template| template.text(cx))
}

fn write(cx: &Context, text: &str, level: &str, thrown: Option<&Text<'_>>, comment: Option<&str>) {
    let thread = &cx.user.thread_name;
    let thrown = thrown.map(|thrown| format!("java.lang.Throwable: {}", &**thrown));
    let level = match &*trim(level).to_uppercase() {
        stream @ ("OUT" | "ERR") => {
            let thrown = thrown.map(|thrown| format!(" {thrown}")).unwrap_or_default();
            let separator = comment.map_or_else(|| " : ".to_owned(), |comment| format!(" {comment}"));
            return cx.host.print(&format!("Log: {thread}{separator}{text}{thrown}"), stream == "ERR");
        }
        "ERROR" => Level::Error,
        "WARN" => Level::Warn,
        "INFO" => Level::Info,
        "TRACE" => Level::Trace,
        _ => Level::Debug,
    };
    let thrown = thrown.map(|thrown| format!("\n{thrown}")).unwrap_or_default();
    cx.log(level, &format!("{thread} {} {text}{thrown}", comment.unwrap_or(" : ")));
}
