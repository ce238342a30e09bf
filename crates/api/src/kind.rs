//! A kind of element: its complete description in one place.

use std::any::Any;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use swell_expr::Properties;
use swell_plan::{Element, MissingValue, Node};

use crate::{
    Assertion, CompileContext, Controller, ElementLoad, ExternalGroup, FileProperty, IterationElement,
    Listener, Needs, Phase, PostProcessor, PreProcessor, Role, Sampler, SamplerInput, Step, ThreadGroup,
    Timer, VariableProperty,
};

/// The class of config elements that fill the gaps of samplers; their GUI class says of which
/// ([`crate::Merged`]).
pub const CONFIG_TEST_ELEMENT: &str = "ConfigTestElement";

/// The class of the HTTP sampler of bzm's plug-in, which an Async Controller starts without waiting.
pub const BZM_HTTP_SAMPLER: &str = "com.blazemeter.jmeter.http2.sampler.HTTP2Sampler";

/// The attribute that preparing gives to samplers which a script may set before they run.
pub const SET_BY_SCRIPT: &str = "swell-set-by-script";

/// Its value where such a script may set any property by its name.
pub const SET_BY_PROPERTY: &str = "by property";

/// The attribute that preparing gives to scripts which may read objects that scripts of an engine
/// keep for them.
pub const READS_OBJECTS: &str = "swell-reads-objects";

/// The attribute that preparing gives to all samplers where scripts that are not steps of their
/// packages may read them: those that ask which sampler ran before (`ctx.previousSampler`), and
/// those of functions.
pub const IS_KEPT: &str = "swell-is-kept";

/// The listener whose client, a class that it names, sends the figures.
pub const BACKEND_LISTENER: &str = "BackendListener";

/// The attribute that preparing gives to samplers where a script changes what only JMeter's own
/// HTTP Request can follow.
pub const SENT_BY_JMETER: &str = "swell-sent-by-jmeter";

/// Whether a sampler says itself all that it does: no script sets it before it runs. Kinds whose
/// native samplers cannot follow that are for such elements only ([`ElementKind::only`]), and
/// JMeter's own element runs the others.
pub fn is_as_planned(sampler: &Element) -> bool {
    sampler.attribute(SET_BY_SCRIPT).is_none()
}

/// Whether a script may set any property of a sampler by its name.
pub fn is_set_by_property(sampler: &Element) -> bool {
    sampler.attribute(SET_BY_SCRIPT) == Some(SET_BY_PROPERTY)
}

