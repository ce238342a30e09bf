//! The parsed texts of an HTTP sampler, merged with its config elements.

use std::rc::Rc;

use swell_api::{Compat, CompileContext, EVENT_SAMPLES, SamplerInput};
use swell_connect::Routes;
use swell_expr::Template;
use swell_plan::{Element, Node, Severity};

use crate::classes;

use super::auth::AuthManager;
use super::embedded::Embedded;
use super::flag::{Flag, parse_flag};
use super::keystore::ClientKeySpec;
use super::managers::{CacheManager, CookieManager};
use super::merge::{APPLIABLE, Merged};
use super::network::{DnsManager, ProxySpec, SourceKind};
use super::reach::{Roots, roots, routes};
use super::settings::Settings;
use super::version::HttpVersion;

/// Property of an element or of the run: the events of a response are measured.
const EVENTS: &str = "swell.http.events";

/// Events of a response that have sub-samples, where [`EVENT_SAMPLES`] says nothing.
const EVENT_SAMPLES_DEFAULT: i64 = 100;

/// A parameter.
pub(crate) struct Argument {
    pub(crate) name: Template,
    pub(crate) value: Template,
    /// The text between name and value: `=` or nothing.
    pub(crate) separator: Template,
    /// `HTTPArgument.always_encode`.
    pub(crate) encode: Flag,
}

/// A file to send.
pub(crate) struct FileSpec {
    pub(crate) path: Template,
    /// Name of the parameter.
    pub(crate) name: Template,
    pub(crate) mime: Template,
}

/// The sampler's settings for files and multipart forms.
pub(crate) struct Upload {
    /// `HTTPSampler.DO_MULTIPART_POST`.
    pub(crate) multipart: Flag,
    /// `HTTPSampler.BROWSER_COMPATIBLE_MULTIPART`.
    pub(crate) browser: Flag,
    pub(crate) files: Vec<FileSpec>,
    /// `HTTPArgument.content_type` of the parameters.
    pub(crate) types: Vec<Template>,
    /// The content type of the body does not name its charset, as JMeter 6.0 leaves it out.
    pub(crate) without_charset: bool,
}

/// A line of a Header Manager.
pub(crate) struct HeaderLine {
    pub(crate) name: Template,
    pub(crate) value: Template,
}

/// An HTTP sampler.
pub(crate) struct Spec {
    pub(crate) protocol: Template,
    pub(crate) domain: Template,
    pub(crate) port: Template,
    pub(crate) path: Template,
    pub(crate) method: Template,
    pub(crate) encoding: Template,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) raw: Flag,
    /// None where there are neither files nor parts.
    pub(crate) upload: Option<Box<Upload>>,
    pub(crate) follow: Flag,
    pub(crate) auto: Flag,
    pub(crate) keep_alive: Flag,
    pub(crate) md5: Flag,
    /// The times of server-sent events are measured ([`EVENTS`]).
    pub(crate) events: Flag,
    /// Most sub-samples for the events of a response.
    pub(crate) event_samples: usize,
    /// None where the resources of pages are not fetched.
    pub(crate) embedded: Option<Box<Embedded>>,
    pub(crate) connect_timeout: Template,
    pub(crate) response_timeout: Template,
    pub(crate) source: Template,
    pub(crate) source_kind: SourceKind,
    /// Header Managers, innermost first.
    pub(crate) headers: Vec<Vec<HeaderLine>>,
    /// The element of the only Header Manager, by which a user's changes of it are found.
    pub(crate) header_manager: Option<u32>,
    pub(crate) cookies: Option<Rc<CookieManager>>,
    pub(crate) cache: Option<Rc<CacheManager>>,
    pub(crate) auth: Option<AuthManager>,
    pub(crate) dns: Option<DnsManager>,
    pub(crate) proxy: Option<Box<ProxySpec>>,
    /// `None` without a key store.
    pub(crate) keys: Option<Box<ClientKeySpec>>,
    /// Who signs what servers show.
    pub(crate) roots: Roots,
    /// Where connections go instead.
    pub(crate) routes: Option<Routes>,
    /// The version of HTTP.
    pub(crate) version: HttpVersion,
    /// A script may set it before it runs.
    pub(crate) may_be_set: bool,
    pub(crate) settings: Rc<Settings>,
}

