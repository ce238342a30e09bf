//! The texts of a sampler at one moment.

use std::rc::Rc;

use swell_expr::{Context, Template};

use crate::compile::{Argument, Flag, Spec};
use crate::url::{Malformed, Url};

use super::{arguments, headers};

/// A parameter, evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: Rc<str>,
    pub(crate) value: Rc<str>,
    pub(crate) separator: Rc<str>,
    pub(crate) encode: bool,
}

/// Everything that a request is built from.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated {
    pub(crate) method: Rc<str>,
    pub(crate) url: Result<Rc<Url>, Malformed>,
    /// Merged lines of the Header Managers.
    pub(crate) headers: Vec<(Rc<str>, Rc<str>)>,
    pub(crate) parameters: Vec<Parameter>,
    /// The values of all parameters are the body.
    pub(crate) raw: bool,
    pub(crate) encoding: Rc<str>,
    pub(crate) keep_alive: bool,
}

/// How texts and flags get their values.
pub(crate) trait Values {
    /// A text now.
    fn text(&mut self, template: &Template) -> Rc<str>;
    /// A check box now.
    fn flag(&mut self, flag: &Flag) -> bool;
}

impl Values for Context {
    fn text(&mut self, template: &Template) -> Rc<str> {
        template.eval_value(self)
    }

    fn flag(&mut self, flag: &Flag) -> bool {
        flag.get(self)
    }
}

/// The values of a sampler that is constant ([`Spec::is_constant`]).
pub(crate) struct Constants;

impl Values for Constants {
    fn text(&mut self, template: &Template) -> Rc<str> {
        template.constant().expect("the sampler is constant").into()
    }

    fn flag(&mut self, flag: &Flag) -> bool {
        matches!(flag, Flag::Is(true))
    }
}

/// Evaluates a sampler's texts, each once.
pub(crate) fn evaluate(spec: &Spec, eval: &mut dyn Values) -> Evaluated {
    let or = |value: Rc<str>, default: &str| if value.is_empty() { default.into() } else { value };
    let method = or(eval.text(&spec.method), "GET");
    let encoding = or(eval.text(&spec.encoding), "UTF-8");
    let parameters: Vec<Parameter> = spec.arguments.iter().map(|a| parameter(a, eval)).collect();
    let post_raw = eval.flag(&spec.raw);
    let raw = post_raw || !parameters.is_empty() && parameters.iter().all(|p| p.name.is_empty());
    let url = url(spec, &method, &parameters, &encoding, eval);
    Evaluated {
        method,
        url: url.map(Rc::new),
        headers: headers::merge(&spec.headers, eval),
        parameters,
        raw,
        encoding,
        keep_alive: eval.flag(&spec.keep_alive),
    }
}

fn parameter(argument: &Argument, eval: &mut dyn Values) -> Parameter {
    Parameter {
        name: eval.text(&argument.name),
        value: eval.text(&argument.value),
        separator: eval.text(&argument.separator),
        encode: eval.flag(&argument.encode),
    }
}

/// `HTTPSamplerBase.getUrl`.
fn url(
    spec: &Spec,
    method: &str,
    parameters: &[Parameter],
    encoding: &str,
    eval: &mut dyn Values,
) -> Result<Url, Malformed> {
    let written = eval.text(&spec.path);
    let path: Rc<str> = if written.contains(' ') { written.replace(' ', "%20").into() } else { written };
    if path.starts_with("http://") || path.starts_with("https://") {
        return Url::parse(&path);
    }
    let protocol = eval.text(&spec.protocol);
    let protocol = if protocol.is_empty() { "http" } else { &protocol };
    let mut file = String::with_capacity(path.len() + 1 + parameters.len() * 16);
    if !path.starts_with('/') {
        file.push('/');
    }
    file.push_str(&path);
    if matches!(method, "GET" | "DELETE" | "OPTIONS") {
        let start = file.len();
        arguments::query_into(parameters, encoding, &mut file);
        if file.len() > start {
            file.insert(start, if path.contains('?') { '&' } else { '?' });
        }
    }
    let port = eval.text(&spec.port).trim().parse::<i32>().ok().filter(|p| *p != 0);
    let is = |name: &str, port_of: i32| protocol.eq_ignore_ascii_case(name) && port == Some(port_of);
    let port = port.filter(|_| !is("http", 80) && !is("https", 443));
    Url::from_parts(protocol, &eval.text(&spec.domain), port.map(i64::from), &file)
}
