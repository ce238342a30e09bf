//! Steps of a package, native or foreign.

use std::rc::Rc;
use swell_api::{Assertion, Needs, PostProcessor, PreProcessor, Step};

/// A listener that may wait. It receives samples before those that do not wait.
pub(crate) type WaitingListener = Rc<dyn Step>;

/// A pre-processor.
pub(crate) enum Before {
    Native(Box<dyn PreProcessor>),
    Foreign(Rc<dyn Step>),
}

/// A post-processor.
pub(crate) enum After {
    Native(Box<dyn PostProcessor>),
    Foreign(Rc<dyn Step>),
}

/// An assertion.
pub(crate) enum Check {
    Native(Box<dyn Assertion>),
    Foreign(Rc<dyn Step>),
}

impl Before {
    pub(crate) fn reads_request(&self) -> bool {
        matches!(self, Self::Foreign(step) if step.reads_request())
    }
}

impl After {
    pub(crate) fn reads_request(&self) -> bool {
        matches!(self, Self::Foreign(step) if step.reads_request())
    }

    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Native(step) => step.needs(),
            Self::Foreign(step) => step.needs(),
        }
    }
}

impl Check {
    pub(crate) fn reads_request(&self) -> bool {
        matches!(self, Self::Foreign(step) if step.reads_request())
    }

    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Native(step) => step.needs(),
            Self::Foreign(step) => step.needs(),
        }
    }
}
