//! The next request as scripts see it, and their changes to it.

use swell_api::{
    ListEdit, ManagerChanges, RequestArgument, RequestCookie, RequestEdit, RequestFile, RequestTexts,
    SamplerTexts, SamplerView,
};

use crate::{Argument, Cookie, File, Sampler};

const CLASS: &str = "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy";
const DOMAIN: &str = "HTTPSampler.domain";
const PORT: &str = "HTTPSampler.port";
const PROTOCOL: &str = "HTTPSampler.protocol";
const METHOD: &str = "HTTPSampler.method";
const PATH: &str = "HTTPSampler.path";
const ENCODING: &str = "HTTPSampler.contentEncoding";
const RAW_BODY: &str = "HTTPSampler.postBodyRaw";
/// What is evaluated, shown, and taken over where a script changes it.
const EDITED: [&str; 7] = [DOMAIN, PORT, PROTOCOL, METHOD, PATH, ENCODING, RAW_BODY];
/// What is shown where it is constant, and taken over where a script changes it.
const SETTINGS: [&str; 19] = [
    "HTTPSampler.follow_redirects",
    "HTTPSampler.auto_redirects",
    "HTTPSampler.use_keepalive",
    "HTTPSampler.md5",
    "HTTPSampler.connect_timeout",
    "HTTPSampler.response_timeout",
    "HTTPSampler.ipSource",
    "HTTPSampler.ipSourceType",
    "HTTPSampler.DO_MULTIPART_POST",
    "HTTPSampler.BROWSER_COMPATIBLE_MULTIPART",
    "HTTPSampler.proxyHost",
    "HTTPSampler.proxyPort",
    "HTTPSampler.proxyUser",
    "HTTPSampler.proxyPass",
    "HTTPSampler.image_parser",
    "HTTPSampler.concurrentDwn",
    "HTTPSampler.concurrentPool",
    "HTTPSampler.embedded_url_re",
    "HTTPSampler.embedded_url_exclude_re",
];

/// A sampler in the form sent to the JVM; `None` if it is not sent.
pub(super) fn shown<'a>(name: &'a str, sampler: &'a SamplerView) -> Option<Sampler<'a>> {
    match sampler {
        SamplerView::No => None,
        SamplerView::Request(request) => Some(of_request(name, request)),
        SamplerView::Properties(texts) => Some(of_properties(name, texts)),
    }
}

/// A sampler in the form sent to the JVM, by its properties.
pub(super) fn of_properties<'a>(name: &'a str, texts: &'a SamplerTexts) -> Sampler<'a> {
    let properties = texts.properties.iter().map(|(name, value)| (&**name, &**value));
    Sampler {
        class: swell_plan::class_of(&texts.class),
        name,
        properties: properties.collect(),
        ..Sampler::default()
    }
}

/// The properties of a sampler that a script has set, with what they are now; those that it removed
/// are empty.
pub(super) fn changed<'a>(before: &'a SamplerTexts, after: &Sampler<'a>) -> Vec<(&'a str, &'a str)> {
    let was = |name: &str| before.properties.iter().find(|(known, _)| **known == *name);
    let is_new = |(name, value): &(&str, &str)| was(name).is_none_or(|(_, was)| was != value);
    let stays = |name: &str| after.properties.iter().any(|(known, _)| *known == name);
    let removed = before.properties.iter().filter(|(name, was)| !stays(name) && !was.is_empty());
    let new = after.properties.iter().copied().filter(is_new);
    new.chain(removed.map(|(name, _)| (&**name, ""))).collect()
}

/// A request as the sampler that would send it.
fn of_request<'a>(name: &'a str, request: &'a RequestTexts) -> Sampler<'a> {
    let argument = |argument: &'a RequestArgument| Argument {
        name: &argument.name,
        value: &argument.value,
        encode: argument.encode,
        use_equals: !argument.separator.is_empty(),
        content_type: &argument.content_type,
    };
    let file =
        |file: &'a RequestFile| File { path: &file.path, name: &file.name, content_type: &file.content_type };
    let mut properties: Vec<(&str, &str)> = vec![
        (DOMAIN, &request.host),
        (PORT, &request.port),
        (PROTOCOL, &request.protocol),
        (METHOD, &request.method),
        (PATH, &request.path),
        (ENCODING, &request.encoding),
        (RAW_BODY, if request.is_raw_body { "true" } else { "false" }),
    ];
    properties.extend(others(request));
    let has_headers = request.header_managers > 0 || !request.headers.is_empty();
    Sampler {
        class: CLASS,
        name,
        properties,
        arguments: request.arguments.iter().map(argument).collect(),
        files: request.files.iter().map(file).collect(),
        headers: has_headers
            .then(|| request.headers.iter().map(|(name, value)| (&**name, &**value)).collect()),
        cookies: request.cookies.as_ref().map(|cookies| cookies.iter().map(cookie).collect()),
        ..Sampler::default()
    }
}

fn cookie(cookie: &RequestCookie) -> Cookie<'_> {
    let RequestCookie { secure, domain_given, path_given, .. } = *cookie;
    let RequestCookie { name, value, domain, path, .. } = cookie;
    Cookie { name, value, domain, path, secure, domain_given, path_given }
}

/// What a script made of the cookies; none if it changed none.
fn cookies(before: &RequestTexts, after: &Sampler<'_>) -> Option<Vec<ListEdit<RequestCookie>>> {
    let cookie = |cookie: &Cookie<'_>| RequestCookie {
        name: cookie.name.to_owned(),
        value: cookie.value.to_owned(),
        domain: cookie.domain.to_owned(),
        path: cookie.path.to_owned(),
        secure: cookie.secure,
        domain_given: cookie.domain_given,
        path_given: cookie.path_given,
    };
    let after = after.cookies.as_ref()?.iter().map(cookie).collect();
    ListEdit::between(before.cookies.as_ref()?, after)
}

