//! Debug Sampler and Debug PostProcessor: a sample whose body lists variables and properties.

mod listing;
mod post_processor;
mod sampler_properties;

use swell_api::{DataType, SampleResult};
use swell_expr::Context;
use swell_plan::Element;

use listing::{listing, properties_text, variables_text};
pub(crate) use post_processor::post_processor;

/// The listings to show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListingOptions {
    variables: bool,
    properties: bool,
    system: bool,
}

pub(crate) const VARIABLES: &str = "displayJMeterVariables";
pub(crate) const PROPERTIES: &str = "displayJMeterProperties";
pub(crate) const SYSTEM: &str = "displaySystemProperties";

impl ListingOptions {
    /// The same with what was set of it.
    pub(crate) fn with(self, set: impl Fn(&str) -> Option<bool>) -> Self {
        Self {
            variables: set(VARIABLES).unwrap_or(self.variables),
            properties: set(PROPERTIES).unwrap_or(self.properties),
            system: set(SYSTEM).unwrap_or(self.system),
        }
    }

    /// As an element says.
    pub(crate) fn of(element: &Element) -> Self {
        Self {
            variables: element.flag(VARIABLES, false),
            properties: element.flag(PROPERTIES, false),
            system: element.flag(SYSTEM, false),
        }
    }
}

/// A sample that shows it. `sampler` lists the properties of the sampler, for the post-processor.
pub(crate) fn sample(
    shown: ListingOptions,
    sampler: Option<Vec<(String, String)>>,
    cx: &Context,
) -> SampleResult {
    let mut sample = SampleResult {
        success: true,
        data_type: DataType::Text,
        encoding: "UTF-8".into(),
        code: "200".into(),
        message: "OK".into(),
        ..SampleResult::default()
    };
    sample.timing.start_ns = swell_net::now_ns();
    let mut text = String::new();
    let mut data = String::new();
    let mut show = |title: &str, section: String| {
        data.push_str(title);
        data.push('\n');
        text.push_str(&section);
    };
    if let Some(properties) = sampler {
        show("SamplerProperties", listing("SamplerProperties", properties));
    }
    if shown.variables {
        show("JMeterVariables", variables_text(cx));
    }
    if shown.properties {
        show("JMeterProperties", properties_text(cx));
    }
    if shown.system {
        show("SystemProperties", listing("SystemProperties", cx.props.system_entries()));
    }
    sample.bytes = text.len() as u64;
    sample.body_size = sample.bytes;
    sample.body = text.into();
    sample.sampler_data = Some(data);
    sample.timing.end_ns = swell_net::now_ns();
    sample
}
