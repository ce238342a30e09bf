//! Selects the config elements that fill the gaps of an HTTP sampler.

pub(super) use swell_api::Merged;

/// GUI classes of config elements that an HTTP sampler takes properties from
/// (`HTTPSamplerBase.applies`).
pub(super) const APPLIABLE: [&str; 4] =
    ["HttpDefaultsGui", "LoginConfigGui", "SimpleConfigGui", "TestBeanGUI"];
