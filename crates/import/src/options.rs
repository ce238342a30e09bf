//! What the user wants of a plan.

use crate::model::{DataFile, Load};

/// What the user wants of a plan. The default is what `swell import` does without options.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub struct Options {
    /// The format, where the content does not say it: the name of one of [`crate::FORMATS`].
    pub from: Option<String>,
    /// Name of the plan; none: from the source.
    pub name: Option<String>,
    /// Images, fonts, scripts and style sheets of a recording.
    pub static_files: StaticFiles,
    /// Hosts that are taken from a recording, with `*` for any text; none: the host of the first
    /// page.
    pub hosts: Vec<String>,
    /// Think times of a recording.
    pub pauses: Pauses,
    /// Passwords and tokens stay in the plan.
    pub keeps_secrets: bool,
    /// Typed values of a recording become a data file.
    pub makes_data: bool,
    /// Values for variables of the source; they take precedence.
    pub variables: Vec<(String, String)>,
    /// Where to send requests whose URL is only a path, or all requests of a contract.
    pub base_url: Option<String>,
    /// A data file for each flow; its columns are variables of the source.
    pub data: Option<DataFile>,
    /// Load for all flows together; what is none is as in the source.
    pub load: Load,
    /// How the load is divided: names of flows with weights. A flow without one has the weight 1.
    pub weights: Vec<(String, u32)>,
    /// A variable without a value is an error, as the plan runs at once.
    pub needs_values: bool,
    /// Checks that cannot be carried over are left out on purpose.
    pub skips_asserts: bool,
    /// Values that only one format reads, by name: `speed`, `tag`.
    pub settings: std::collections::BTreeMap<String, String>,
}

/// What happens to images, fonts, scripts and style sheets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StaticFiles {
    /// They are not requested.
    #[default]
    Drop,
    /// The sampler of the page downloads what the page names.
    Embed,
    /// Each is a sampler.
    Keep,
}

/// Think times of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pauses {
    /// As recorded, where they are longer than a fifth of a second.
    #[default]
    Keep,
    /// None.
    Drop,
    /// Random, between these seconds, once a transaction.
    Between(f64, f64),
}
