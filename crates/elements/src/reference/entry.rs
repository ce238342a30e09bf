//! What is said of an element.

use super::Property;

/// Which part an element has in a plan. The order is that of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The Test Plan, recorders, non-test elements.
    Plan,
    /// Thread groups.
    ThreadGroup,
    /// Controllers.
    Controller,
    /// Samplers.
    Sampler,
    /// Config elements that samplers read or that set variables before the run.
    Config,
    /// Config elements that act at the start of each iteration: data sets, counters.
    IterationElement,
    /// Timers.
    Timer,
    /// Pre-processors.
    PreProcessor,
    /// Post-processors.
    PostProcessor,
    /// Assertions.
    Assertion,
    /// Listeners.
    Listener,
}

/// What becomes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It runs as in JMeter, but for what [`Entry::differs`] says.
    Native,
    /// It is known, and the run goes on without it; why.
    Ignored(&'static str),
    /// It runs code that only a Java machine can run; which.
    NeedsJvm(&'static str),
    /// A plan with it is refused; why.
    Unsupported(&'static str),
}

/// Where an element runs, but not as one of its settings says.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The property that says so.
    pub property: &'static str,
    /// The property of the run that counts where the element has none; empty: there is no such.
    pub run_property: &'static str,
    /// The value that is not followed.
    pub value: &'static str,
    /// What is done, and what differs.
    pub what: &'static str,
}

/// What is known of an element.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its part in a plan.
    pub kind: Kind,
    /// Its class as plans have it: JMeter's short name, or the whole one for plug-ins.
    pub class: &'static str,
    /// Other classes that are treated just so.
    pub also: &'static [&'static str],
    /// Where several elements share a class: `guiclass` of this one. Empty: any.
    pub guis: &'static [&'static str],
    /// Only where this property is one of these.
    pub when: Option<(&'static str, &'static [&'static str])>,
    /// Its name in JMeter's menus.
    pub name: &'static str,
    /// What becomes of it.
    pub treatment: Treatment,
    /// What it does, in a sentence or two; empty for what does not run.
    pub does: &'static str,
    /// What it reads.
    pub properties: &'static [Property],
    /// Where it departs from JMeter 5.6.3, each a sentence.
    pub differs: &'static [&'static str],
    /// A setting that is not followed.
    pub departure: Option<Departure>,
}

impl Entry {
    const fn new(kind: Kind, class: &'static str, name: &'static str, treatment: Treatment) -> Self {
        Self {
            kind,
            class,
            also: &[],
            guis: &[],
            when: None,
            name,
            treatment,
            does: "",
            properties: &[],
            differs: &[],
            departure: None,
        }
    }

    /// An element that runs.
    pub(super) const fn native(
        kind: Kind,
        class: &'static str,
        name: &'static str,
        does: &'static str,
    ) -> Self {
        Self { does, ..Self::new(kind, class, name, Treatment::Native) }
    }

    /// An element that takes no part.
    pub(super) const fn ignored(
        kind: Kind,
        class: &'static str,
        name: &'static str,
        why: &'static str,
    ) -> Self {
        Self::new(kind, class, name, Treatment::Ignored(why))
    }

    /// An element that a Java machine has to run.
    pub(super) const fn needs_jvm(
        kind: Kind,
        class: &'static str,
        name: &'static str,
        why: &'static str,
    ) -> Self {
        Self::new(kind, class, name, Treatment::NeedsJvm(why))
    }

    /// An element with which a plan is refused.
    pub(super) const fn unsupported(
        kind: Kind,
        class: &'static str,
        name: &'static str,
        why: &'static str,
    ) -> Self {
        Self::new(kind, class, name, Treatment::Unsupported(why))
    }

    /// With what it reads.
    pub(super) const fn properties(self, properties: &'static [Property]) -> Self {
        Self { properties, ..self }
    }

    /// With its departures from JMeter.
    pub(super) const fn differs(self, differs: &'static [&'static str]) -> Self {
        Self { differs, ..self }
    }

    /// With a setting that is not followed.
    pub(super) const fn departs(self, departure: Departure) -> Self {
        Self { departure: Some(departure), ..self }
    }

    /// What differs for this element, where it has the setting that is not followed. `run`: properties of the run.
    pub fn departs_for(
        &self,
        element: &swell_plan::Element,
        run: &swell_expr::Properties,
    ) -> Option<&'static str> {
        let departure = self.departure?;
        let own = element.text_or_empty(departure.property).trim().to_owned();
        let said = if own.is_empty() { run.get(departure.run_property).unwrap_or_default() } else { own };
        (said == departure.value).then_some(departure.what)
    }

    /// With other classes that are the same.
    pub(super) const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// Only with one of these GUI classes.
    pub(super) const fn guis(self, guis: &'static [&'static str]) -> Self {
        Self { guis, ..self }
    }

    /// Only where a property is one of these; an entry for all others of the class stands after it.
    pub(super) const fn when(self, property: &'static str, values: &'static [&'static str]) -> Self {
        Self { when: Some((property, values)), ..self }
    }

    /// Whether it is that of an element of one of its classes.
    pub(super) fn is_of(&self, element: &swell_plan::Element) -> bool {
        let gui = self.guis.is_empty() || self.guis.contains(&element.gui_class.as_str());
        let holds =
            |(property, values): (&str, &[&str])| values.contains(&element.text_or_empty(property).trim());
        gui && self.when.is_none_or(holds)
    }

    /// All its classes.
    pub fn classes(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.class).chain(self.also.iter().copied())
    }
}
