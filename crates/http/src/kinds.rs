//! This crate's part of the table of elements.

use swell_api::{
    CONFIG_TEST_ELEMENT, Departure, ElementKind, FileUse, Make, Role, SENT_BY_JMETER, VariableUse,
};
use swell_plan::MissingValue;

use crate::classes::{AUTHORIZATION, BZM_HTTP, CACHE, COOKIES, DNS, HEADERS, KEYSTORE};
use crate::compile::lacks;
use crate::modify::{UrlRewriting, UserParameters};
use crate::sampler;

const JAVA_CLIENT: Departure = Departure {
    property: "HTTPSampler.implementation",
    run_property: "",
    value: "Java",
    what: "it is sent as `HttpClient4` sends it, so `User-Agent`, `Accept`, `Content-Type` of parameters and sentBytes \
           differ from those of `Java`",
};

const KEYSTORE_MISSING: &[MissingValue] =
    &[MissingValue::new("startIndex", "0", "0"), MissingValue::new("endIndex", "0", "-1")];

/// This crate's part of the table of elements.
pub fn kinds() -> Vec<ElementKind> {
    let documentation = include_str!("../elements.toml");
    let kinds = samplers().into_iter().chain(managers()).chain(pre_processors());
    kinds.map(|kind| ElementKind { documentation, ..kind }).collect()
}

fn samplers() -> Vec<ElementKind> {
    let java_client = Departure { run_property: "jmeter.httpsampler", ..JAVA_CLIENT };
    vec![
        ElementKind::native(Role::Sampler, "HTTPSamplerProxy", "HTTP Request", Make::sampler(sampler::make))
            .departs(java_client)
            .lacks(lacks::network)
            .files(&[("File.path", FileUse::Read)])
            .only(|element| element.attribute(SENT_BY_JMETER).is_none()),
        ElementKind::native(Role::Sampler, BZM_HTTP, "bzm - HTTP Sampler", Make::sampler(sampler::make))
            .lacks(lacks::bzm)
            .files(&[("File.path", FileUse::Read)])
            .only(|element| element.attribute(SENT_BY_JMETER).is_none()),
        config(CONFIG_TEST_ELEMENT, "HTTP Request Defaults")
            .guis(&["HttpDefaultsGui"])
            .departs(JAVA_CLIENT)
            .lacks(lacks::network),
        config(CONFIG_TEST_ELEMENT, "Login Config Element").guis(&["LoginConfigGui"]),
        config(CONFIG_TEST_ELEMENT, "Simple Config Element").guis(&["SimpleConfigGui"]),
    ]
}

fn managers() -> Vec<ElementKind> {
    vec![
        config(HEADERS, "HTTP Header Manager"),
        config(COOKIES, "HTTP Cookie Manager").lacks(lacks::cookie_policy),
        config(CACHE, "HTTP Cache Manager"),
        config(AUTHORIZATION, "HTTP Authorization Manager"),
        config(DNS, "DNS Cache Manager"),
        config(KEYSTORE, "Keystore Configuration")
            .at_start(&["clientCertAliasVarName", "endIndex", "preload", "startIndex"])
            .missing(KEYSTORE_MISSING)
            .variables(&[("clientCertAliasVarName", VariableUse::Reads)]),
    ]
}

fn pre_processors() -> Vec<ElementKind> {
    let step = |class, name, make| ElementKind::native(Role::PreProcessor, class, name, make);
    vec![
        ElementKind::needs_jvm(
            Role::PreProcessor,
            "AnchorModifier",
            "HTML Link Parser",
            "it reads pages with JTidy",
        ),
        step("URLRewritingModifier", "HTTP URL Re-writing Modifier", Make::step(UrlRewriting::step)),
        step("RegExUserParameters", "RegEx User Parameters", Make::step(UserParameters::step))
            .variables(&[("RegExUserParameters.regex_ref_name", VariableUse::Reads)]),
    ]
}

fn config(class: &'static str, name: &'static str) -> ElementKind {
    ElementKind::native(Role::Config, class, name, Make::Config)
}
