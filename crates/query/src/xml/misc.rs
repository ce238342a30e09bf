//! Parts before and after the content: the XML declaration, comments, processing instructions.

use super::fault::{Fault, XmlErrorKind};
use super::scanner::{Scanner, with_plain_line_ends};
use super::{Read, Reader};
use crate::chars::{is_name, is_name_start};

impl Reader {
    /// Up to the name of the first element.
    pub(super) fn prolog(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        if scan.rest().starts_with("<?xml") && !scan.rest()[5..].starts_with(|c| is_name(c) || c == ':') {
            scan.at += 5;
            declaration(scan)?;
        }
        let mut doctype_seen = false;
        loop {
            scan.skip_spaces();
            if scan.skip("&") {
                return scan.fault("Reference is not allowed in prolog.");
            }
            if !scan.skip("<") {
                return match scan.peek() {
                    None => {
                        let message = "Premature end of file.".to_owned();
                        Err(Fault { kind: XmlErrorKind::Malformed, message, at: None })
                    }
                    Some(_) => scan.fault("Content is not allowed in prolog."),
                };
            }
            if scan.skip("?") {
                self.instruction(scan)?;
            } else if scan.skip("!--") {
                self.comment(scan)?;
            } else if scan.skip("!") {
                if !scan.skip("DOCTYPE") {
                    return scan
                        .fault("The markup in the document preceding the root element must be well-formed.");
                }
                if doctype_seen {
                    return scan.fault("Already seen doctype.");
                }
                doctype_seen = true;
                self.doctype(scan)?;
            } else if starts_name(scan.need()?) {
                return Ok(());
            } else {
                return scan
                    .fault("The markup in the document preceding the root element must be well-formed.");
            }
        }
    }

    /// What follows the content.
    pub(super) fn trailing(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        loop {
            scan.skip_spaces();
            if scan.skip("<?") {
                self.instruction(scan)?;
            } else if scan.skip("<!--") {
                self.comment(scan)?;
            } else if scan.skip("<!") || scan.skip("</") || scan.skip("<") {
                scan.need()?;
                return scan
                    .fault("The markup in the document following the root element must be well-formed.");
            } else if scan.peek().is_some() {
                return scan.fault("Content is not allowed in trailing section.");
            } else {
                return Ok(());
            }
        }
    }

    /// A comment, starting after `<!--`.
    pub(super) fn comment(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        let invalid = |c| invalid_char(c, "the comment");
        let text = scan.until("--", invalid)?;
        scan.need()?;
        if !scan.skip(">") {
            return scan.fault("The string \"--\" is not permitted within comments.");
        }
        self.builder.comment(&with_plain_line_ends(text));
        Ok(())
    }

    /// A processing instruction, starting after `<?`.
    pub(super) fn instruction(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        scan.need()?;
        let target = if self.options.namespaces { scan.plain_name() } else { scan.name() };
        let Some(target) = target else {
            return scan.fault("The processing instruction must begin with the name of the target.");
        };
        if target.eq_ignore_ascii_case("xml") {
            return scan.fault("The processing instruction target matching \"[xX][mM][lL]\" is not allowed.");
        }
        if scan.skip("?>") {
            self.builder.instruction(target, "");
            return Ok(());
        }
        scan.need()?;
        if !scan.skip_spaces() {
            return scan.fault("White space is required between the processing instruction target and data.");
        }
        let data = scan.until("?>", |c| invalid_char(c, "the processing instruction"))?;
        self.builder.instruction(target, &with_plain_line_ends(data));
        Ok(())
    }
}

pub(super) fn starts_name(c: char) -> bool {
    is_name_start(c) || c == ':'
}

/// The message for a character that XML does not know.
pub(super) fn invalid_char(c: char, place: &str) -> String {
    format!("An invalid XML character (Unicode: 0x{:x}) was found in {place}.", u32::from(c))
}

/// The XML declaration, starting after `<?xml`.
fn declaration(scan: &mut Scanner<'_>) -> Read<()> {
    let mut version_seen = false;
    loop {
        scan.skip_spaces();
        if scan.rest().starts_with('?') {
            if !version_seen {
                return scan.fault("The version is required in the XML declaration.");
            }
            scan.at += 1;
            return if scan.skip(">") {
                Ok(())
            } else {
                scan.fault("The XML declaration must end with \"?>\".")
            };
        }
        let Some(name) = ["version", "encoding", "standalone"].into_iter().find(|name| scan.skip(name))
        else {
            return scan.fault("A pseudo attribute name is expected.");
        };
        let value = pseudo_value(scan, name)?;
        match name {
            "version" if !matches!(value, "1.0" | "1.1") => {
                return scan
                    .fault(format!("XML version \"{value}\" is not supported, only XML 1.0 is supported."));
            }
            "version" => version_seen = true,
            _ if !version_seen => return scan.fault("The version is required in the XML declaration."),
            "standalone" if !matches!(value, "yes" | "no") => {
                return scan.fault(format!(
                    "The standalone document declaration value must be \"yes\" or \"no\", not \"{value}\"."
                ));
            }
            _ => {}
        }
    }
}

fn pseudo_value<'t>(scan: &mut Scanner<'t>, name: &str) -> Read<&'t str> {
    scan.skip_spaces();
    if !scan.skip("=") {
        return scan.fault(format!("The ' = ' character must follow \"{name}\" in the XML declaration."));
    }
    scan.skip_spaces();
    let Some(quote @ ('"' | '\'')) = scan.peek() else {
        let message =
            format!("The value following \"{name}\" in the XML declaration must be a quoted string.");
        return scan.fault(message);
    };
    scan.at += 1;
    scan.until(quote.encode_utf8(&mut [0; 4]), |c| invalid_char(c, "the XML declaration"))
}
