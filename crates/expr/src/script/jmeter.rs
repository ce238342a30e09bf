//! JMeter's objects in scripts: `vars`, `props`, `ctx`, `log`, a few classes.

use super::frame::Frame;
use super::java_text::text;
use super::kind::Kind;
use super::language::Language::{self, BeanShell, Groovy, JavaScript, Jexl2, Jexl3};
use super::logger::Logger;
use super::row::Run::{Gives, MayThrow};
use super::row::{Form, OperandPlace, Outcome, Row};
use super::sample_bindings::FieldValue;
use super::value::Value;
use crate::level::Level;
use crate::script_failure::{exception, unsupported};

const ALL: &[Language] = &[Groovy, BeanShell, Jexl2, Jexl3];
const STATEMENTS: &[Language] = &[Groovy, BeanShell];
const GROOVY: &[Language] = &[Groovy];
const BEANSHELL: &[Language] = &[BeanShell];
const JEXL: &[Language] = &[Jexl2, Jexl3];
const RHINO: &[Language] = &[JavaScript];

const TEXT: Kind = Kind::TEXT;
const MAYBE: Kind = Kind::MAYBE_TEXT;
const JAVA: Kind = Kind::MAYBE_JAVA_TEXT;
const NAME: &[Kind] = &[TEXT];
const FILE_SERVER: &str = "org.apache.jmeter.services.FileServer";
const SYSTEM_UTILS: &str = "org.apache.commons.lang3.SystemUtils";

pub(super) const ROWS: &[Row] = &[
    Row::call(ALL, OperandPlace::Objects, "vars.get", NAME, MAYBE, Gives(variable)),
    Row::call(RHINO, OperandPlace::Objects, "vars.get", NAME, JAVA, Gives(variable)),
    Row::call(ALL, OperandPlace::Objects, "props.get", NAME, MAYBE, MayThrow(property_or_object)),
    Row::call(RHINO, OperandPlace::Objects, "props.get", NAME, JAVA, MayThrow(property_or_object)),
    Row::call(ALL, OperandPlace::Objects, "props.getProperty", NAME, MAYBE, Gives(property)),
    Row::call(RHINO, OperandPlace::Objects, "props.getProperty", NAME, JAVA, Gives(property)),
    Row::call(ALL, OperandPlace::Objects, "props.getProperty", &[TEXT, TEXT], TEXT, Gives(property_or)),
    Row::call(STATEMENTS, OperandPlace::Objects, "ctx.getThreadNum", &[], Kind::INT, Gives(thread_number)),
    Row::call(JEXL, OperandPlace::Objects, "ctx.getThreadNum", &[], Kind::WHOLE, Gives(thread_number)),
    Row::call(RHINO, OperandPlace::Objects, "ctx.getThreadNum", &[], Kind::DOUBLE, Gives(thread_number)),
    Row::call(STATEMENTS, OperandPlace::Objects, "vars.getIteration", &[], Kind::INT, Gives(iteration)),
    Row::call(JEXL, OperandPlace::Objects, "vars.getIteration", &[], Kind::WHOLE, Gives(iteration)),
    Row::call(RHINO, OperandPlace::Objects, "vars.getIteration", &[], Kind::DOUBLE, Gives(iteration)),
    Row::call(ALL, OperandPlace::Functions, "threadName", &[], TEXT, Gives(thread_name)).written(Form::Field),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "Thread.currentThread().getName",
        &[],
        TEXT,
        Gives(thread_name),
    ),
    Row::call(STATEMENTS, OperandPlace::Objects, "System.currentTimeMillis", &[], Kind::LONG, Gives(now)),
    Row::call(STATEMENTS, OperandPlace::Objects, "System.getenv", NAME, MAYBE, Gives(environment)),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "File.separator",
        &[],
        TEXT,
        Gives(|_, _| Value::text(std::path::MAIN_SEPARATOR_STR)),
    )
    .written(Form::Field),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "FileServer.getFileServer().getBaseDir",
        &[],
        TEXT,
        Gives(plan_folder),
    )
    .imported(FILE_SERVER),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "SystemUtils.IS_OS_WINDOWS",
        &[],
        Kind::BOOLEAN,
        Gives(|_, _| Value::Boolean(cfg!(windows))),
    )
    .written(Form::Field)
    .imported(SYSTEM_UTILS),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "SystemUtils.IS_OS_LINUX",
        &[],
        Kind::BOOLEAN,
        Gives(|_, _| Value::Boolean(cfg!(target_os = "linux"))),
    )
    .written(Form::Field)
    .imported(SYSTEM_UTILS),
    Row::call(STATEMENTS, OperandPlace::Objects, "vars.put", &[TEXT, MAYBE], Kind::VOID, Gives(put_variable)),
    Row::call(STATEMENTS, OperandPlace::Objects, "props.put", &[TEXT, MAYBE], MAYBE, MayThrow(put_property)),
    Row::call(
        GROOVY,
        OperandPlace::Objects,
        "log.debug",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Debug)),
    ),
    Row::call(
        GROOVY,
        OperandPlace::Objects,
        "log.info",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Info)),
    ),
    Row::call(
        GROOVY,
        OperandPlace::Objects,
        "log.warn",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Warn)),
    ),
    Row::call(
        GROOVY,
        OperandPlace::Objects,
        "log.error",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Error)),
    ),
    // The function `__BeanShell` gives its scripts no log.
    Row::call(
        BEANSHELL,
        OperandPlace::Elements,
        "log.debug",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Debug)),
    ),
    Row::call(
        BEANSHELL,
        OperandPlace::Elements,
        "log.info",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Info)),
    ),
    Row::call(
        BEANSHELL,
        OperandPlace::Elements,
        "log.warn",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Warn)),
    ),
    Row::call(
        BEANSHELL,
        OperandPlace::Elements,
        "log.error",
        NAME,
        Kind::VOID,
        Gives(|f, v| log(f, v, Level::Error)),
    ),
];