/// The properties of a request as in the plan, or as a script has set them before.
fn others(request: &RequestTexts) -> impl Iterator<Item = (&str, &str)> {
    let is_set = |name: &str| request.settings.iter().any(|(set, _)| **set == *name);
    let plan = request.others.iter().filter(move |(name, _)| !EDITED.contains(&&**name) && !is_set(name));
    let all = plan.map(|(name, value)| (&**name, &**value));
    all.chain(request.settings.iter().map(|(name, value)| (&**name, &**value)))
}

/// Its other settings that a script has set, and those that no edit can follow. What it has removed
/// is empty.
fn other_changes(before: &RequestTexts, after: &Sampler<'_>) -> (Vec<(String, String)>, Vec<String>) {
    let was: Vec<_> = others(before).collect();
    let stays = |name: &str| after.properties.iter().any(|(known, _)| *known == name);
    let removed =
        was.iter().filter(|(name, text)| !stays(name) && !text.is_empty()).map(|(name, _)| (*name, ""));
    let set = after.properties.iter().copied().filter(|set| !was.contains(set)).chain(removed);
    let set = set.filter(|(name, _)| name.starts_with("HTTPSampler.") && !EDITED.contains(name));
    let (followed, lost): (Vec<_>, Vec<_>) = set.partition(|(name, _)| SETTINGS.contains(name));
    let followed = followed.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned()));
    (followed.collect(), lost.into_iter().map(|(name, _)| name.to_owned()).collect())
}

/// A script's changes to a request and to the managers in its scope.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RequestChanges {
    pub(super) request: RequestEdit,
    pub(super) managers: ManagerChanges,
    /// Properties that it set and that no edit can follow.
    pub(super) lost: Vec<String>,
}

/// What a script made of a request.
pub(super) fn edit(before: &RequestTexts, after: &Sampler<'_>) -> RequestChanges {
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
        content_type: argument.content_type.to_owned(),
    };
    let arguments: Vec<_> = after.arguments.iter().map(argument).collect();
    let file = |file: &File<'_>| RequestFile {
        path: file.path.to_owned(),
        name: file.name.to_owned(),
        content_type: file.content_type.to_owned(),
    };
    let files = after.files.iter().map(file).collect();
    let headers: Vec<_> = after
        .headers
        .iter()
        .flatten()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let is_raw_body = value(RAW_BODY) == "true";
    // Several managers are merged for each sample, as is one that a script made with what was
    // there, so their lines are those of the sample.
    let is_of_manager = before.header_managers == 1 && !after.has_other_headers;
    let headers = ListEdit::between(&before.headers, headers);
    let (settings, lost) = other_changes(before, after);
    let request = RequestEdit {
        protocol: changed(PROTOCOL, &before.protocol),
        host: changed(DOMAIN, &before.host),
        port: changed(PORT, &before.port),
        method: changed(METHOD, &before.method),
        path: changed(PATH, &before.path),
        encoding: changed(ENCODING, &before.encoding),
        arguments: ListEdit::between(&before.arguments, arguments),
        files: ListEdit::between(&before.files, files),
        settings,
        is_raw_body: (is_raw_body != before.is_raw_body).then_some(is_raw_body),
        headers: if is_of_manager { None } else { headers.clone() },
    };
    let managers =
        ManagerChanges { cookies: cookies(before, after), headers: headers.filter(|_| is_of_manager) };
    RequestChanges { request, managers, lost }
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
            others: vec![("HTTPSampler.response_timeout".into(), "300".into())],
            ..RequestTexts::default()
        };
        let mut sampler = of_request("s", &before);
        assert_eq!(edit(&before, &sampler), RequestChanges::default());
        sampler.properties.retain(|(name, _)| ![PATH, "HTTPSampler.response_timeout"].contains(name));
        let timeout = ("HTTPSampler.connect_timeout", "5");
        let client = "HTTPSampler.implementation";
        sampler.properties.extend([(PATH, "/b"), timeout, (client, "Java")]);
        sampler.files.push(File { path: "f", ..File::default() });
        sampler.headers.get_or_insert_default().push(("C", "d"));
        let RequestChanges { request, managers, lost } = edit(&before, &sampler);
        assert_eq!((request.path.as_deref(), request.headers.map(|all| all.len())), (Some("/b"), Some(2)));
        assert_eq!((request.arguments, request.host), (None, None));
        assert_eq!(request.files.as_ref().map(Vec::len), Some(1));
        let set: Vec<_> = request.settings.iter().map(|(name, text)| (&**name, &**text)).collect();
        assert_eq!(set, [timeout, ("HTTPSampler.response_timeout", "")]);
        assert_eq!((managers, lost), (ManagerChanges::default(), vec![client.to_owned()]));
        let later = RequestTexts { settings: request.settings, ..before.clone() };
        assert!(of_request("s", &later).properties.contains(&timeout), "later scripts see it");
        let before = RequestTexts { header_managers: 1, ..before.clone() };
        let changed = edit(&before, &sampler);
        assert_eq!((changed.request.headers, changed.managers.headers.map(|all| all.len())), (None, Some(2)));
        sampler.has_other_headers = true;
        let changed = edit(&before, &sampler);
        assert_eq!((changed.request.headers.map(|all| all.len()), changed.managers.headers), (Some(2), None));
    }
}
