//! Scripts: conditions such as `"${code}" == "200" && vars.get("n").toInteger() < 5`, and simple
//! statements of script elements.
//!
//! JMeter passes the texts of `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell`, of
//! If Controllers and of script elements to script engines. Texts that only compare, compute and
//! set variables run here, with the semantics of their language: Groovy 3.0.20, Commons JEXL 3.2.1
//! (strict) and 2.1.1, Rhino 1.7.14, BeanShell 2.0b6. The supported operations are a closed table
//! of typed rows ([`rows`]). The kind of each expression is known when a script is parsed. Anything
//! without a row is refused then ([`compiled_script::Script::parse`]), never guessed.

mod beanshell;
pub(crate) mod bindings;
pub(crate) mod compiled_script;
pub(crate) mod element;
mod frame;
pub(crate) mod function;
mod groovy;
mod integral;
mod java_text;
mod javascript;
mod javascript_number;
mod jexl;
mod jmeter;
mod kind;
pub(crate) mod language;
mod locals;
pub(crate) mod logger;
pub mod native;
mod number;
mod parse;
mod primary;
mod row;
mod rows;
mod run;
pub(crate) mod sample_bindings;
mod samples;
mod statements;
#[cfg(test)]
mod tests;
pub(crate) mod token;
mod tree;
mod value;