fn variable(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::optional(frame.cx().vars.get(text(&values[0])).cloned())
}

fn property(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::optional(frame.cx().props.get(text(&values[0])))
}

/// An object of Java's is only there.
fn property_or_object(frame: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let name = text(&values[0]);
    if frame.cx().props.has_object(name) {
        return Err(unsupported(format!("the object that is the property `{name}` needs a script engine")));
    }
    Ok(Value::optional(frame.cx().props.get_own(name)))
}

fn property_or(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    frame.cx().props.get(text(&values[0])).map_or_else(|| values[1].clone(), Value::text)
}

fn thread_number(frame: &mut Frame<'_>, _: &[Value]) -> Value {
    let number = frame.cx().user.thread_index as i32;
    Value::whole(number, frame.language)
}

fn iteration(frame: &mut Frame<'_>, _: &[Value]) -> Value {
    let iteration = frame.cx().iteration as i32;
    Value::whole(iteration, frame.language)
}

fn thread_name(frame: &mut Frame<'_>, _: &[Value]) -> Value {
    Value::text(&*frame.cx().user.thread_name)
}

fn now(frame: &mut Frame<'_>, _: &[Value]) -> Value {
    Value::Long(frame.cx().host.now_ns().div_euclid(1_000_000))
}

fn environment(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::optional(frame.cx().host.env(text(&values[0])))
}

fn plan_folder(frame: &mut Frame<'_>, _: &[Value]) -> Value {
    Value::text(frame.cx().run.plan_dir.to_string_lossy())
}

fn put_variable(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    let name = text(&values[0]);
    match &values[1] {
        Value::Text(value) => frame.cx().vars.put(name, value.clone()),
        _ => frame.cx().vars.put_null(name),
    }
    Value::Null
}

fn put_property(frame: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let Value::Text(value) = &values[1] else { return Err(exception("java.lang.NullPointerException")) };
    let name = text(&values[0]);
    let is_of_plan = frame.is_constant;
    let props = &frame.cx().props;
    let old = if is_of_plan { props.set(name, value) } else { props.set_foreign(name, value) };
    Ok(Value::optional(old))
}

fn log(frame: &mut Frame<'_>, values: &[Value], level: Level) -> Value {
    let said = text(&values[0]);
    let line = match &frame.logger {
        Some((Logger { class, has_name: true }, FieldValue::Text(name))) => format!("{class}.{name}: {said}"),
        Some((Logger { class, .. }, _)) => format!("{class}: {said}"),
        // This is the only function with a log.
        None => format!("org.apache.jmeter.functions.Groovy: {said}"),
    };
    frame.cx().host.log(level, &line);
    Value::Null
}
