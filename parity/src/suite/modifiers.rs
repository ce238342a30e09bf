//! Pre-processors that change requests, and requests of other windows.

use swell_plan::Node;

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{
    Edit, debug, element, get, loops, parameter, raw, request, set, simple, users, with_parameters,
};

pub(super) fn drafts() -> Vec<Draft> {
    vec![sessions(), session_options(), regex_parameters(), links(), faulty_links(), forms(), graphql()]
}

fn rewriting(name: &str) -> Node {
    element("URLRewritingModifier", "URLRewritingModifierGui", "session", &[("argument_name", name)])
}

/// A page of any content.
fn page(content: &str) -> Node {
    raw("page", "POST", "/echo", content)
}

fn sessions() -> Draft {
    let with = |path: &str| get(path, path).of([rewriting("sid").flag("cache_value", true)]);
    Draft::new(
        "modifier_session",
        "The session of the last response in parameters.",
        [loops(
            users([
                get("before any session", "/none").of([rewriting("sid")]),
                page("<a href='/x?a=b&sid=one%20two'>x</a>"),
                with("/a"),
                with("/kept"),
                page("<input type='hidden' name='sid' value='a+b&c'>"),
                request("in place", "GET", "/p", &[("x", "1"), ("sid", "old"), ("y", "2")])
                    .of([rewriting("sid")]),
                page("<input value=\"turned\" name=\"sid\">"),
                request("form", "POST", "/p", &[("x", "1")]).of([rewriting("sid")]),
                page("nothing here"),
                with("/lost?q=1"),
                get("not kept", "/n").of([rewriting("sid").flag("cache_value", false)]),
                debug("no request").of([rewriting("sid")]),
                get("untouched", "/u"),
                simple(
                    "one for all",
                    [
                        rewriting("sid"),
                        page("/x;sid=kept;"),
                        get("found", "/k"),
                        get("kept", "/k"),
                        get("not kept", "/k").of([rewriting("sid").flag("cache_value", false)]),
                    ],
                ),
            ]),
            "2",
        )],
    )
    .rule("mask bytes")
}

fn session_options() -> Draft {
    let rewritten = |name: &str, path: &str, flags: &[&str]| {
        let element = rewriting("sid");
        let element = flags.iter().fold(element, |element, flag| element.flag(flag, true));
        get(name, path).of([element])
    };
    let source = || page("<a href='/x;sid=a%2Bb?q=1;z'>x</a> <a href='/y;sidw?q'>y</a>");
    Draft::new(
        "modifier_session_options",
        "The session in the path, and how it is cut and encoded.",
        [users([
            source(),
            rewritten("parameter", "/p", &[]),
            source(),
            rewritten("encoded", "/p", &["encode"]),
            source(),
            rewritten("path", "/p", &["path_extension"]),
            source(),
            rewritten(
                "path without question mark",
                "/p",
                &["path_extension", "path_extension_no_questionmark"],
            ),
            source(),
            rewritten("path without equals", "/p", &["path_extension", "path_extension_no_equals"]),
            source(),
            rewritten(
                "without both",
                "/p",
                &["path_extension", "path_extension_no_equals", "path_extension_no_questionmark"],
            ),
            source(),
            rewritten("old session", "/p;sid=old", &["path_extension", "path_extension_no_questionmark"]),
            source(),
            rewritten("query", "/p?q=1", &["path_extension", "path_extension_no_questionmark"]),
            source(),
            rewritten("encoded path", "/p?q=%C3%A9", &["path_extension", "encode"]),
        ])],
    )
}

fn regex_parameters() -> Draft {
    let parameters = |reference: &str, names: &str, values: &str| {
        element(
            "RegExUserParameters",
            "RegExUserParametersGui",
            "parameters",
            &[
                ("RegExUserParameters.regex_ref_name", reference),
                ("RegExUserParameters.param_names_gr_nr", names),
                ("RegExUserParameters.param_values_gr_nr", values),
            ],
        )
    };
    let source = page("<input name='a' value='1'><input name='b' value='x y'><input name='a' value='3'>");
    let found = regex("found", "f", "name='([^']*)' value='([^']*)'", "$0$", "-1", "");
    let fields = [("a", "old"), ("b", "old"), ("c", "old")];
    Draft::new(
        "modifier_regex_parameters",
        "Parameters that an extractor found.",
        [users([
            request("too early", "GET", "/p", &fields).of([parameters("f", "1", "2")]),
            source.of([found]),
            request("query", "GET", "/p", &fields).of([parameters("f", "1", "2")]),
            request("form", "POST", "/p", &fields).of([parameters("f", "1", "2")]),
            request("turned", "GET", "/p", &[("1", "old"), ("x y", "old")]).of([parameters("f", "2", "1")]),
            request("no such group", "GET", "/p", &fields).of([parameters("f", "1", "3")]),
            request("no such name", "GET", "/p", &fields).of([parameters("g", "1", "2")]),
        ])],
    )
}

fn parser() -> Node {
    element("AnchorModifier", "AnchorModifierGui", "links", &[])
}