impl Spec {
    /// Merges and parses.
    pub(crate) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let sampler = &input.sampler.element;
        let settings = Rc::new(Settings::new(sampler, compile));
        let may_be_set = !swell_api::is_as_planned(sampler);
        let merged = Merged::new(input, &APPLIABLE);
        let text = |name: &str| match merged.find(name) {
            Some((element, text)) => compile.text(element, name, text),
            None => Template::constant_text(""),
        };
        let flag = |name: &str| parse_flag(merged.find(name), name, compile);
        // The outermost manager supersedes the others (`setCookieManager` is called innermost
        // first).
        let last = |class: &str| input.configs.iter().rev().find(|node| node.element.class == class);
        let mut arguments = merged.members("HTTPsampler.Arguments", "Arguments.arguments");
        if Compat::is_6(&compile.props) {
            arguments.retain(|argument| argument.flag("TestElement.enabled", true));
        }
        let upload = upload(&merged, &arguments, flag("HTTPSampler.DO_MULTIPART_POST"), compile);
        let event_samples = usize::try_from(compile.props.number(EVENT_SAMPLES, EVENT_SAMPLES_DEFAULT));
        let managers = input.configs.iter().filter(|node| node.element.class == classes::HEADERS);
        Self {
            protocol: text("HTTPSampler.protocol"),
            domain: text("HTTPSampler.domain"),
            port: text("HTTPSampler.port"),
            path: text("HTTPSampler.path"),
            method: match merged.find("HTTPSampler.method") {
                Some((element, text)) => compile.text(element, "HTTPSampler.method", text),
                // The default is for a plan without the property; an empty one is not a method.
                None if sampler.property("HTTPSampler.method").is_none() => Template::constant_text("GET"),
                None => Template::constant_text(""),
            },
            encoding: text("HTTPSampler.contentEncoding"),
            arguments: arguments.into_iter().map(|element| argument(element, compile)).collect(),
            raw: flag("HTTPSampler.postBodyRaw"),
            upload,
            follow: flag("HTTPSampler.follow_redirects"),
            auto: flag("HTTPSampler.auto_redirects"),
            keep_alive: if sampler.class == classes::BZM_HTTP {
                // bzm's client keeps connections whatever the plan says.
                Flag::Is(true)
            } else {
                flag("HTTPSampler.use_keepalive")
            },
            md5: flag("HTTPSampler.md5"),
            events: match merged.find(EVENTS) {
                None => Flag::Is(compile.props.flag(EVENTS, false)),
                found => parse_flag(found, EVENTS, compile),
            },
            event_samples: event_samples.unwrap_or(0),
            embedded: Embedded::new((&merged, sampler), may_be_set, compile),
            connect_timeout: text("HTTPSampler.connect_timeout"),
            response_timeout: text("HTTPSampler.response_timeout"),
            source: text("HTTPSampler.ipSource"),
            source_kind: SourceKind::new(&merged, compile),
            header_manager: managers
                .clone()
                .next()
                .filter(|_| managers.clone().count() == 1)
                .map(|node| node.id.0),
            headers: managers.map(|node| header_lines(node, compile)).collect(),
            cookies: last(classes::COOKIES).map(|node| Rc::new(CookieManager::new(node, &settings, compile))),
            dns: last(classes::DNS).map(|node| DnsManager::new(node, compile)),
            proxy: ProxySpec::new(&merged, compile),
            auth: last(classes::AUTHORIZATION).map(|node| AuthManager::new(node, compile)),
            cache: last(classes::CACHE).map(|node| Rc::new(CacheManager::new(node))),
            keys: ClientKeySpec::new(last(classes::KEYSTORE).copied(), sampler, compile),
            roots: roots(sampler, compile),
            routes: routes(sampler, compile),
            version: HttpVersion::new(&merged, sampler, compile),
            may_be_set,
            settings,
        }
    }

    /// Whether samples may keep the digest of a body, of which all must come then.
    pub(crate) fn may_digest(&self) -> bool {
        self.may_be_set
            || !matches!(self.md5, Flag::Is(false))
            || self.embedded.is_some() && self.settings.pages.digests
    }

    /// Whether only a change of the run's properties can change the parts other than the path and
    /// the values of parameters and headers.
    pub(crate) fn has_settled_frame(&self) -> bool {
        let texts = [&self.protocol, &self.domain, &self.port, &self.method, &self.encoding];
        let arguments = self.arguments.iter().flat_map(|a| [&a.name, &a.separator]);
        let headers = self.headers.iter().flatten().map(|h| &h.name);
        let flags = [&self.raw, &self.keep_alive].into_iter().chain(self.arguments.iter().map(|a| &a.encode));
        self.upload.is_none()
            && self.proxy.is_none()
            && texts.into_iter().chain(arguments).chain(headers).all(Template::is_settled)
            && flags.into_iter().all(Flag::is_constant)
    }

    /// Whether only a change of the run's properties can change the request.
    pub(crate) fn is_settled(&self) -> bool {
        let texts = [&self.protocol, &self.domain, &self.port, &self.path, &self.method, &self.encoding];
        let arguments = self.arguments.iter().flat_map(|a| [&a.name, &a.value, &a.separator]);
        let headers = self.headers.iter().flatten().flat_map(|h| [&h.name, &h.value]);
        let flags = [&self.raw, &self.keep_alive].into_iter().chain(self.arguments.iter().map(|a| &a.encode));
        self.upload.is_none()
            && self.proxy.as_ref().is_none_or(|proxy| proxy.is_settled())
            && texts.into_iter().chain(arguments).chain(headers).all(Template::is_settled)
            && flags.into_iter().all(Flag::is_constant)
    }
}

