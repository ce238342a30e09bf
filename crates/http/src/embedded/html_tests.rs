use std::rc::Rc;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::*;

fn found_by(text: &str, explorer: Option<f32>) -> Vec<String> {
    let base = Rc::new(Url::parse("http://h/d/p.html?q").unwrap());
    let urls = resources(text, &base, explorer, &Budget::unlimited()).unwrap();
    urls.iter()
        .map(|url| url.as_str().strip_prefix("http://h/d/").unwrap_or(url.as_str()).to_owned())
        .collect()
}

// Each line of the tables was given to JMeter's LagartoBasedHtmlParser.

#[test]
fn tags_and_attributes() {
    let table: [(&str, &[&str]); 20] = [
        ("<img src=a><IMG SRC=\"b\"><img src='a'>", &["a", "b"]),
        (
            "<body background=a><td background=b><table background=c style=\"x\"><div background=d>",
            &["a", "b", "c", "d"],
        ),
        ("<input type=image src=a><input type=IMAGE src=b><input type=text src=c><input src=d>", &["a", "b"]),
        (
            "<link rel=stylesheet href=a><link rel=\"Shortcut Icon\" href=b><link rel=icon href=c><link rel=preload href=d>\
             <link rel=\"alternate stylesheet\" href=e><link rel=\" stylesheet\" href=f>",
            &["a", "b", "c", "d"],
        ),
        (
            "<object data=a codebase=b><embed src=c><bgsound src=d><frame src=e><applet code=f>\
             <applet code=g codebase=h archive=i><applet code=g codebase=h>",
            &["b", "a", "c", "d", "e", "f", "h/i", "h/g"],
        ),
        ("</img src=x><a href=l><video src=v poster=p><source src=s><picture><source srcset=q>", &[]),
        ("<svg><image href=a><script src=b></script><style><img src=c></style></svg>", &["b"]),
        ("<img src=a src=b><img/src=c><img   src = d ><img src='e'alt=x src=f>", &["a", "c", "d", "e"]),
        ("<img\nsrc\n=\na\n><imgx src=b><img:src src=c>", &["a"]),
        ("<img src=\" a\nb \"><img src=\"\"><img src=\" \">", &["ab"]),
        ("<img src=`a`><img src=\"a\"b=\"c\"><img src=a/><img src=a / >", &["`a`", "a", "a/"]),
        (
            "<img src=\"a&amp;b=1\"><img src=\"a?x=1&lt=2&copy=3\"><img src=\"&#97;&#x62;\">",
            &["a&b=1", "a?x=1&lt=2&copy=3", "ab"],
        ),
        ("<img src=\"a&amp;amp;b\">", &["a&b"]),
        ("<img src=a<img src=b>", &["a<img"]),
        ("<img src=\"a", &[]),
        (
            "<img src=\"http://h2/a b\"><img src=\"//h3/x\"><img src=\"?z\"><img src=\"#f\"><img src=\"../../../x\">\
             <img src=\"data:image/png;base64,AA\"><img src=\"javascript:x\">",
            &["http://h2/a b", "http://h3/x", "?z", "p.html?q#f", "http://h/x"],
        ),
        (
            "<base href=\"http://x/y/\"><img src=a><base href=\"z/\"><img src=b>",
            &["http://x/y/a", "http://x/y/z/b"],
        ),
        ("<base><img src=a><base href=\"\"><img src=b>", &["a", "b"]),
        ("<img style=\"x:url('s')\" src=a>", &["a", "s"]),
        ("<object codebase=\"http://x/y\" data=\"z\"></object>", &["http://x/y", "z"]),
    ];
    for (text, wanted) in table {
        assert_eq!(found_by(text, None), wanted, "{text}");
    }
}

#[test]
fn texts_that_hold_no_tags() {
    let table: [(&str, &[&str]); 15] = [
        ("<script src=a>var x='<img src=b>';</script><img src=c>", &["a", "c"]),
        ("<script src=a/><img src=b></script><img src=c>", &["a/", "c"]),
        ("<script src=\"a\" /><img src=b>", &["a"]),
        ("<style>@import \"x.css\"; <img src=b></style><img src=c>", &["c"]),
        ("<noscript><img src=b></noscript><img src=c>", &["c"]),
        ("<iframe src=f><img src=b></iframe><img src=c>", &["f", "c"]),
        (
            "<textarea><img src=b></textarea><title><img src=t></title><xmp><img src=x></xmp><img src=c>",
            &["c"],
        ),
        ("<textarea/><img src=b></textarea><img src=c>", &["c"]),
        ("<!-- <img src=b> --><!--[if IE]><img src=b><![endif]--><img src=c>", &["c"]),
        ("<![if !IE]><img src=b><![endif]><img src=c>", &["b", "c"]),
        ("<?xml version=\"1.0\"?><!DOCTYPE html><![CDATA[<img src=x>]]><img src=a>", &["a"]),
        ("<plaintext><img src=a>", &["a"]),
        (
            "<noembed><img src=a></noembed><noframes><img src=b></noframes><frameset><frame src=c></frameset>",
            &["c"],
        ),
        ("<script><!-- <script> </script> --> <img src=a></script><img src=b>", &["b"]),
        ("<title>a<img src=b></title", &[]),
    ];
    for (text, wanted) in table {
        assert_eq!(found_by(text, None), wanted, "{text}");
    }
}