fn links() -> Draft {
    let to = |name: &str, path: &str, parameters: &[(&str, &str)]| {
        request(name, "GET", path, parameters).of([parser()])
    };
    let source = || {
        page(
            "<html><a href='/one?a=1&amp;b=x%20y'>1</a><a href='two;p?c=d&amp;e'>2</a><a name=n><a href='mailto:x'>\
             <a href=\"javascript:go()\">j</a><frame src='/frame'></html>",
        )
    };
    Draft::new(
        "modifier_links",
        "Links and frames that fit.",
        [users([
            get("no page", "/no").of([parser()]),
            source(),
            to("by path", "/one", &[]),
            source(),
            to("by expression", "/o.*", &[("a", ""), ("b", "")]),
            source(),
            to("not that parameter", "/one", &[("z", "")]),
            source(),
            to("relative", "/two;p", &[("e", "")]),
            source(),
            to("frame", "/frame", &[]),
            source(),
            to("other host", "/one", &[]).text("HTTPSampler.domain", "127[.]0[.]0[.].*"),
            page("<base href='/there/'><a href=here>x</a>"),
            to("base", ".*here", &[]),
        ])],
    )
}

fn faulty_links() -> Draft {
    let to = |name: &str, method: &str, path: &str, parameters: &[(&str, &str)]| {
        request(name, method, path, parameters).of([parser()])
    };
    Draft::new(
        "modifier_links_faults",
        "Pages with faults, mended before they are looked at.",
        [users([
            page(
                "<body><div><form action='/f'><p><input name=a value=1></div><input name=b value=2></form><input name=c value=3>",
            ),
            to("fields", "POST", "/f", &[("a", ".*"), ("b", ".*"), ("c", ".*")]),
            page(
                "<table><form action=/t><tr><td><input name=a value=x y><select name=s>text<option value=1>1<b>2</select></form></table>",
            ),
            to("table", "POST", "/t", &[("a", ".*"), ("s", ".*")]),
            page("<a href='/a b\\c?x=1&copy=2&y=\"z\"'>1<a href=/two>2</a><foo href=/foo><a href=/three"),
            to("written badly", "GET", "/a.*", &[("x", ".*")]),
            page("<a href=/one>1<a href=/two>2</a><foo href=/foo><a href=/three"),
            to("open", "GET", "/three", &[]),
            page(
                "<title><a href=/in-title>x</a></title><!-- <a href=/comment>x</a> --><script><a href=/script>x</a></script><p>y",
            ),
            to("no links", "GET", "/.*", &[]),
            page(
                "<form action=/x><textarea name=t>a<b>c</b></textarea><input name=u value=v><form action=/y><input name=w value=z></form>",
            ),
            to("forms in forms", "POST", "/x", &[("t", ".*"), ("u", ".*"), ("w", ".*")]),
            page("<p>a<![if x]>b<![endif]><a href=/section>c</a>"),
            to("sections", "GET", "/sec.*", &[]),
        ])],
    )
}

fn forms() -> Draft {
    let to = |name: &str, method: &str, path: &str, parameters: &[(&str, &str)]| {
        request(name, method, path, parameters).of([parser()])
    };
    let source = || {
        page(
            "<html><form action='/send?q=1' method='post'><input name='user' value='Ann+B'><input name='token' value='a%26b'>\
             <textarea name='note'>line</textarea><select name='s'><option value='v1'>1</option></select></form>\
             <form action='/other'><input name='x' value='&quot;y&quot;'></form></html>",
        )
    };
    Draft::new(
        "modifier_forms",
        "Fields of forms in the place of those that fit.",
        [users([
            source(),
            to("by name", "POST", "/send", &[("user", ".*"), ("token", ".*"), ("note", ".*")]),
            source(),
            to("by expressions", "POST", "/s.*", &[("us.*", ".*"), ("s", "v.")]),
            source(),
            to("value does not fit", "POST", "/send", &[("user", "Bob"), ("token", ".*")]),
            source(),
            to("get", "GET", "/other", &[("x", ".*")]),
            source(),
            to("nothing fits", "POST", "/nowhere", &[("user", ".*")]),
        ])],
    )
}

fn graphql() -> Draft {
    let query = "query Q($id: ID) {\n  item(id: $id) {\n    name\n  }\n}";
    let body = "{\"operationName\":\"Q\",\"variables\":{\"id\":\"${__P(nothing,7)}\"},\"query\":\"query Q($id: ID) {\\n  item(id: $id) {\\n    name\\n  }\\n}\"}";
    let of_window = |node: Node| {
        let mut node = node
            .text("GraphQLHTTPSampler.operationName", "Q")
            .text("GraphQLHTTPSampler.query", query)
            .text("GraphQLHTTPSampler.variables", "{\"id\":\"${__P(nothing,7)}\"}");
        "GraphQLHTTPSamplerGui".clone_into(&mut node.element.gui_class);
        node
    };
    let parameters = [
        ("operationName", "Q"),
        ("query", "query Q($id: ID) { item(id: $id) { name } }"),
        ("variables", "{\"id\":\"7\"}"),
    ];
    Draft::new(
        "http_graphql",
        "The window of GraphQL writes parameters or a body; its own texts are for the window alone.",
        [users([
            of_window(raw("post", "POST", "/graphql", body)),
            of_window(with_parameters(get("get", "/graphql"), parameters.map(|(n, v)| parameter(n, v))))
                .flag("HTTPSampler.postBodyRaw", false),
            set(
                of_window(get("texts alone", "/graphql")),
                "HTTPSampler.method",
                swell_plan::PropertyValue::Text("POST".to_owned()),
            ),
        ])],
    )
}
