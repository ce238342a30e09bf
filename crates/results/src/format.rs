//! The format of a listener's rows: the fields that are saved, and constants of the run in each
//! row.

use swell_api::{DataType, Needs};
use swell_expr::Slot;

use crate::xml_names::VariableNames;
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
        let mut attributes = VariableNames::after_attributes_of(config);
        let names = names.into_iter();
        names.map(|(name, slot)| Self { attribute: attributes.of(&name), name, slot }).collect()
    }
}

/// The format of a listener's rows.
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
    /// Encoding where a response names none (`sampleresult.default.encoding`), for the column
    /// `Encoding`.
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