#[test]
fn styles_of_elements() {
    let table: [(&str, &[&str]); 6] = [
        ("<div style=\"background:url('a'); x: url(&quot;b&quot;)\">", &["a'); x: url(\"b"]),
        ("<p style='x:URL( \"c\" )'><p style=\"url(d)\">", &["c"]),
        ("<div style=\"a:url('a')\nb:url('c')\">", &["a')\nb:url('c"]),
        ("<div style='x:url(\"a&#39;\")'>", &["a'"]),
        ("<a style=\"background-image:url( 'a.png' )\"></a>", &["a.png"]),
        ("<a style=\"x:url(plain) y:url('b' ) z\">", &["b"]),
    ];
    for (text, wanted) in table {
        assert_eq!(found_by(text, None), wanted, "{text}");
    }
}

#[test]
fn conditions_of_internet_explorer() {
    let table: [(&str, &[&str]); 7] = [
        ("<!--[if IE]><img src=a><![endif]--><img src=b>", &["b"]),
        (
            "<!--[if lt IE 9]><img src=a><![endif]--><!--[if gte IE 9]><img src=b><![endif]--><!--[if IE \
             8]><img src=c><![endif]-->",
            &["a", "c"],
        ),
        ("<!--[if !IE]><!--><img src=a><!--<![endif]--><img src=b>", &["b"]),
        ("<![if !IE]><img src=a><![endif]><img src=b>", &["b"]),
        ("<!--[if !IE]> --><img src=a><!-- <![endif]--><img src=b>", &["b"]),
        ("<!--[if lt IE 9]><script src=a></script><![endif]--><!--[if true]><img src=b><![endif]-->", &["a"]),
        ("<!-- [if IE]><img src=a><![endif] --><!--[if ie]><img src=b><![endif]-->", &[]),
    ];
    for (text, wanted) in table {
        assert_eq!(found_by(text, Some(8.0)), wanted, "{text}");
    }
}

#[test]
fn a_base_that_leads_nowhere_fails_the_page() {
    let base = Rc::new(Url::parse("http://h/").unwrap());
    let error =
        resources("<base href=\"foo:bar\"><img src=a>", &base, None, &Budget::unlimited()).unwrap_err();
    assert!(
        error.message.as_deref().is_some_and(|m| m.contains("Error creating relative url from foo:bar")),
        "{error:?}"
    );
}

#[test]
fn deep_and_endless_pages_are_read_in_one_pass() {
    let deep = format!("{}<img src=a>{}", "<div>".repeat(200_000), "<!--[if lt IE 9]>".repeat(20_000));
    assert_eq!(found_by(&deep, Some(8.0)), ["a"]);
}

#[test]
fn a_page_that_names_resources_without_end_is_given_up() {
    use crate::compile::PageKind;
    let base = Url::parse("http://h/").unwrap();
    let page = (0..200).map(|i| format!("<img src={i}>")).collect::<Vec<_>>().concat();
    let limits = swell_api::Limits { results: 100, ..swell_api::Limits::default() };
    let budget = Budget::metered(limits, swell_expr::Heavy::default().meter);
    let failure = super::super::resources(PageKind::Html, &page, &base, "", &budget).unwrap_err();
    let shown = format!("{failure:?}");
    assert!(
        shown.contains("stopped reading the resources of the page: it finds too many results"),
        "{shown}"
    );
}

/// What is found of a page by one way of reading it.
fn found_in(text: &str, way: for<'t, 'b> fn(&'t str, Page<'b>) -> Page<'b>) -> Vec<String> {
    let budget = Budget::unlimited();
    let base = Url::parse("http://h/d/p.html?q").unwrap();
    let links = Links::distinct(&budget);
    let page = way(text, Page { base, links, enabled: vec![true], explorer: None, failed: None });
    let failed = page.failed;
    let mut found: Vec<_> = page.links.into_urls().iter().map(|url| url.as_str().to_owned()).collect();
    found.extend(failed);
    found
}

const PIECES: [&str; 74] = [
    "<",
    ">",
    "/",
    "</",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "\t",
    "\r\n",
    "\r",
    "\0",
    "&amp;",
    "&#65",
    "&copy=",
    "a",
    "b",
    "\u{e9}",
    "-",
    "--",
    "!",
    "?",
    "]]>",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "<!doctype html>",
    "<!DOCTYPE x '>",
    "<![CDATA[",
    "<?php ",
    "<img src=",
    "<IMG SRC='x' ",
    "<img src=\"y\" alt=\">\">",
    "<p>",
    "</p>",
    "</p x='>'>",
    "<script>",
    "<script src=s>",
    "</script>",
    "</SCRIPT >",
    "</script",
    "<style>",
    "</style>",
    "<title>",
    "</title/>",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "</noscript>",
    "<xmp>",
    "</xmp>",
    "<iframe src=f>",
    "</iframe>",
    "<body background=z>",
    "<td style=\"x:url('u')\">",
    "<link rel=icon href=l>",
    "<input type=image src=i>",
    "<base href='/base/'>",
    "<base href=\"http:// x\">",
    "<object data=d codebase=c>",
    "<applet code=e>",
    "src=v",
    " src = 'w'",
    "<a/b=c>",
    "<br/>",
    "<imgx src=n>",
    "<plaintext>",
    "x=y",
    "style",
    "<img",
    "src",
];

#[test]
fn a_scan_finds_what_the_tokenizer_finds() {
    let mut random = SmallRng::seed_from_u64(8);
    let mut count = 0;
    for _ in 0..40_000 {
        let pieces = random.random_range(1..14);
        let text: String = (0..pieces).map(|_| PIECES[random.random_range(0..PIECES.len())]).collect();
        let wanted = found_in(&text, read);
        assert_eq!(found_in(&text, scan), wanted, "{text:?}");
        count += wanted.len();
    }
    assert!(count > 5_000, "{count} resources");
}