/// How an element is treated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It runs as in JMeter, but for the departures that its documentation lists.
    Native,
    /// The run continues without it; the reason.
    Ignored(Cow<'static, str>),
    /// JMeter's own class runs in the embedded JVM; why.
    Jvm(Cow<'static, str>),
    /// Only a Java machine can run it, and there is none; why. A plan with it is refused.
    NeedsJvm(Cow<'static, str>),
    /// A plan with it is refused; why.
    Unsupported(Cow<'static, str>),
}

/// A setting of an element that is ignored.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The property of the element.
    pub property: &'static str,
    /// The property of the run that is the default of the element's; empty: none.
    pub run_property: &'static str,
    /// The value that is not followed.
    pub value: &'static str,
    /// What is done, and what differs.
    pub what: &'static str,
}

/// Makes a value from an element. It is called once for each element and worker, in the same order
/// on each worker.
pub type Maker<T> = Arc<dyn Fn(&Node, &CompileContext) -> T + Send + Sync>;
/// Makes what runs a complete thread group, from the group and its phase.
pub type GroupMaker = Arc<dyn Fn(&Node, Phase, &CompileContext) -> Arc<dyn ExternalGroup> + Send + Sync>;
/// Whether an element belongs to a kind that covers only some elements of its class.
pub type IsOfKind = Arc<dyn Fn(&Element) -> bool + Send + Sync>;
/// Returns why an element of a class cannot run natively, as a sentence; `None` if it can.
pub type NativeGap = Arc<dyn Fn(&Element) -> Option<String> + Send + Sync>;
/// Returns what an element needs, before it is made.
pub type NeedsFunction = Arc<dyn Fn(&Element) -> Needs + Send + Sync>;
/// Makes a sampler, from the element and the config elements in its scope.
pub type SamplerMaker = Arc<dyn Fn(&SamplerInput<'_>, &CompileContext) -> Rc<dyn Sampler> + Send + Sync>;

/// Makes a listener; `None` if it has nothing to do in a run (such as one without a file).
pub type ListenerMaker = Maker<Option<Rc<dyn Listener>>>;

/// How an element is made.
#[derive(Clone)]
pub enum Make {
    /// Nothing is made of it.
    Nothing,
    /// A config element that samplers in its scope read by themselves ([`SamplerInput::configs`]).
    Config,
    /// A sampler.
    Sampler(SamplerMaker),
    /// A timer.
    Timer(Maker<Rc<dyn Timer>>),
    /// A controller.
    Controller(Maker<Rc<dyn Controller>>),
    /// A thread group.
    ThreadGroup(Maker<Arc<dyn ThreadGroup>>),
    /// A thread group that something else runs.
    ExternalGroup(Maker<Arc<dyn ExternalGroup>>),
    /// Nothing by itself: a thread group with such an element in it is run whole by something else,
    /// which this makes of the group. On the level of the Test Plan it is in all groups.
    InExternalGroup(GroupMaker),
    /// A pre-processor.
    PreProcessor(Maker<Box<dyn PreProcessor>>),
    /// A post-processor.
    PostProcessor(Maker<Box<dyn PostProcessor>>),
    /// An assertion.
    Assertion(Maker<Box<dyn Assertion>>),
    /// A pre-processor, post-processor, assertion or listener, as the role says, that sees its user
    /// and may wait.
    Step(Maker<Rc<dyn Step>>),
    /// A listener.
    Listener(ListenerMaker),
    /// In a form that the engine alone knows: a variant of one of its enums, so that the request
    /// path has no call through a table for it.
    Engine(&'static (dyn Any + Send + Sync)),
}

/// A kind of element.
#[derive(Clone)]
pub struct ElementKind {
    /// Its part in a plan.
    pub role: Role,
    /// Its classes as plans have them, JMeter's short name or the whole one of a plug-in; old names
    /// after the first.
    pub classes: Vec<Cow<'static, str>>,
    /// Where several kinds share a class: the GUI classes of this one. Empty: any.
    pub guis: Vec<Cow<'static, str>>,
    /// Only where this property is one of these values.
    pub when: Option<(&'static str, &'static [&'static str])>,
    /// Only elements for which this holds; none: all of the class.
    pub only: Option<IsOfKind>,
    /// Settings of an element that the native code does not follow. JMeter's own class runs such an
    /// element where there is one; otherwise its maker refuses it or warns.
    pub lacks: Option<NativeGap>,
    /// A kind of a provider comes before it.
    pub unless_provided: bool,
    /// What a sampler reads of the sample before it ([`crate::User::previous`]); none: nothing.
    pub needs_before: Option<NeedsFunction>,
    /// Its name in JMeter's menus.
    pub name: Cow<'static, str>,
    /// How it is treated.
    pub treatment: Treatment,
    /// A setting that is not followed.
    pub departure: Option<Departure>,
    /// How it is made.
    pub make: Make,
    /// What it does at the start of the iterations of the controller above it; none of one element
    /// if its settings say so.
    pub each_iteration: Option<Maker<Option<Box<dyn IterationElement>>>>,
    /// Properties that JMeter evaluates once before the test starts, in Java's order, since the
    /// element is a bean that listens to the start. Their values are thrown away; what their
    /// functions count, write or set stays.
    pub at_start: &'static [&'static str],
    /// Properties that name files.
    pub files: &'static [FileProperty],
    /// The property that is its load; none: it has no load that a study could vary.
    pub load: Option<ElementLoad>,
    /// Values of properties that a plan lacks, where they are not empty texts.
    pub missing: &'static [MissingValue],
    /// Properties that name variables.
    pub variables: &'static [VariableProperty],
    /// Properties of an assertion that checks nothing if all of them are empty or 0.
    pub checks: &'static [&'static str],
    /// It starts processes of the system.
    pub starts_processes: bool,
    /// A TOML text that contains its documentation under its name ([`crate::Documentation`]).
    pub documentation: &'static str,
}

impl ElementKind {
    fn new(role: Role, class: impl Into<Cow<'static, str>>, name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            role,
            classes: vec![class.into()],
            guis: Vec::new(),
            when: None,
            only: None,
            lacks: None,
            unless_provided: false,
            needs_before: None,
            name: name.into(),
            treatment: Treatment::Native,
            departure: None,
            make: Make::Nothing,
            each_iteration: None,
            at_start: &[],
            files: &[],
            load: None,
            missing: &[],
            variables: &[],
            checks: &[],
            starts_processes: false,
            documentation: "",
        }
    }

    /// One that runs.
    pub fn native(
        role: Role,
        class: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        make: Make,
    ) -> Self {
        Self { make, ..Self::new(role, class, name) }
    }

    /// A kind that the run ignores.
    pub fn ignored(role: Role, class: &'static str, name: &'static str, why: &'static str) -> Self {
        Self { treatment: Treatment::Ignored(why.into()), ..Self::new(role, class, name) }
    }

    /// One that a Java machine has to run.
    pub fn needs_jvm(
        role: Role,
        class: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        why: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { treatment: Treatment::NeedsJvm(why.into()), ..Self::new(role, class, name) }
    }

    /// One with which a plan is refused.
    pub fn unsupported(role: Role, class: &'static str, name: &'static str, why: &'static str) -> Self {
        Self { treatment: Treatment::Unsupported(why.into()), ..Self::new(role, class, name) }
    }

    /// With other classes that are the same.
    #[must_use]
    pub fn also(mut self, classes: &[&'static str]) -> Self {
        self.classes.extend(classes.iter().map(|class| Cow::Borrowed(*class)));
        self
    }

    /// Only with one of these GUI classes.
    #[must_use]
    pub fn guis(mut self, guis: &[&'static str]) -> Self {
        self.guis = guis.iter().map(|gui| Cow::Borrowed(*gui)).collect();
        self
    }

    /// Only where a property is one of these; the kind for all other values of the class comes
    /// after it.
    #[must_use]
    pub fn when(self, property: &'static str, values: &'static [&'static str]) -> Self {
        Self { when: Some((property, values)), ..self }
    }

    /// Limits this kind to elements for which `holds` is true. For the rest, the
    /// registry tries other kinds of the class, then providers, and falls back to the first kind.
    #[must_use]
    pub fn only(self, holds: impl Fn(&Element) -> bool + Send + Sync + 'static) -> Self {
        Self { only: Some(Arc::new(holds)), ..self }
    }

    /// Without the elements that have a setting which the native code does not follow, as `why`
    /// says. A provider has those.
    #[must_use]
    pub fn lacks(self, why: impl Fn(&Element) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { lacks: Some(Arc::new(why)), ..self }
    }

    /// Which setting of an element of this class the native code does not follow.
    pub fn lack_of(&self, element: &Element) -> Option<String> {
        self.lacks.as_ref().and_then(|why| why(element))
    }

    /// A sampler that reads the sample before it.
    #[must_use]
    pub fn needs_before(self, needs: impl Fn(&Element) -> Needs + Send + Sync + 'static) -> Self {
        Self { needs_before: Some(Arc::new(needs)), ..self }
    }

    /// One that runs in the embedded JVM.
    pub fn on_jvm(
        role: Role,
        class: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        why: impl Into<Cow<'static, str>>,
        make: Make,
    ) -> Self {
        Self { make, treatment: Treatment::Jvm(why.into()), ..Self::new(role, class, name) }
    }

    /// Only where no provider has a kind of its class.
    #[must_use]
    pub fn unless_provided(self) -> Self {
        Self { unless_provided: true, ..self }
    }

    /// Whether a kind of a provider comes before it.
    pub(crate) fn is_better_provided(&self) -> bool {
        self.unless_provided || matches!(self.treatment, Treatment::NeedsJvm(_))
    }

    /// With a setting that is not followed.
    #[must_use]
    pub fn departs(self, departure: Departure) -> Self {
        Self { departure: Some(departure), ..self }
    }

    /// With something to do at the start of iterations.
    #[must_use]
    pub fn each_iteration(
        self,
        make: impl Fn(&Node, &CompileContext) -> Option<Box<dyn IterationElement>> + Send + Sync + 'static,
    ) -> Self {
        Self { each_iteration: Some(Arc::new(make)), ..self }
    }

    /// With properties that are evaluated once before the test starts.
    #[must_use]
    pub fn at_start(self, properties: &'static [&'static str]) -> Self {
        Self { at_start: properties, ..self }
    }

    /// With values of properties that a plan lacks.
    #[must_use]
    pub fn missing(self, missing: &'static [MissingValue]) -> Self {
        Self { missing, ..self }
    }

    /// One that starts processes of the system.
    #[must_use]
    pub fn starts_processes(self) -> Self {
        Self { starts_processes: true, ..self }
    }

    /// The first of its classes.
    pub fn class(&self) -> &str {
        &self.classes[0]
    }

    /// Whether an element of one of its classes is of this kind.
    pub fn is_of(&self, element: &Element) -> bool {
        let gui = self.guis.is_empty() || self.guis.iter().any(|gui| **gui == *element.gui_class);
        let holds =
            |(property, values): (&str, &[&str])| values.contains(&element.text_or_empty(property).trim());
        // A config element is read by samplers of both sides.
        let is_followed = matches!(self.make, Make::Config) || self.lack_of(element).is_none();
        gui && is_followed
            && self.when.is_none_or(holds)
            && self.only.as_ref().is_none_or(|only| only(element))
    }

    /// What differs for an element that has the setting which is not followed. `run`: properties of
    /// the run.
    pub fn departs_for(&self, element: &Element, run: &Properties) -> Option<&'static str> {
        let departure = self.departure?;
        let own = element.text_or_empty(departure.property).trim().to_owned();
        let said = if own.is_empty() { run.get(departure.run_property).unwrap_or_default() } else { own };
        (said == departure.value).then_some(departure.what)
    }
}

impl Make {
    /// A sampler.
    pub fn sampler(
        make: impl Fn(&SamplerInput<'_>, &CompileContext) -> Rc<dyn Sampler> + Send + Sync + 'static,
    ) -> Self {
        Self::Sampler(Arc::new(make))
    }

    /// A timer.
    pub fn timer(make: impl Fn(&Node, &CompileContext) -> Rc<dyn Timer> + Send + Sync + 'static) -> Self {
        Self::Timer(Arc::new(make))
    }

    /// A controller.
    pub fn controller(
        make: impl Fn(&Node, &CompileContext) -> Rc<dyn Controller> + Send + Sync + 'static,
    ) -> Self {
        Self::Controller(Arc::new(make))
    }

    /// A thread group.
    pub fn thread_group(
        make: impl Fn(&Node, &CompileContext) -> Arc<dyn ThreadGroup> + Send + Sync + 'static,
    ) -> Self {
        Self::ThreadGroup(Arc::new(make))
    }

    /// A thread group that something else runs.
    pub fn external_group(
        make: impl Fn(&Node, &CompileContext) -> Arc<dyn ExternalGroup> + Send + Sync + 'static,
    ) -> Self {
        Self::ExternalGroup(Arc::new(make))
    }

    /// An element that has its thread group run by something else.
    pub fn in_external_group(
        make: impl Fn(&Node, Phase, &CompileContext) -> Arc<dyn ExternalGroup> + Send + Sync + 'static,
    ) -> Self {
        Self::InExternalGroup(Arc::new(make))
    }

    /// A pre-processor.
    pub fn pre_processor(
        make: impl Fn(&Node, &CompileContext) -> Box<dyn PreProcessor> + Send + Sync + 'static,
    ) -> Self {
        Self::PreProcessor(Arc::new(make))
    }

    /// A post-processor.
    pub fn post_processor(
        make: impl Fn(&Node, &CompileContext) -> Box<dyn PostProcessor> + Send + Sync + 'static,
    ) -> Self {
        Self::PostProcessor(Arc::new(make))
    }

    /// An assertion.
    pub fn assertion(
        make: impl Fn(&Node, &CompileContext) -> Box<dyn Assertion> + Send + Sync + 'static,
    ) -> Self {
        Self::Assertion(Arc::new(make))
    }

    /// A pre-processor, post-processor, assertion or listener that sees its user.
    pub fn step(make: impl Fn(&Node, &CompileContext) -> Rc<dyn Step> + Send + Sync + 'static) -> Self {
        Self::Step(Arc::new(make))
    }

    /// A listener.
    pub fn listener(
        make: impl Fn(&Node, &CompileContext) -> Option<Rc<dyn Listener>> + Send + Sync + 'static,
    ) -> Self {
        Self::Listener(Arc::new(make))
    }
}
