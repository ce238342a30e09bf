//! XML Schema 1.0: schemas, and whether documents are valid by them, as Xerces 2.12 judges and in its words. A document is
//! judged up to its first fault, since nobody hears of a second.

mod automaton;
mod builtin;
mod compile;
mod dates;
mod identity;
mod pattern;
mod schema;
mod simple;
mod source;
mod types;
mod validate;
mod value;

pub use source::ReadFile;
use source::Sources;
use swell_query::xml::{XmlOptions, parse_placed, place};
use validate::Found;

/// How bad a fault is, in the words of SAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The document or the schema is not valid.
    Error,
    /// The document or the schema is not well-formed.
    Fatal,
}

/// Why a document is not valid, or cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Line and column behind the tag at which it was found, from 1, in UTF-16 units; in the schema if that is wrong. None
    /// where the document ended too early.
    pub place: Option<(usize, usize)>,
}

/// A schema, ready to judge.
#[derive(Debug)]
pub struct Schema {
    /// Or what is wrong with it. None: its file is not there.
    schema: Result<Option<schema::Schema>, ValidationError>,
    path: String,
}

impl Schema {
    /// Reads a schema with all that it includes and imports, relative to its path. Where its file is not there, no document
    /// is valid by it.
    pub fn read(path: &str, read: ReadFile<'_>) -> Self {
        let sources = Sources::read(path, read);
        let schema =
            sources.and_then(|sources| sources.map(|sources| compile::compile(&sources)).transpose());
        Self { schema, path: path.to_owned() }
    }

    /// Judges a document.
    ///
    /// # Errors
    /// Its first fault.
    pub fn validate(&self, text: &str) -> Result<(), ValidationError> {
        let options = XmlOptions { sorted_attributes: false, ..XmlOptions::dom(true) };
        let placed = parse_placed(text, options);
        // The schema is read when the first element comes.
        let invalid = match (&self.schema, placed.places.first()) {
            (_, None) => None,
            (Err(fault), _) => return Err(fault.clone()),
            (Ok(Some(schema)), _) => validate::first_fault(schema, &placed),
            (Ok(None), Some(root)) => Some(Found { message: self.missing(), at: root.started }),
        };
        if let Some(found) = invalid {
            let place = Some(place(text, found.at));
            return Err(ValidationError { severity: Severity::Error, message: found.message, place });
        }
        match placed.fault {
            None => Ok(()),
            Some(error) => {
                Err(ValidationError { severity: Severity::Fatal, message: error.message, place: error.place })
            }
        }
    }

    fn missing(&self) -> String {
        format!(
            "schema_reference.4: Failed to read schema document '{}', because 1) could not find the document; 2) the \
             document could not be read; 3) the root element of the document is not <xsd:schema>.",
            self.path
        )
    }
}
