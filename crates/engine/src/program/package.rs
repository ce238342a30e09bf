//! The elements that belong to a sampler.

use std::rc::Rc;

use swell_api::{LoopAction, Sampler, SamplerTexts};
use swell_expr::{Context, Template};

use super::steps::{After, Before, Check, WaitingListener};
use crate::control::ControlId;
use crate::timer::Timer;

/// A sampler with everything in its scope, in execution order (`SamplePackage`).
pub(crate) struct Package {
    pub(crate) name: Template,
    /// The name, where it is always the same.
    pub(crate) constant_name: Option<Rc<str>>,
    /// Whether the name is evaluated once more after the sample, which may give another one.
    pub(crate) named_twice: bool,
    /// Outermost first.
    pub(crate) before: Vec<Rc<Before>>,
    /// Innermost first.
    pub(crate) timers: Vec<Rc<Timer>>,
    pub(crate) sampler: Rc<dyn Sampler>,
    /// The sampler's properties, where a step reads them.
    pub(crate) properties: Option<Box<SamplerProperties>>,
    /// Scripts that are not steps of this package may read them.
    pub(crate) is_kept: bool,
    /// Outermost first.
    pub(crate) after: Vec<Rc<After>>,
    /// Outermost first.
    pub(crate) checks: Vec<Rc<Check>>,
    /// Listeners that may wait. Innermost first; they hear of a sample before the others do.
    pub(crate) waiting_listeners: Vec<WaitingListener>,
    /// Who gets its samples, and those of transactions that end after it. Innermost first.
    pub(crate) sample_listeners: Vec<SampleListener>,
    /// Who gets its samples inside a transaction with parent sample: not those who get the
    /// transaction's.
    pub(crate) inside: Option<Inside>,
    /// Controllers above it, innermost first, the root of the thread group last.
    pub(crate) path: Vec<ControlId>,
    /// What a Parallel Controller runs at once.
    pub(crate) parallel: Option<Box<Parallel>>,
}

impl Package {
    /// Something looks at its samples that may wait, or that may change what is to be done with
    /// them.
    pub(crate) fn is_examined(&self) -> bool {
        !(self.after.is_empty() && self.checks.is_empty() && self.waiting_listeners.is_empty())
    }

    /// Who gets its samples. `inside`: there is a transaction with parent sample around it.
    pub(crate) fn listeners_of(&self, inside: bool) -> &[SampleListener] {
        let inner = self.inside.as_ref().filter(|_| inside);
        inner.map_or(&self.sample_listeners, |inner| &inner.sample_listeners)
    }

    /// The same of listeners that may wait.
    pub(crate) fn waiting_listeners_of(&self, inside: bool) -> &[WaitingListener] {
        let inner = self.inside.as_ref().filter(|_| inside);
        inner.map_or(&self.waiting_listeners, |inner| &inner.waiting_listeners)
    }
}

/// Listeners for the samples inside a transaction with a parent sample.
pub(crate) struct Inside {
    pub(crate) sample_listeners: Vec<SampleListener>,
    pub(crate) waiting_listeners: Vec<WaitingListener>,
}

/// The plain properties of a sampler, for steps that read them.
pub(crate) struct SamplerProperties {
    pub(crate) class: Rc<str>,
    pub(crate) texts: Vec<(Rc<str>, Template)>,
}

impl SamplerProperties {
    /// Their current values, for a request with own texts for some.
    pub(crate) fn shared(&self, cx: &mut Context) -> Vec<(Rc<str>, Rc<str>)> {
        self.texts.iter().map(|(name, text)| (name.clone(), (&*text.eval(cx)).into())).collect()
    }

    /// What they are now.
    pub(crate) fn now(&self, cx: &mut Context) -> SamplerTexts {
        let now = self.texts.iter().map(|(name, text)| (name.clone(), text.eval(cx).into_owned()));
        SamplerTexts { class: self.class.clone(), properties: now.collect(), followed: &[] }
    }
}

/// The branches of a Parallel Controller.
pub(crate) struct Parallel {
    pub(crate) branches: Vec<Branch>,
    /// It has its own sample, which contains the samples of the branches.
    pub(crate) has_sample: bool,
    /// They are samplers of an Async Controller: parts of their user's own thread.
    pub(crate) is_batch: bool,
    /// How many branches run at a time, if that is limited.
    pub(crate) at_once: Option<Template>,
}

/// A child of a Parallel Controller, below a separate root.
pub(crate) struct Branch {
    pub(crate) root: ControlId,
    /// The first controller that is not below the root.
    pub(crate) end: ControlId,
    pub(crate) name: Template,
}

/// The elements of a transaction with a parent sample.
pub(crate) struct TransactionPackage {
    /// Innermost first.
    pub(crate) checks: Vec<Rc<Check>>,
    /// Innermost first.
    pub(crate) waiting_listeners: Vec<WaitingListener>,
    /// Innermost first.
    pub(crate) sample_listeners: Vec<SampleListener>,
}

/// The part of a sample that a listener receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleListener {
    /// A listener, by its index in the list of the program.
    Reading(u32),
    /// A listener that changes samples.
    Mutating(u32),
    /// A listener that receives the sample of the enclosing transaction, and its parts separately.
    Inner(u32),
    /// A Transaction Controller without parent sample: it sums up.
    Transaction(ControlId),
    /// A Result Status Action Handler.
    OnError(OnError),
}

/// The action after a failed sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnError {
    #[default]
    Continue,
    StopUser,
    StopTest,
    StopTestNow,
    Loop(LoopAction),
}
