//! The form of the rows of one listener: what is saved, and the facts of the run that each row repeats.

use swell_api::{DataType, Needs, SampleResult};
use swell_expr::{Context, Slot};

use crate::row_text::RowText;
use crate::{Save, SaveConfig, StampPattern};

/// A variable of `sample_variables`.
#[derive(Clone, Debug)]
pub struct SavedVariable {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub slot: Slot,
    /// Its attribute in XML; none if it has one already.
    pub attribute: Option<String>,
}

impl SavedVariable {
    /// Variables by their names and places, as rows with these columns show them.
    pub fn all(names: impl IntoIterator<Item = (String, Slot)>, config: &SaveConfig) -> Vec<Self> {
        let mut attributes = crate::xml::VariableNames::after_attributes_of(config);
        let names = names.into_iter();
        names.map(|(name, slot)| Self { attribute: attributes.of(&name), name, slot }).collect()
    }
}

/// How rows of a listener look.
#[derive(Clone, Debug)]
pub struct RowFormat {
    /// What is saved.
    pub config: SaveConfig,
    /// How CSV shows time stamps; none for milliseconds.
    pub stamp: Option<StampPattern>,
    /// Variables that are saved with each sample (`sample_variables`).
    pub variables: Vec<SavedVariable>,
    /// Name of this machine (`Hostname`).
    pub host_name: String,
    /// Encoding where a response names none (`sampleresult.default.encoding`), for the column `Encoding`.
    pub default_encoding: String,
    /// Functional test mode: XML holds response and sampler data of every sample.
    pub functional: bool,
    /// A processing instruction for line 2 of XML files (`jmeter.save.saveservice.xml_pi`).
    pub xml_pi: String,
}

impl RowFormat {
    /// What the rows show of a sample.
    pub fn needs(&self) -> Needs {
        let saves = |switch| self.config.saves(switch);
        let xml = saves(Save::Xml);
        let data = xml && (saves(Save::ResponseDataOnError) || self.functional);
        Needs {
            body: data || (xml && saves(Save::ResponseData)),
            response_headers: xml && saves(Save::ResponseHeaders),
            request: data || (xml && (saves(Save::RequestHeaders) || saves(Save::SamplerData))),
            // XML tells HTTP samples from others by their details.
            details: xml || saves(Save::Url) || saves(Save::FileName),
        }
    }

    /// Appends the first lines of a new file.
    pub fn header(&self, out: &mut Vec<u8>) {
        if self.config.saves(Save::Xml) {
            crate::xml::header(&self.xml_pi, out);
        } else if self.config.saves(Save::FieldNames) {
            crate::csv::header(self, out);
        }
    }

    /// What ends a file.
    pub fn footer(&self) -> &'static [u8] {
        if self.config.saves(Save::Xml) { crate::xml::FOOTER } else { b"" }
    }

    /// Appends a sample: a row and rows of its sub-samples, or an element.
    pub fn sample(&self, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>) {
        let mut rows = RowText::from(std::mem::take(out));
        self.row(sample, cx, &mut rows);
        *out = rows.whole();
    }

    /// The same, with places for large bodies.
    pub(crate) fn row(&self, sample: &SampleResult, cx: &Context, out: &mut RowText) {
        if self.config.saves(Save::Xml) {
            crate::xml::sample(self, sample, cx, out);
        } else {
            crate::csv::sample(self, sample, cx, out);
        }
    }
}

pub(crate) fn data_type(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Unknown => "",
        DataType::Text => "text",
        DataType::Binary => "bin",
    }
}

pub(crate) fn push_int(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
