//! HTTP samplers of old plans (`HTTPSamplerBaseConverter`). Added properties are not written back.

use crate::element::{Element, Property, PropertyValue};

const FILES: &str = "HTTPsampler.Files";
const LIST: &str = "HTTPFileArgs.files";

/// What JMeter adds to HTTP samplers of old plans.
pub(super) fn upgrade_http_sampler(element: &mut Element) {
    let implementation = match &*element.tag {
        "HTTPSampler" | "HTTPSampler_" | "org.apache.jmeter.protocol.http.sampler.HTTPSampler" => {
            Some("Java")
        }
        "HTTPSampler2" => Some("HttpClient4"),
        _ => None,
    };
    if let Some(implementation) = implementation {
        element
            .properties
            .push(added("HTTPSampler.implementation", PropertyValue::Text(implementation.to_owned())));
    }
    merge_legacy_files(element);
}

/// Puts the one file of samplers before JMeter 2.4 before those of the list
/// (`HTTPSamplerBase.mergeFileProperties`).
fn merge_legacy_files(element: &mut Element) {
    let old = [
        ("File.path", "HTTPSampler.FILE_NAME"),
        ("File.paramname", "HTTPSampler.FILE_FIELD"),
        ("File.mimetype", "HTTPSampler.mimetype"),
    ];
    let values = old.map(|(new, old)| (new, element.text_or_empty(old)));
    if values.iter().all(|(_, value)| value.is_empty()) {
        return;
    }
    let mut file = Element::new("HTTPFileArg", "", "");
    file.line = element.line;
    for (name, value) in values {
        file = file.with_text(name, value);
    }
    let path = file.text_or_empty("File.path").to_owned();
    let mut members = vec![Property::of_element(&path, file)];
    if let Some(list) = element.element(FILES) {
        members.extend_from_slice(list.collection(LIST));
    }
    let list = Element::new("HTTPFileArgs", "", "").with(LIST, PropertyValue::Collection(members));
    let PropertyValue::Element(list) = Property::of_element(FILES, list).value else { return };
    element.properties.push(added(FILES, PropertyValue::Element(list)));
}

/// A property that is not written.
fn added(name: &str, value: PropertyValue) -> Property {
    Property { written: Some("".into()), ..Property::new(name, value) }
}
