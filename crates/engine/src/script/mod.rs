//! Script elements: JSR223 and BeanShell samplers, processors, assertions and timers, if their
//! scripts can run without a script engine (`swell_expr::ElementScript`).

mod checked;
mod processors;
mod sample_bindings;
mod sampler;
mod source;
mod timer;

pub(crate) use checked::assertion;
pub(crate) use processors::{post_processor, pre_processor};
pub(crate) use sampler::sampler;
pub(crate) use source::understood;
pub(crate) use timer::ScriptTimer;
