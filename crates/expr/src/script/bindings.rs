//! The names that a script can use, and when it is parsed.

/// The names that a script can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingScope {
    /// Only its own text (If Controllers).
    Empty,
    /// `vars`, `props`, `ctx`, `threadName` (functions).
    Objects,
    /// These and the samples of an element.
    Element(ElementKind),
}

/// The kind of element that a script belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// A pre-processor: it sees no sample.
    PreProcessor,
    /// A post-processor.
    PostProcessor,
    /// A sampler: it makes `SampleResult`.
    Sampler,
    /// An assertion: it judges `SampleResult`.
    Assertion,
    /// A timer: it sees no sample.
    Timer,
}

/// When a script is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Before the run, with [`super::token::PLACEHOLDER`] where references will be.
    Plan,
    /// As its references made it.
    Run,
}
