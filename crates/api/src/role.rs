//! The role of an element in a plan.

/// The role of an element in a plan. The order is that of the reference page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
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

/// Whether the name of a class is that of a listener that writes a results file as JMeter's own
/// does. Those of plug-ins extend JMeter's, and are named after it.
pub(crate) fn is_result_collector(class: &str) -> bool {
    class.ends_with("ResultCollector")
}

impl Role {
    /// The role that the name of a class suggests: JMeter's way of naming classes, to which
    /// plug-ins mostly keep. None where it suggests nothing.
    pub fn by_name(class: &str) -> Option<Self> {
        let short = class.rsplit('.').next().unwrap_or(class);
        let endings: &[(Self, &[&str])] = &[
            (Self::ThreadGroup, &["ThreadGroup"]),
            (Self::PostProcessor, &["PostProcessor", "Extractor"]),
            (Self::PreProcessor, &["PreProcessor", "Modifier", "UserParameters", "SampleTimeout"]),
            (Self::Assertion, &["Assertion"]),
            (Self::Timer, &["Timer"]),
            (Self::Controller, &["Controller", "Control"]),
            (Self::Sampler, &["Sampler", "SamplerProxy", "TestAction"]),
            (Self::Config, &["Config", "Manager", "DataSource", "Element"]),
            (
                Self::Listener,
                &["Listener", "Collector", "Summariser", "Visualizer", "ResultSaver", "Reporter"],
            ),
        ];
        let found = endings.iter().find(|(_, ends)| ends.iter().any(|end| short.ends_with(end)));
        found.map(|(role, _)| *role)
    }
}
