//! Makes samples from responses.

mod event_samples;
mod fields;
mod from_exchange;
mod maker;
mod parent;

pub(crate) use fields::{fail, sampler_data, set_type, without_url};
pub(crate) use maker::{SampleMaker, show_unsent};
pub(crate) use parent::Parent;
