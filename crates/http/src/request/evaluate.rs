//! Evaluates the texts of a sampler.

use std::rc::Rc;

use swell_api::RequestTexts;
use swell_connect::Proxy;
use swell_expr::{Charset, Context, Template};

use crate::compile::{Argument, Spec};
use crate::set::{self, ScriptSettings};
use crate::text::form;
use crate::url::{MalformedUrl, Url};

use super::parameter::Parameter;
use super::upload::{self, Upload};
use super::{arguments, headers};

/// Everything that a request is built from.
#[derive(Clone, Debug)]
pub(crate) struct RequestValues {
    pub(crate) texts: Texts,
    pub(crate) url: Result<Rc<Url>, MalformedUrl>,
    /// The values of all parameters are the body.
    pub(crate) raw: bool,
    /// The protocol is `file`: the sampler itself reads what is to be had (`HTTPFileImpl`).
    pub(crate) local: bool,
}

impl RequestValues {
    /// The same for a redirect to another origin: without credentials, and without a `Host` that is
    /// not its own.
    pub(crate) fn for_other_origin(&self) -> Self {
        const OWN: [&str; 4] = ["Authorization", "Proxy-Authorization", "Cookie", "Host"];
        let mut away = self.clone();
        away.texts.headers.retain(|(name, _)| !OWN.iter().any(|own| name.eq_ignore_ascii_case(own)));
        away
    }
}

/// The evaluated texts of a sampler. Equal texts make equal requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) method: Rc<str>,
    encoding: Rc<str>,
    /// Spaces made good.
    path: Rc<str>,
    /// Empty where the path is a whole URL, as are domain and port; but `file` stays.
    protocol: Rc<str>,
    domain: Rc<str>,
    port: Rc<str>,
    pub(super) parameters: Vec<Parameter>,
    /// Merged lines of the Header Managers.
    pub(crate) headers: Vec<(Rc<str>, Rc<str>)>,
    post_raw: bool,
    /// Files are looked up after this was evaluated.
    pub(crate) upload: Option<Upload>,
    pub(super) proxy: Option<Rc<Proxy>>,
    pub(super) keep_alive: bool,
    /// Settings that a script has set.
    pub(crate) set: ScriptSettings,
    /// A function threw ([`Context::thrown`]) in what makes the URL.
    pub(crate) url_threw: bool,
}

/// Evaluates a sampler's texts, each once.
pub(crate) fn texts(spec: &Spec, cx: &mut Context) -> Texts {
    texts_with(spec, cx, |_, template, cx| template.eval_value(cx))
}

