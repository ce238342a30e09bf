//! Links, forms and frames of a page, as the HTML Link Parser sees them.

use swell_expr::Charset;
use swell_expr::Value;
use swell_query::PageTidier;

use crate::request::Parameter;
use crate::text::form;
use crate::url::{Url, relative_url};

use super::form_fields::{Page, read};

/// Where a page leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) protocol: &'static str,
    pub(super) domain: String,
    pub(super) path: String,
    pub(super) parameters: Vec<Parameter>,
    /// Its parameters are fields of a form.
    pub(super) is_form: bool,
}

/// All of them: links, then forms, then frames.
pub(super) fn links(page: &str, url: &Url, tidier: &dyn PageTidier) -> Vec<Link> {
    let start = page.find('<').unwrap_or(0);
    let Page { base, anchors, frames, forms, .. } = read(&page[start..], tidier);
    let base = relative_url(url, base.as_deref().unwrap_or_default());
    let link = |href: &String| Link::new(href, base.as_ref().ok()?, false);
    let mut all: Vec<Link> =
        anchors.iter().filter(|href| !href.starts_with("javascript:")).filter_map(link).collect();
    for form in forms {
        // A form does not look at the page's base.
        let Some(mut link) = Link::new(&form.action, url, true) else { continue };
        link.parameters.extend(form.fields.iter().map(|(name, value)| decoded(name, value)));
        all.push(link);
    }
    all.extend(frames.iter().filter_map(link));
    all
}

impl Link {
    fn new(href: &str, context: &Url, is_form: bool) -> Option<Self> {
        let url = relative_url(context, href).ok()?;
        let pairs = url.query().unwrap_or_default().split('&');
        let parameter = |pair: &str| {
            let (name, separator, value) = match pair.split_once('=') {
                Some((name, value)) => (name, "=", value),
                None => (pair, "", ""),
            };
            (!name.is_empty()).then(|| Parameter::as_written(name, separator, value))
        };
        Some(Self {
            protocol: url.protocol(),
            domain: url.host().to_owned(),
            path: url.path().to_owned(),
            parameters: pairs.filter_map(parameter).collect(),
            is_form,
        })
    }

    /// The query without escapes.
    pub(super) fn plain_query(&self) -> String {
        let plain = |text: &Value, encode: bool| match form::decode(text, Charset::default()) {
            Ok(plain) if !encode => plain,
            _ => text.to_string(),
        };
        let pairs = self
            .parameters
            .iter()
            .filter(|p| !p.name.is_empty())
            .map(|p| format!("{}{}{}", plain(&p.name, p.encode), p.separator, plain(&p.value, p.encode)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

/// A field of a form, which counts as encoded.
fn decoded(name: &str, value: &str) -> Parameter {
    let plain = |text: &str| form::decode(text, Charset::default()).unwrap_or_else(|_| text.to_owned());
    Parameter::encoded(&plain(name), &plain(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(page: &str) -> Vec<String> {
        let url = Url::parse("http://h:1/d/p?q").unwrap();
        let all = links(page, &url, swell_legacy::TIDIER);
        all.iter()
            .map(|l| {
                format!(
                    "{}{}://{}{}?{}",
                    if l.is_form { "form " } else { "" },
                    l.protocol,
                    l.domain,
                    l.path,
                    l.plain_query()
                )
            })
            .collect()
    }

    #[test]
    fn links_and_frames() {
        let page = "x <a href='/a?b=1&amp;c&=d&e=%20f'>l</a><a name=n><a href=rel><A HREF=javascript:x><a href=mailto:x>\
                    <frame src=https://s/f><a href='http://[zz/'>";
        let wanted = ["http://h/a?b=1&c&e= f", "http://h/d/rel?"];
        assert_eq!(shown(page), wanted, "a frame in a body is none");
        assert_eq!(shown("<frameset><frame src=https://s/f><frame></frameset>"), ["https://s/f?"]);
        assert_eq!(
            shown("<base href='/b/'><a href=x>l</a><form action=y>z</form><form action=empty></form>"),
            ["http://h/b/x?", "form http://h/d/y?"]
        );
        assert!(shown("no page").is_empty());
    }

    #[test]
    fn forms_take_all_that_follows() {
        let page = "<input name=before value=1><form action='f?x=1'><input name=a value='b+c'><input value=v>\
                    <textarea name=t>text &amp; more</textarea><textarea name=e></textarea>\
                    <select name=s><option value=1>one<option>two</select></form><input name=after>\
                    <form><input name=lost></form><form action=g><input name=z value=&quot;></form>";
        // JTidy puts a field that is in no form into one of its own, which leads nowhere.
        let wanted = ["form http://h/d/f?x=1&a=b c&t=text & more&e=&s=1&s=", "form http://h/d/g?z=\""];
        assert_eq!(shown(page), wanted);
    }
}