fn argument(element: &Element, compile: &CompileContext) -> Argument {
    let name = "HTTPArgument.always_encode";
    // JMeter makes an HTTPArgument of a plain Argument, and such a one is always encoded.
    let plain = element.class.rsplit('.').next() == Some("Argument");
    Argument {
        name: compile.template(element, "Argument.name", ""),
        value: compile.template(element, "Argument.value", ""),
        separator: compile.template(element, "Argument.metadata", ""),
        encode: match element.text(name) {
            None if plain => Flag::Is(true),
            text => parse_flag(text.map(|text| (element, text)), name, compile),
        },
    }
}

fn upload(
    merged: &Merged<'_>,
    arguments: &[&Element],
    multipart: Flag,
    compile: &CompileContext,
) -> Option<Box<Upload>> {
    let files = merged.members("HTTPsampler.Files", "HTTPFileArgs.files");
    if files.is_empty() && matches!(multipart, Flag::Is(false)) {
        return None;
    }
    let files = files.into_iter().map(|file| FileSpec {
        path: compile.template(file, "File.path", ""),
        name: compile.template(file, "File.paramname", ""),
        mime: compile.template(file, "File.mimetype", ""),
    });
    let kind = |argument: &&Element| compile.template(argument, "HTTPArgument.content_type", "text/plain");
    let browser = "HTTPSampler.BROWSER_COMPATIBLE_MULTIPART";
    Some(Box::new(Upload {
        multipart,
        browser: parse_flag(merged.find(browser), browser, compile),
        files: files.collect(),
        types: arguments.iter().map(kind).collect(),
        without_charset: Compat::is_6(&compile.props),
    }))
}

/// Says where a plan asks for a coding that nothing decodes, as recordings of browsers do.
fn note_coding(node: &Node, compile: &CompileContext) {
    let mut lines = node.element.elements("HeaderManager.headers");
    let asks = lines.any(|line| {
        let is_accept = line.text_or_empty("Header.name").eq_ignore_ascii_case("accept-encoding");
        is_accept && line.text_or_empty("Header.value").to_ascii_lowercase().contains("zstd")
    });
    if asks {
        let message = "Accept-Encoding asks for zstd, which is not decoded, as in JMeter: no assertion or \
                       extractor can read such bodies";
        let hint = Some("use gzip, deflate, br");
        super::keystore::note_once(compile, &node.element, Severity::Warning, message, hint);
    }
}

fn header_lines(node: &Node, compile: &CompileContext) -> Vec<HeaderLine> {
    let lines = node.element.elements("HeaderManager.headers").map(|line| HeaderLine {
        name: compile.template(line, "Header.name", ""),
        value: compile.template(line, "Header.value", ""),
    });
    note_coding(node, compile);
    lines.collect()
}
