//! Where a document of XML ends. What it says is not looked at: it is sent as it is.

use super::cursor::{Cursor, Rule, no_match, wrong};

/// The text of a document: what may be before its root, and the root.
pub(super) fn document<'a>(cursor: &mut Cursor<'a>) -> Rule<&'a str> {
    let at = cursor.at;
    if cursor.peek() != Some('<') {
        return no_match(at, "expected `<`");
    }
    let mut open: Vec<&'a str> = Vec::new();
    loop {
        if open.is_empty() {
            cursor.take_while(char::is_whitespace);
        } else {
            cursor.take_while(|c| c != '<');
        }
        let start = cursor.at;
        let pass = |cursor: &mut Cursor<'_>, end: &str| match cursor.rest().find(end) {
            Some(found) => {
                cursor.at += found + end.len();
                Ok(())
            }
            None => wrong(start, format!("expected `{end}`: the XML is not complete")),
        };
        if cursor.eat("<!--") {
            pass(cursor, "-->")?;
        } else if cursor.eat("<?") {
            pass(cursor, "?>")?;
        } else if cursor.eat("<![CDATA[") {
            pass(cursor, "]]>")?;
        } else if cursor.eat("<!DOCTYPE") {
            doctype(cursor)?;
        } else if cursor.eat("</") {
            let name = cursor.take_while(is_name);
            cursor.take_while(char::is_whitespace);
            cursor.expect(">")?;
            if open.pop() != Some(name) {
                return wrong(start, format!("expected the end of another element than `{name}`"));
            }
        } else if cursor.eat("<") {
            let name = cursor.take_while(is_name);
            if name.is_empty() {
                return wrong(cursor.at, "expected the name of an element of XML");
            }
            if !attributes(cursor)? {
                open.push(name);
            }
        } else {
            return wrong(start, "expected an element of XML");
        }
        let is_root_read = open.is_empty() && is_end_of_element(cursor.since(start));
        if is_root_read {
            return Ok(cursor.since(at));
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_:.-".contains(c)
}

fn is_end_of_element(tag: &str) -> bool {
    tag.starts_with("</") || !tag.starts_with("<!") && !tag.starts_with("<?") && tag.ends_with("/>")
}

/// The rest of a start tag; gives whether it is also the end of the element.
fn attributes(cursor: &mut Cursor<'_>) -> Rule<bool> {
    loop {
        cursor.take_while(char::is_whitespace);
        if cursor.eat("/>") {
            return Ok(true);
        }
        if cursor.eat(">") {
            return Ok(false);
        }
        let at = cursor.at;
        if cursor.take_while(is_name).is_empty() {
            return wrong(at, "expected `>` or an attribute");
        }
        cursor.take_while(char::is_whitespace);
        cursor.expect("=")?;
        cursor.take_while(char::is_whitespace);
        let quote = cursor.next().filter(|c| matches!(c, '"' | '\''));
        let Some(quote) = quote else { return wrong(at, "expected the value of an attribute in quotes") };
        cursor.take_while(|c| c != quote && c != '<');
        cursor.expect(quote.encode_utf8(&mut [0; 4]))?;
    }
}

fn doctype(cursor: &mut Cursor<'_>) -> Rule<()> {
    let at = cursor.at;
    let mut depth = 0_usize;
    while let Some(c) = cursor.next() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '>' if depth == 0 => return Ok(()),
            _ => {}
        }
    }
    wrong(at, "expected `>`: the document type is not complete")
}
