//! What can be in a plan besides the engine's own elements.

use std::collections::HashMap;
use std::rc::Rc;

use swell_plan::Node;

use crate::{Compile, Listener, Sampler, SamplerInput, Step};

/// Makes the sampler of an element.
pub type SamplerFactory = fn(&SamplerInput<'_>, &Compile) -> Rc<dyn Sampler>;
/// Makes the step of a pre-processor, post-processor or assertion element.
pub type StepFactory = fn(&Node, &Compile) -> Rc<dyn Step>;
/// Makes the listener of an element; none if it has nothing to do in a run (a GUI listener without a file).
pub type ListenerFactory = std::sync::Arc<dyn Fn(&Node, &Compile) -> Option<Rc<dyn Listener>> + Send + Sync>;

/// Elements by class, put together by the command.
#[derive(Clone, Default)]
pub struct Registry {
    /// Samplers.
    pub samplers: HashMap<&'static str, SamplerFactory>,
    /// Foreign pre-processors (native ones are the engine's through `swell-elements`).
    pub pre_processors: HashMap<&'static str, StepFactory>,
    /// Foreign post-processors.
    pub post_processors: HashMap<&'static str, StepFactory>,
    /// Foreign assertions.
    pub assertions: HashMap<&'static str, StepFactory>,
    /// Listeners.
    pub listeners: HashMap<&'static str, ListenerFactory>,
    /// Config elements that samplers read by themselves; the engine only collects them.
    pub sampler_configs: Vec<&'static str>,
}
