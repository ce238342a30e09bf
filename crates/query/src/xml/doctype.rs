//! The document type declaration: entities, and defaults of attributes. Other files are not
//! fetched.

use super::entity::char_reference;
use super::misc::invalid_char;
use super::scanner::Scanner;
use super::{Read, Reader};
use crate::chars::is_space;

/// Attributes of an element with their default values.
pub(super) type Defaults = Vec<(String, String)>;

const NOT_DECLARATIONS: &str =
    "The markup declarations contained or pointed to by the document type declaration must be well-formed.";

impl Reader {
    /// Starting after `<!DOCTYPE`.
    pub(super) fn doctype(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        if !self.options.doctype {
            return scan.fault(
                "DOCTYPE is disallowed when the feature \"http://apache.org/xml/features/disallow-doctype-decl\" set to \
                 true.",
            );
        }
        scan.need()?;
        if !scan.skip_spaces() {
            return scan
                .fault("White space is required after \"<!DOCTYPE\" in the document type declaration.");
        }
        let Some(root) = scan.name() else {
            return scan.fault(
                "The root element type must appear after \"<!DOCTYPE\" in the document type declaration.",
            );
        };
        self.root = Some(root.to_owned());
        scan.skip_spaces();
        if external_id(scan)?.is_some() {
            self.entities.incomplete = true;
            scan.skip_spaces();
        }
        if scan.skip("[") {
            self.internal_subset(scan)?;
            scan.skip_spaces();
        }
        scan.need()?;
        if !scan.skip(">") {
            return scan.fault(format!(
                "The document type declaration for root element type \"{root}\" must end with '>'."
            ));
        }
        Ok(())
    }

    fn internal_subset(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        loop {
            scan.skip_spaces();
            scan.need()?;
            if scan.skip("]") {
                return Ok(());
            }
            if scan.skip("%") {
                // What the entity declares is not read: it may be anything.
                self.entities.incomplete = true;
                let named = scan.name().is_some();
                if !named || !scan.skip(";") {
                    return scan.fault(
                        "The entity name must immediately follow the '%' in the parameter entity reference.",
                    );
                }
            } else if scan.skip("<?") {
                skip_instruction(scan)?;
            } else if scan.skip("<!--") {
                skip_comment(scan)?;
            } else if scan.skip("<!ENTITY") {
                self.entity_declaration(scan)?;
            } else if scan.skip("<!ATTLIST") {
                self.attribute_list(scan)?;
            } else if scan.skip("<!ELEMENT") || scan.skip("<!NOTATION") {
                skip_declaration(scan)?;
            } else {
                let _ = scan.skip("<!") || scan.skip("<");
                scan.need()?;
                return scan.fault(NOT_DECLARATIONS);
            }
        }
    }

    fn entity_declaration(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        if !scan.skip_spaces() {
            return scan.fault("White space is required after \"<!ENTITY\" in the entity declaration.");
        }
        let parameter = scan.skip("%");
        scan.skip_spaces();
        let Some(name) = scan.name() else {
            return scan.fault("The name of the entity is required in the entity declaration.");
        };
        if !scan.skip_spaces() {
            return scan.fault(format!(
                "White space is required between the entity name \"{name}\" and the definition in the entity declaration."
            ));
        }
        let text = if external_id(scan)?.is_some() {
            scan.skip_spaces();
            if scan.skip("NDATA") {
                scan.skip_spaces();
                scan.name();
            }
            None
        } else {
            let Some(quoted) = quoted(scan)? else { return scan.fault("OpenQuoteMissingInDecl") };
            Some(entity_text(quoted)?)
        };
        if !parameter {
            self.entities.declare(name, text.as_deref());
        }
        scan.skip_spaces();
        scan.need()?;
        if !scan.skip(">") {
            return scan.fault(format!("The declaration for the entity \"{name}\" must end with '>'."));
        }
        Ok(())
    }

