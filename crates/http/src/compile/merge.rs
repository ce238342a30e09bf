//! Which config elements fill an HTTP sampler's gaps.

pub(super) use swell_api::Merged;

/// GUI classes of config elements that an HTTP sampler takes properties from
/// (`HTTPSamplerBase.applies`).
pub(super) const APPLIABLE: [&str; 4] =
    ["HttpDefaultsGui", "LoginConfigGui", "SimpleConfigGui", "TestBeanGUI"];
