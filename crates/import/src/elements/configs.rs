//! Elements that configure requests.

use swell_plan::{Element, PropertyValue};

use super::http::arguments;

/// A header.
pub fn header(name: &str, value: &str) -> Element {
    Element::new("Header", "", "").with_text("Header.name", name).with_text("Header.value", value)
}

/// HTTP Header Manager.
pub fn header_manager(name: &str, headers: impl IntoIterator<Item = Element>) -> Element {
    Element::new("HeaderManager", "HeaderPanel", name).with_elements("HeaderManager.headers", headers)
}

/// HTTP Request Defaults.
pub fn http_defaults(name: &str, protocol: &str, host: &str, port: &str) -> Element {
    Element::new("ConfigTestElement", "HttpDefaultsGui", name)
        .with_element("HTTPsampler.Arguments", arguments(Vec::new()))
        .with_text("HTTPSampler.domain", host)
        .with_text("HTTPSampler.port", port)
        .with_text("HTTPSampler.protocol", protocol)
}

/// HTTP Cookie Manager that begins each iteration without cookies.
pub fn cookie_manager(name: &str) -> Element {
    Element::new("CookieManager", "CookiePanel", name)
        .with("CookieManager.cookies", PropertyValue::Collection(Vec::new()))
        .with_flag("CookieManager.clearEachIteration", true)
        .with_flag("CookieManager.controlledByThreadGroup", false)
}

/// An entry of an HTTP Authorization Manager: for URLs that begin with this one.
pub fn authorization(url: &str, user: &str, password: &str, is_digest: bool) -> Element {
    Element::new("Authorization", "", "")
        .with_text("Authorization.url", url)
        .with_text("Authorization.username", user)
        .with_text("Authorization.password", password)
        .with_text("Authorization.domain", "")
        .with_text("Authorization.realm", "")
        .with_text("Authorization.mechanism", if is_digest { "DIGEST" } else { "BASIC" })
}

/// HTTP Authorization Manager.
pub fn auth_manager(name: &str, entries: impl IntoIterator<Item = Element>) -> Element {
    Element::new("AuthManager", "AuthPanel", name)
        .with_elements("AuthManager.auth_list", entries)
        .with_flag("AuthManager.controlledByThreadGroup", false)
}

/// User Parameters that set variables before each request, the same for all users.
pub fn user_parameters(name: &str, all: impl IntoIterator<Item = (String, String)>) -> Element {
    let (names, values): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let texts = |texts: Vec<String>| {
        let members = (0..).zip(texts).map(|(number, text): (i32, _)| {
            swell_plan::Property::new(&number.to_string(), PropertyValue::Text(text))
        });
        PropertyValue::Collection(members.collect())
    };
    let of_users = vec![swell_plan::Property::new("0", texts(values))];
    Element::new("UserParameters", "UserParametersGui", name)
        .with("UserParameters.names", texts(names))
        .with("UserParameters.thread_values", PropertyValue::Collection(of_users))
        .with_flag("UserParameters.per_iteration", false)
}

/// User Defined Variables: name, value, description.
pub fn variables(name: &str, all: impl IntoIterator<Item = (String, String, String)>) -> Element {
    let members = all.into_iter().map(|(name, value, description)| {
        let mut argument = Element::new("Argument", "", &name);
        // A part of an element has no name of an element.
        argument.attributes.clear();
        argument = argument.with_text("Argument.name", &name).with_text("Argument.value", &value);
        argument =
            if description.is_empty() { argument } else { argument.with_text("Argument.desc", &description) };
        swell_plan::Property::of_element(&name, argument.with_text("Argument.metadata", "="))
    });
    Element::new("Arguments", "ArgumentsPanel", name)
        .with("Arguments.arguments", PropertyValue::Collection(members.collect()))
}

/// CSV Data Set Config, in UTF-8, shared by all users.
pub fn data_set(
    name: &str,
    file: &str,
    variables: &str,
    delimiter: &str,
    skips_first: bool,
    ends: bool,
) -> Element {
    Element::new("CSVDataSet", "TestBeanGUI", name)
        .with_text("filename", file)
        .with_text("fileEncoding", "UTF-8")
        .with_text("variableNames", variables)
        .with_flag("ignoreFirstLine", skips_first)
        .with_text("delimiter", delimiter)
        .with_flag("quotedData", true)
        .with_flag("recycle", !ends)
        .with_flag("stopThread", ends)
        .with_text("shareMode", "shareMode.all")
}