    fn attribute_list(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        scan.skip_spaces();
        let Some(element) = scan.name() else {
            return scan.fault("The element type is required in the attribute-list declaration.");
        };
        loop {
            scan.skip_spaces();
            scan.need()?;
            if scan.skip(">") {
                return Ok(());
            }
            let Some(name) = scan.name() else {
                return scan.fault(format!(
                    "The attribute name must be specified in the attribute-list declaration for element \"{element}\"."
                ));
            };
            if let Some(value) = attribute_default(scan)? {
                let value = value.replace(is_space, " ");
                let defaults = self.defaults.entry(element.to_owned()).or_default();
                if defaults.iter().all(|(known, _)| known != name) {
                    defaults.push((name.to_owned(), entity_text(&value)?));
                }
            }
        }
    }
}

/// The type and the default of an attribute, of which the default is kept.
fn attribute_default<'t>(scan: &mut Scanner<'t>) -> Read<Option<&'t str>> {
    scan.skip_spaces();
    scan.name();
    scan.skip_spaces();
    if scan.skip("(") {
        scan.until(")", |c| invalid_char(c, "the internal subset of the DTD"))?;
    }
    scan.skip_spaces();
    if scan.skip("#REQUIRED") || scan.skip("#IMPLIED") {
        return Ok(None);
    }
    scan.skip("#FIXED");
    scan.skip_spaces();
    match quoted(scan)? {
        Some(value) => Ok(Some(value)),
        None => scan.fault(NOT_DECLARATIONS),
    }
}

/// `SYSTEM "..."` or `PUBLIC "..." "..."`: the system identifier.
fn external_id<'t>(scan: &mut Scanner<'t>) -> Read<Option<&'t str>> {
    if scan.skip("SYSTEM") {
        if !scan.skip_spaces() {
            return scan.fault("White space is required after keyword SYSTEM in DOCTYPE decl.");
        }
    } else if scan.skip("PUBLIC") {
        if !scan.skip_spaces() {
            return scan.fault("White spaces are required after keyword PUBLIC in DOCTYPE decl.");
        }
        if quoted(scan)?.is_none() {
            return scan
                .fault("The public identifier must begin with either a single or double quote character.");
        }
        if !scan.skip_spaces() {
            return scan.fault("White spaces are required between publicId and systemId.");
        }
    } else {
        return Ok(None);
    }
    match quoted(scan)? {
        Some(system) => Ok(Some(system)),
        None => {
            scan.fault("The system identifier must begin with either a single or double quote character.")
        }
    }
}

fn quoted<'t>(scan: &mut Scanner<'t>) -> Read<Option<&'t str>> {
    let Some(quote @ ('"' | '\'')) = scan.peek() else { return Ok(None) };
    scan.at += 1;
    scan.until(quote.encode_utf8(&mut [0; 4]), |c| invalid_char(c, "the literal entity value")).map(Some)
}

/// The text of an entity: characters by number are replaced, references to entities stay. It is
/// read again as markup where it is used.
fn entity_text(literal: &str) -> Read<String> {
    let mut out = String::with_capacity(literal.len());
    let mut scan = Scanner::new(literal);
    while let Some(at) = scan.rest().find("&#") {
        out.push_str(&scan.rest()[..at]);
        scan.at += at + 2;
        out.push(char_reference(&mut scan)?);
    }
    out.push_str(scan.rest());
    Ok(out)
}

/// A declaration that means nothing here, up to its `>`.
fn skip_declaration(scan: &mut Scanner<'_>) -> Read<()> {
    loop {
        match scan.need()? {
            '>' => {
                scan.at += 1;
                return Ok(());
            }
            '"' | '\'' => {
                quoted(scan)?;
            }
            '<' => return scan.fault(NOT_DECLARATIONS),
            c => scan.at += c.len_utf8(),
        }
    }
}

fn skip_instruction(scan: &mut Scanner<'_>) -> Read<()> {
    scan.until("?>", |c| invalid_char(c, "the processing instruction")).map(|_| ())
}

fn skip_comment(scan: &mut Scanner<'_>) -> Read<()> {
    scan.until("--", |c| invalid_char(c, "the comment"))?;
    if scan.skip(">") { Ok(()) } else { scan.fault("The string \"--\" is not permitted within comments.") }
}
