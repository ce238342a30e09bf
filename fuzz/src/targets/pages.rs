//! URLs, redirect locations, and the resources that a page makes a browser load.

use swell_http::fuzz::{self, RedirectRules, Sent};

use super::parts;

/// Checks that the parts of a URL cannot end a request line or a header.
fn check(sent: &Sent) {
    let visible = |text: &str| text.bytes().all(|byte| byte > b' ' && byte < 0x7f);
    assert!(visible(&sent.target), "a target has other than visible signs: {sent:?}");
    assert!(visible(&sent.absolute.replacen(&sent.host.to_ascii_lowercase(), "", 1)), "{sent:?}");
    assert!(
        !sent.host.contains(|c: char| c <= ' ' || c == '\x7f'),
        "a host has other than visible signs: {sent:?}"
    );
    assert!(!sent.target.is_empty(), "{sent:?}");
}

/// A URL, and a reference relative to it.
pub(super) fn urls(input: &[u8]) {
    let [base, reference] = parts::<2>(input);
    for text in [&base, &reference] {
        if let Some(url) = fuzz::url(text) {
            assert_eq!(fuzz::url(&url), Some(url.clone()), "a URL that was read reads the same");
        }
    }
    for base in [&*base, "http://a.example/b/c?d=e"] {
        for way in [RedirectRules::Follow, RedirectRules::Automatic, RedirectRules::Page] {
            let Some(sent) = fuzz::lead(base, &reference, way) else { continue };
            check(&sent);
        }
    }
}

/// The URL of a page, the browser that reads it, and the page.
pub(super) fn resources(input: &[u8]) {
    let [base, agent, page] = parts::<3>(input);
    for is_css in [false, true] {
        for base in [&*base, "http://a.example/b/"] {
            let Some(found) = fuzz::resources(is_css, &page, base, &agent) else { continue };
            assert!(found.len() <= page.len(), "each takes a sign of the page at least");
        }
    }
}
