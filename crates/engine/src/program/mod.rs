//! A plan compiled for one worker: controllers, and a package for each sampler.

mod build;
mod controls;
mod group;
mod internals;
mod package;
mod parallel;
mod scope;
mod steps;

use std::rc::Rc;

use swell_api::{Compile, Listener, Registry};
use swell_plan::{Diagnostic, Element, Node};

use crate::Prepared;
use crate::prepare::MainContext;
pub(crate) use build::AtHand;
pub(crate) use group::{GroupProgram, ROOT, SAMPLE_TIMEOUT};
pub(crate) use internals::{INTERNALS, Internals};
pub(crate) use package::{Branch, Hearer, OnError, Package, Parallel, TransactionPackage};
pub(crate) use steps::{After, Before, Check};

/// What decides how things are compiled, beyond the plan.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// JMeter's roundings.
    pub(crate) compat: bool,
    /// Only to see what is wrong: listeners are not made, so no file is opened.
    pub(crate) dry: bool,
}

/// A plan compiled for one worker. Every worker compiles in the same order, so that what they share is found under the
/// same keys.
pub(crate) struct Program {
    pub(crate) groups: Vec<Rc<GroupProgram>>,
    pub(crate) listeners: Rc<[Rc<dyn Listener>]>,
    /// Where users keep what JMeter keeps for its own work; none where nothing reads it.
    pub(crate) internals: Option<Internals>,
}

impl Program {
    /// Compiles all thread groups. `roots` get the samples that a listener below the Test Plan gets.
    pub(crate) fn compile(
        prepared: &Prepared,
        registry: &Registry,
        compile: &Compile,
        manner: Manner,
        roots: Vec<Rc<dyn Listener>>,
    ) -> Self {
        // Before the samplers, which look whether these names are known.
        let internals = prepared.internals_are_read.then(|| Internals::new(&compile.expr.names));
        let mut listeners = build::Listeners::new(roots);
        let groups: Vec<_> = prepared
            .groups
            .iter()
            .enumerate()
            .map(|(index, group)| {
                let (indexes_are_read, reads_previous) = (prepared.indexes_are_read, prepared.reads_previous);
                let at_hand = build::AtHand {
                    registry,
                    compile,
                    manner,
                    group: index,
                    indexes_are_read,
                    reads_previous,
                };
                Rc::new(group::compile(&group.node, &at_hand, &mut listeners))
            })
            .collect();
        Self { groups, listeners: listeners.all().into(), internals }
    }
}

/// Compiles the plan once for what is to be said about it.
pub(crate) fn trial(prepared: &Prepared, registry: &Registry) -> Vec<Diagnostic> {
    let main = MainContext::new(&prepared.settings, prepared.file.clone());
    let manner = Manner { compat: false, dry: true };
    Program::compile(prepared, registry, &main.compile, manner, Vec::new());
    main.compile.diagnostics.take()
}

/// Whether a controller's class is known.
pub(crate) fn controller_is_native(class: &str) -> bool {
    controls::is_native(class)
}

/// Whether a timer's class is known.
pub(crate) fn timer_is_native(class: &str) -> bool {
    crate::timer::is_native(class)
}

/// Whether a sampler is the engine's own.
pub(crate) fn sampler_is_native(element: &Element) -> bool {
    crate::sampler::is_native(element)
}

/// Whether a pre-processor, post-processor, assertion or iteration element is native.
pub(crate) fn element_is_native(node: &Node) -> bool {
    let settings = Probe::default();
    let element = &node.element;
    let own = ["CSVDataSet", crate::csv::RANDOM, crate::debug::POST_PROCESSOR, SAMPLE_TIMEOUT];
    own.contains(&element.class.as_str())
        || swell_elements::assertion(element, &settings).is_some()
        || swell_elements::post_processor(element, &settings).is_some()
        || swell_elements::pre_processor(element, &settings).is_some()
        || swell_elements::iteration_element(element, &settings).is_some()
}

/// Whether the script of an element is understood; the error says what of it needs a script engine.
pub(crate) fn script_is_understood(element: &Element, props: &swell_expr::Properties) -> Result<(), String> {
    crate::script::understood(element, &ProbeCompiler::default().0, props)
}

/// Builds elements only to see whether they are known.
#[derive(Default)]
struct Probe {
    expr: ProbeCompiler,
    props: swell_expr::Properties,
}

struct ProbeCompiler(swell_expr::Compiler);

impl Default for ProbeCompiler {
    fn default() -> Self {
        Self(swell_expr::Compiler::new(std::sync::Arc::default()))
    }
}

impl swell_api::Build for Probe {
    fn text(&self, _element: &Element, _property: &str, text: &str) -> swell_expr::Template {
        self.expr.0.template(text)
    }

    fn note(
        &self,
        _severity: swell_plan::Severity,
        _element: &Element,
        _property: Option<&str>,
        _message: String,
        _hint: Option<&str>,
    ) {
    }

    fn expr(&self) -> &swell_expr::Compiler {
        &self.expr.0
    }

    fn props(&self) -> &swell_expr::Properties {
        &self.props
    }
}
