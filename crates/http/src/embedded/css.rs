//! Style sheets (`CssParser`, which uses ph-css). Only `@import` counts, because a browser loads
//! other resources only if a rule matches.

use cssparser::{Parser, Token};
use swell_api::Budget;

use super::links::Links;
use crate::failure::Failure;
use crate::url::Url;

pub(super) const PARSE_EXCEPTION: &str = "org.apache.jmeter.protocol.http.parser.LinkExtractorParseException";

/// The style sheets that one imports, each as often as it does. A broken `@import` ends the
/// reading, and what comes before a first whole rule is lost with it, as in ph-css.
pub(super) fn imports(text: &str, base: &Url, budget: &Budget) -> Result<Vec<Url>, Failure> {
    if let Some(at) = unclosed_comment(text) {
        let message = format!(
            "java.lang.IllegalArgumentException: Unrecoverable error met during parsing: a comment at byte {at} does not end"
        );
        return Err(Failure::new(PARSE_EXCEPTION, message));
    }
    let mut parser = Parser::new(text);
    let mut links = Links::new(budget);
    let mut sound = false;
    while let Ok(token) = parser.next() {
        match token.clone() {
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("import") => {
                let Some(location) = import(&mut parser) else { break };
                links.add(&location, base);
                sound = true;
            }
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("charset") => {
                while !matches!(parser.next(), Ok(Token::Semicolon) | Err(_)) {}
            }
            Token::Semicolon | Token::CDO | Token::CDC | Token::CloseCurlyBracket => {}
            _ => {
                if !rule(&mut parser) && !sound {
                    break;
                }
                sound = true;
            }
        }
    }
    Ok(links.into_urls())
}

/// What follows `@import`: a location, media, a semicolon.
fn import(parser: &mut Parser<'_>) -> Option<String> {
    let location = parser.expect_url_or_string().ok()?.to_string();
    loop {
        match parser.next().ok()? {
            Token::Semicolon => return Some(location),
            Token::Ident(_) | Token::Comma | Token::ParenthesisBlock => {}
            _ => return None,
        }
    }
}

/// The rest of a rule up to the end of its block. False: it ends without one.
fn rule(parser: &mut Parser<'_>) -> bool {
    loop {
        match parser.next() {
            Ok(Token::CurlyBracketBlock) => return true,
            Ok(Token::AtKeyword(_) | Token::Semicolon) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

fn unclosed_comment(text: &str) -> Option<usize> {
    let mut rest = text;
    let mut at = 0;
    while let Some(start) = rest.find("/*") {
        let Some(end) = rest[start + 2..].find("*/") else {
            // One inside of a string is none; strings with such a thing at the end of a sheet are
            // not to be expected.
            return Some(at + start);
        };
        let step = start + 2 + end + 2;
        (rest, at) = (&rest[step..], at + step);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let base = Url::parse("http://h/d/p.css").unwrap();
        let urls = imports(text, &base, &Budget::unlimited()).unwrap();
        urls.iter()
            .map(|url| url.as_str().strip_prefix("http://h/d/").unwrap_or(url.as_str()).to_owned())
            .collect()
    }

    #[test]
    fn imports_as_ph_css_finds_them() {
        // Each line was given to JMeter's CssParser.
        let table: [(&str, &[&str]); 22] = [
            (
                "@import \"a.css\"; @import url(b.css); @import url(\"c.css\") screen; @import 'd.css' print;",
                &["a.css", "b.css", "c.css", "d.css"],
            ),
            (
                "@charset \"UTF-8\"; @import \"a.css\"; body{background:url(x.png)} @import \"b.css\";",
                &["a.css", "b.css"],
            ),
            ("/* @import \"n.css\"; */ @import \"a.css\";", &["a.css"]),
            ("body{x:y} @import \"a.css\";", &["a.css"]),
            ("@import \"a.css\" supports(display: grid) screen; @import \"b.css\";", &[]),
            (
                "@IMPORT \"a.css\"; @import\"b.css\"; @import url( 'c.css' );@import url(d e.css);",
                &["a.css", "b.css", "c.css"],
            ),
            ("@media print { @import \"x.css\"; } @import \"a.css\";", &["a.css"]),
            ("@import \"a.css\"", &[]),
            ("@import a.css; @import \"b.css\";", &[]),
            ("<!-- @import \"a.css\"; -->", &["a.css"]),
            (
                "@import \"a.css\"; @import \"a.css\"; @import \"a&amp;b.css\"; @import \"\";",
                &["a.css", "a.css", "a&b.css"],
            ),
            ("@foo bar; @import \"a.css\";", &[]),
            ("@import \"a.css\"; } @import \"b.css\";", &["a.css", "b.css"]),
            ("@layer a,b; @import \"a.css\";", &[]),
            (
                "@import url(foo:bar); @import \"//h2/x\"; @import \"../../../x.css\";",
                &["http://h2/x", "http://h/x.css"],
            ),
            ("@import \"a.css\"; a{b:c", &["a.css"]),
            ("@import \"a.css\" print, screen and (orientation:landscape); a{}", &["a.css"]),
            ("@import \"a.css\"; a{b:c} @import \"b.css\" layer(x); @import \"c.css\";", &["a.css"]),
            ("@foo{x:y} @import \"b.css\";", &["b.css"]),
            ("a{b:c} } @import \"b.css\";", &["b.css"]),
            ("a b; @import \"b.css\";", &[]),
            ("@import \"a.css\"; a{b:c;{}} @import \"b.css\";", &["a.css", "b.css"]),
        ];
        for (text, wanted) in table {
            assert_eq!(found(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_comment_without_an_end_is_an_error() {
        let base = Url::parse("http://h/").unwrap();
        assert!(imports("@import \"a.css\"; /* x", &base, &Budget::unlimited()).is_err());
        assert!(imports("/* a */ /* b */", &base, &Budget::unlimited()).is_ok());
    }
}