/// A text whose value may differ between requests that are otherwise equal.
pub(super) enum Differing<'a> {
    Path,
    /// The value of a parameter.
    Parameter(&'a Argument),
    /// The value of a header, by its name.
    Header(&'a str),
}

/// The same with another way to get the path and the values of parameters and headers, each asked
/// for once, in the order in which they are evaluated.
pub(super) fn texts_with(
    spec: &Spec,
    cx: &mut Context,
    mut differing: impl FnMut(Differing<'_>, &Template, &mut Context) -> Rc<str>,
) -> Texts {
    let method = spec.method.eval_value(cx);
    let encoding = spec.encoding.eval_value(cx);
    let parameters = spec.arguments.iter().map(|a| parameter(a, cx, &mut differing)).collect();
    let post_raw = spec.raw.get(cx);
    let upload = spec.upload.as_ref().map(|spec| upload::evaluate(spec, cx));
    let proxy = spec.proxy.as_ref().and_then(|spec| spec.get(cx));
    // The URL is made first, and shown where the rest fails.
    let threw = cx.thrown.take();
    let in_query = is_in_query(&method);
    let path = differing(Differing::Path, &spec.path, cx);
    let path: Rc<str> = if path.contains(' ') { path.replace(' ', "%20").into() } else { path };
    let whole = is_whole(&path);
    let mut part = |template: &Template| if whole { Rc::default() } else { template.eval_value(cx) };
    let mut protocol = part(&spec.protocol);
    let port = part(&spec.port);
    let domain = part(&spec.domain);
    if whole && spec.protocol.constant() == Some(FILE) {
        protocol = FILE.into();
    }
    let url_threw = cx.thrown.is_some() || (in_query && threw.is_some());
    cx.thrown = cx.thrown.take().or(threw);
    let headers = headers::merge(&spec.headers, cx, |name, template, cx| {
        differing(Differing::Header(name), template, cx)
    });
    let keep_alive = spec.keep_alive.get(cx);
    Texts {
        method,
        encoding,
        path,
        protocol,
        domain,
        port,
        parameters,
        headers,
        post_raw,
        upload,
        proxy,
        keep_alive,
        set: ScriptSettings::default(),
        url_threw,
    }
}

impl Texts {
    /// The content encoding.
    pub(crate) fn encoding(&self) -> &str {
        if self.encoding.is_empty() { "UTF-8" } else { &self.encoding }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether the parameters are in the query; else they are in the body, if there is one.
    pub(super) fn has_parameters_in_query(&self) -> bool {
        is_in_query(&self.method)
    }

    /// The values of all parameters are the body.
    pub(super) fn is_raw(&self) -> bool {
        self.post_raw || !self.parameters.is_empty() && self.parameters.iter().all(|p| p.name.is_empty())
    }

    /// What pre-processors see of it.
    pub(crate) fn shown(&self) -> RequestTexts {
        let headers = self.headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let (files, types) = upload::shown(self.upload.as_ref(), self.parameters.len());
        let arguments = self.parameters.iter().zip(types).map(|(parameter, kind)| parameter.shown(kind));
        RequestTexts {
            protocol: self.protocol.to_string(),
            host: self.domain.to_string(),
            port: self.port.to_string(),
            method: self.method.to_string(),
            path: self.path.to_string(),
            encoding: self.encoding.to_string(),
            arguments: arguments.collect(),
            is_raw_body: self.post_raw,
            headers: headers.collect(),
            files,
            settings: self.set.all().to_vec(),
            header_managers: 0,
            cookies: None,
            others: Vec::new(),
        }
    }

    /// Takes over what a pre-processor has made of [`Texts::shown`].
    pub(crate) fn take_over(&mut self, changed: RequestTexts) {
        let RequestTexts { protocol, host, port, method, path, encoding, .. } = changed;
        (self.protocol, self.domain, self.port) = (protocol.into(), host.into(), port.into());
        (self.method, self.encoding) = (method.into(), encoding.into());
        let types = changed.arguments.iter().map(|argument| (*argument.content_type).into()).collect();
        self.parameters = changed.arguments.into_iter().map(Into::into).collect();
        self.post_raw = changed.is_raw_body;
        self.set = ScriptSettings::new(changed.settings);
        upload::apply_settings(&self.set, &mut self.upload);
        upload::take_over(&mut self.upload, changed.files, types);
        self.proxy = self.set.proxy(self.proxy.take());
        self.keep_alive = self.set.flag(set::KEEP_ALIVE).unwrap_or(self.keep_alive);
        self.headers = changed.headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        if *path != *self.path {
            self.set_path(&path);
        }
    }

    /// `HTTPSamplerBase.setPath`: a query becomes parameters where the method sends them in the
    /// query anyway.
    fn set_path(&mut self, path: &str) {
        let split = matches!(&*self.method, "GET" | "DELETE") && !is_whole(path);
        let (path, query) = path.split_once('?').filter(|_| split).unwrap_or((path, ""));
        self.path = path.replace(' ', "%20").into();
        let plain = |text: &str| form::decode(text, Charset::default()).unwrap_or_else(|_| text.to_owned());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, separator, value) = match pair.split_once('=') {
                Some((name, value)) => (name, "=", value),
                None => (pair, "", ""),
            };
            if !name.is_empty() {
                let parameter = Parameter::encoded(&plain(name), &plain(value));
                self.parameters.push(Parameter { separator: separator.into(), ..parameter });
            }
        }
    }
}

/// The protocol of what a sampler reads by itself.
const FILE: &str = "file";

/// Whether requests of a method have their parameters in the query (`HTTPSamplerBase.getUrl`).
pub(super) fn is_in_query(method: &str) -> bool {
    matches!(method, "GET" | "DELETE" | "OPTIONS")
}

fn is_whole(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}

/// What a request is built from, of a sampler's texts.
pub(crate) fn evaluate(texts: Texts) -> RequestValues {
    let url = url(&texts, &texts.method, texts.encoding()).map(Rc::new);
    let local = &*texts.protocol == FILE;
    RequestValues { url, raw: texts.is_raw(), local, texts }
}

fn parameter(
    argument: &Argument,
    cx: &mut Context,
    value: &mut impl FnMut(Differing<'_>, &Template, &mut Context) -> Rc<str>,
) -> Parameter {
    Parameter {
        name: argument.name.eval_value(cx),
        value: value(Differing::Parameter(argument), &argument.value, cx),
        separator: argument.separator.eval_value(cx),
        encode: argument.encode.get(cx),
    }
}

/// `HTTPSamplerBase.getUrl`.
fn url(texts: &Texts, method: &str, encoding: &str) -> Result<Url, MalformedUrl> {
    let path = &texts.path;
    if is_whole(path) {
        return Url::parse(path);
    }
    let protocol = if texts.protocol.is_empty() { "http" } else { &texts.protocol };
    // Files have no host, and their paths may be relative.
    let local = protocol.eq_ignore_ascii_case(FILE);
    let mut file = String::with_capacity(path.len() + 1 + texts.parameters.len() * 16);
    if !local && !path.starts_with('/') {
        file.push('/');
    }
    file.push_str(path);
    if is_in_query(method) {
        let start = file.len();
        arguments::query_into(&texts.parameters, encoding, &mut file);
        if file.len() > start {
            file.insert(start, if path.contains('?') { '&' } else { '?' });
        }
    }
    if local {
        return Url::from_parts(protocol, "", None, &file);
    }
    let port = texts.port.trim().parse::<i32>().ok().filter(|p| *p != 0);
    let is = |name: &str, port_of: i32| protocol.eq_ignore_ascii_case(name) && port == Some(port_of);
    let port = port.filter(|_| !is("http", 80) && !is("https", 443));
    Url::from_parts(protocol, &texts.domain, port.map(i64::from), &file)
}
