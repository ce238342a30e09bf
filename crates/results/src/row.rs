//! Formats rows for a listener, as CSV or XML.

use swell_api::SampleResult;
use swell_expr::Context;

use crate::row_text::RowText;
use crate::{RowFormat, Save, csv, xml};

impl RowFormat {
    /// Appends the first lines of a new file.
    pub fn header(&self, out: &mut Vec<u8>) {
        if self.config.saves(Save::Xml) {
            xml::header(&self.xml_pi, out);
        } else if self.config.saves(Save::FieldNames) {
            csv::header(self, out);
        }
    }

    /// What ends a file.
    pub fn footer(&self) -> &'static [u8] {
        if self.config.saves(Save::Xml) { xml::FOOTER } else { b"" }
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
            xml::sample(self, sample, cx, out);
        } else {
            csv::sample(self, sample, cx, out);
        }
    }
}
