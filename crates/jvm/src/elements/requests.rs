//! The coming request as scripts see it, and what they change of it.

use swell_api::{RequestArgument, RequestEdit, RequestTexts};

use crate::{Argument, Sampler};

const CLASS: &str = "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy";
const DOMAIN: &str = "HTTPSampler.domain";
const PORT: &str = "HTTPSampler.port";
const PROTOCOL: &str = "HTTPSampler.protocol";
const METHOD: &str = "HTTPSampler.method";
const PATH: &str = "HTTPSampler.path";
const ENCODING: &str = "HTTPSampler.contentEncoding";
const RAW_BODY: &str = "HTTPSampler.postBodyRaw";

/// A request as the sampler that would send it.
pub(super) fn shown<'a>(name: &'a str, request: &'a RequestTexts) -> Sampler<'a> {
    let argument = |argument: &'a RequestArgument| Argument {
        name: &argument.name,
        value: &argument.value,
        encode: argument.encode,
        use_equals: !argument.separator.is_empty(),
        content_type: "",
    };
    Sampler {
        class: CLASS,
        name,
        properties: vec![
            (DOMAIN, &request.host),
            (PORT, &request.port),
            (PROTOCOL, &request.protocol),
            (METHOD, &request.method),
            (PATH, &request.path),
            (ENCODING, &request.encoding),
            (RAW_BODY, if request.is_raw_body { "true" } else { "false" }),
        ],
        arguments: request.arguments.iter().map(argument).collect(),
        headers: request.headers.iter().map(|(name, value)| (&**name, &**value)).collect(),
    }
}

/// What a script made of it, and properties that it set and that no edit of a request can follow.
pub(super) fn edit(before: &RequestTexts, after: &Sampler<'_>) -> (RequestEdit, Vec<String>) {
    let value = |name: &str| {
        let found = after.properties.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned()).unwrap_or_default()
    };
    let changed = |name: &str, before: &str| Some(value(name)).filter(|now| now != before);
    let argument = |argument: &Argument<'_>| RequestArgument {
        name: argument.name.to_owned(),
        value: argument.value.to_owned(),
        separator: if argument.use_equals { "=" } else { "" }.to_owned(),
        encode: argument.encode,
    };
    let arguments: Vec<_> = after.arguments.iter().map(argument).collect();
    let headers: Vec<_> =
        after.headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let is_raw_body = value(RAW_BODY) == "true";
    let edit = RequestEdit {
        protocol: changed(PROTOCOL, &before.protocol),
        host: changed(DOMAIN, &before.host),
        port: changed(PORT, &before.port),
        method: changed(METHOD, &before.method),
        path: changed(PATH, &before.path),
        encoding: changed(ENCODING, &before.encoding),
        arguments: (arguments != before.arguments).then_some(arguments),
        is_raw_body: (is_raw_body != before.is_raw_body).then_some(is_raw_body),
        headers: (headers != before.headers).then_some(headers),
    };
    let known = [DOMAIN, PORT, PROTOCOL, METHOD, PATH, ENCODING, RAW_BODY];
    let others = after.properties.iter().map(|(name, _)| *name);
    let lost = others.filter(|name| name.starts_with("HTTPSampler.") && !known.contains(name));
    (edit, lost.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_script_changed_is_edited() {
        let before = RequestTexts {
            host: "h".into(),
            path: "/a".into(),
            method: "GET".into(),
            arguments: vec![RequestArgument {
                name: "p".into(),
                separator: "=".into(),
                ..Default::default()
            }],
            headers: vec![("A".into(), "b".into())],
            ..RequestTexts::default()
        };
        let mut sampler = shown("s", &before);
        assert_eq!(edit(&before, &sampler), (RequestEdit::default(), Vec::new()));
        sampler.properties.retain(|(name, _)| *name != PATH);
        sampler.properties.extend([(PATH, "/b"), ("HTTPSampler.follow_redirects", "true")]);
        sampler.headers.push(("C", "d"));
        let (edit, lost) = edit(&before, &sampler);
        assert_eq!((edit.path.as_deref(), edit.headers.map(|all| all.len())), (Some("/b"), Some(2)));
        assert_eq!((edit.arguments, edit.host), (None, None));
        assert_eq!(lost, ["HTTPSampler.follow_redirects"]);
    }
}
