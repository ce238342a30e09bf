//! The engine's elements.

use std::sync::Arc;

use swell_api::{ElementKind, FileProperty, FileUse, Make, Phase, Role, VariableProperty, VariableUse};
use swell_expr::{ElementKind as Script, Properties};

use super::native::Native as N;
use super::scripts::{ScriptChoice, ScriptsNatively};
use super::{loads, missing};
use crate::control::Kind as Control;
use crate::control::make as controls;
use crate::group_load::GroupKind as Group;
use crate::{csv, sampler, timer};

const SIMPLE: &N = &N::Controller(|_, _| Control::Simple);
const JAVA: &str = "JavaSampler";
/// The class of plain thread groups.
pub(crate) const THREAD_GROUP: &str = "ThreadGroup";
/// The class of Parallel Controllers, samplers that run their children at once.
pub(crate) const PARALLEL: &str = "com.blazemeter.jmeter.controller.ParallelSampler";
/// The class of Async Controllers, whose HTTP samplers run at once.
pub(crate) const ASYNC: &str = "com.blazemeter.jmeter.http2.control.HTTP2Controller";
/// The class of what makes them loop.
pub(crate) const LOOP_CONTROLLER: &str = "LoopController";
/// Properties of the script elements that are beans. The BeanShell Sampler and Assertion are none.
const JSR223_BEAN: &[&str] = &["cacheKey", "filename", "parameters", "script", "scriptLanguage"];
const BEANSHELL_BEAN: &[&str] = &["filename", "parameters", "resetInterpreter", "script"];

/// The data file or the script of an element.
const FILE: &[FileProperty] = &[("filename", FileUse::Read)];

/// Variables that a list of arguments defines.
const DEFINED: &[VariableProperty] = &[("Argument.name", VariableUse::Sets)];
/// The columns of a data set.
const COLUMNS: &[VariableProperty] = &[("variableNames", VariableUse::SetsListOrHeader(','))];

/// The variables of a loop over variables.
const FOR_EACH: &[VariableProperty] =
    &[("ForeachController.inputVal", VariableUse::Reads), ("ForeachController.returnVal", VariableUse::Sets)];

/// The engine's part of the table of elements.
pub fn kinds() -> Vec<ElementKind> {
    let kinds = [groups(), controllers(), samplers(), timers(), steps()].into_iter().flatten();
    let documentation = include_str!("../../elements.toml");
    kinds.map(|kind| ElementKind { documentation, ..kind }).collect()
}

/// The same for a run that also has the JVM: scripts that are not to run natively are left to it.
pub fn kinds_beside_jvm(natively: &ScriptsNatively, props: &Arc<Properties>) -> Vec<ElementKind> {
    let with_rule = |kind: ElementKind| match &kind.make {
        Make::Engine(native) => match native.downcast_ref() {
            Some(N::Script(script)) => {
                let choice = ScriptChoice::new(*script, *natively, props.clone());
                kind.only(move |element| choice.is_native(element))
            }
            _ => kind,
        },
        _ => kind,
    };
    kinds().into_iter().map(with_rule).collect()
}

fn own(role: Role, class: &'static str, name: &'static str, native: &'static N) -> ElementKind {
    ElementKind::native(role, class, name, Make::Engine(native))
}

fn groups() -> Vec<ElementKind> {
    vec![
        own(Role::Plan, "TestPlan", "Test Plan", &N::TestPlan)
            .variables(DEFINED)
            .files(&[("TestPlan.user_define_classpath", FileUse::ReadList(','))]),
        own(Role::ThreadGroup, THREAD_GROUP, "Thread Group", &N::ThreadGroup(Phase::Main, Group::Plain))
            .load(loads::THREAD_GROUP),
        own(
            Role::ThreadGroup,
            "SetupThreadGroup",
            "setUp Thread Group",
            &N::ThreadGroup(Phase::SetUp, Group::Plain),
        ),
        own(
            Role::ThreadGroup,
            "PostThreadGroup",
            "tearDown Thread Group",
            &N::ThreadGroup(Phase::TearDown, Group::Plain),
        ),
        own(
            Role::ThreadGroup,
            "OpenModelThreadGroup",
            "Open Model Thread Group",
            &N::ThreadGroup(Phase::Main, Group::OpenModel),
        )
        .also(&["org.apache.jmeter.threads.openmodel.OpenModelThreadGroup"])
        .load(loads::OPEN_MODEL),
        own(
            Role::ThreadGroup,
            "kg.apc.jmeter.threads.UltimateThreadGroup",
            "jp@gc - Ultimate Thread Group",
            &N::ThreadGroup(Phase::Main, Group::Ultimate),
        ),
        own(
            Role::ThreadGroup,
            "kg.apc.jmeter.threads.SteppingThreadGroup",
            "jp@gc - Stepping Thread Group",
            &N::ThreadGroup(Phase::Main, Group::Stepping),
        ),
        own(
            Role::ThreadGroup,
            "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
            "bzm - Concurrency Thread Group",
            &N::ThreadGroup(Phase::Main, Group::Concurrency),
        )
        .load(loads::CONCURRENCY),
        own(
            Role::ThreadGroup,
            "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup",
            "bzm - Arrivals Thread Group",
            &N::ThreadGroup(Phase::Main, Group::Arrivals),
        )
        .load(loads::ARRIVALS),
        own(
            Role::ThreadGroup,
            "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup",
            "bzm - Free-Form Arrivals Thread Group",
            &N::ThreadGroup(Phase::Main, Group::FreeFormArrivals),
        ),
        own(Role::Config, "Arguments", "User Defined Variables", &N::Variables).variables(DEFINED),
    ]
}

fn controllers() -> Vec<ElementKind> {
    vec![
        own(Role::Controller, "GenericController", "Simple Controller", SIMPLE),
        own(Role::Controller, "RecordingController", "Recording Controller", SIMPLE),
        own(Role::Controller, "TestFragmentController", "Test Fragment", SIMPLE),
        own(Role::Controller, "ModuleController", "Module Controller", SIMPLE),
        own(Role::Controller, "IncludeController", "Include Controller", SIMPLE)
            .files(&[("IncludeController.includepath", FileUse::ReadPlan)]),
        own(Role::Controller, LOOP_CONTROLLER, "Loop Controller", &N::Controller(controls::looping)),
        own(Role::Controller, "WhileController", "While Controller", &N::Controller(controls::while_loop)),
        own(Role::Controller, "ForeachController", "ForEach Controller", &N::Controller(controls::for_each))
            .variables(FOR_EACH),
        own(
            Role::Controller,
            "OnceOnlyController",
            "Once Only Controller",
            &N::Controller(|_, _| Control::OnceOnly),
        ),
        own(Role::Controller, "IfController", "If Controller", &N::Controller(controls::conditional)),
        own(
            Role::Controller,
            "InterleaveControl",
            "Interleave Controller",
            &N::Controller(controls::interleave),
        ),
        own(Role::Controller, "RandomController", "Random Controller", &N::Controller(controls::random)),
        own(
            Role::Controller,
            "RandomOrderController",
            "Random Order Controller",
            &N::Controller(|_, _| Control::RandomOrder),
        ),
        own(Role::Controller, "SwitchController", "Switch Controller", &N::Controller(controls::switch)),
        own(
            Role::Controller,
            "ThroughputController",
            "Throughput Controller",
            &N::Controller(controls::throughput),
        ),
        own(Role::Controller, "RunTime", "Runtime Controller", &N::TimedController(controls::run_time)),
        own(
            Role::Controller,
            "CriticalSectionController",
            "Critical Section Controller",
            &N::Controller(controls::critical),
        ),
        own(
            Role::Controller,
            "TransactionController",
            "Transaction Controller",
            &N::Transaction(controls::transaction),
        ),
        own(
            Role::Controller,
            "com.blazemeter.jmeter.control.WeightedSwitchController",
            "bzm - Weighted Switch Controller",
            &N::Controller(controls::weighted),
        ),
        // Its samplers are in Parallel Controllers before it is compiled.
        own(Role::Controller, ASYNC, "bzm - HTTP Async Controller", SIMPLE)
            .lacks(crate::prepare::async_batches::lacks),
    ]
}

fn samplers() -> Vec<ElementKind> {
    vec![
        own(Role::Sampler, PARALLEL, "bzm - Parallel Controller", &N::Parallel),
        own(Role::Sampler, "TestAction", "Flow Control Action", &N::PausingSampler(sampler::action)),
        own(Role::Sampler, "DebugSampler", "Debug Sampler", &N::Sampler(sampler::debug))
            .missing(missing::DEBUG_SAMPLER),
        own(Role::Sampler, JAVA, "Java Request", &N::PausingSampler(sampler::java))
            .when("classname", sampler::JAVA_CLASSES)
            .only(swell_api::is_as_planned),
        ElementKind::needs_jvm(
            Role::Sampler,
            JAVA,
            "Java Request with other classes",
            "it runs a custom Java class",
        )
        .variables(&[("", VariableUse::Anything)]),
        own(Role::Sampler, "JSR223Sampler", "JSR223 Sampler", &N::Script(Script::Sampler))
            .at_start(JSR223_BEAN)
            .files(FILE),
        own(Role::Sampler, "BeanShellSampler", "BeanShell Sampler", &N::Script(Script::Sampler))
            .files(&[("BeanShellSampler.filename", FileUse::Read)]),
    ]
}

fn timers() -> Vec<ElementKind> {
    vec![
        own(Role::Timer, "ConstantTimer", "Constant Timer", &N::Timer(timer::constant)),
        own(Role::Timer, "UniformRandomTimer", "Uniform Random Timer", &N::Timer(timer::uniform)),
        own(Role::Timer, "GaussianRandomTimer", "Gaussian Random Timer", &N::Timer(timer::gaussian)),
        own(Role::Timer, "PoissonRandomTimer", "Poisson Random Timer", &N::Timer(timer::poisson)),
        own(
            Role::Timer,
            "ConstantThroughputTimer",
            "Constant Throughput Timer",
            &N::RateTimer(timer::constant_throughput),
        )
        .load(loads::CONSTANT_THROUGHPUT)
        .missing(missing::CONSTANT_THROUGHPUT),
        own(
            Role::Timer,
            "PreciseThroughputTimer",
            "Precise Throughput Timer",
            &N::RateTimer(timer::precise_throughput),
        )
        .load(loads::PRECISE_THROUGHPUT)
        .missing(missing::PRECISE_THROUGHPUT),
        own(Role::Timer, "SyncTimer", "Synchronizing Timer", &N::Timer(timer::synchronizing))
            .at_start(&["groupSize", "timeoutInMs"])
            .missing(missing::SYNCHRONIZING),
        own(Role::Timer, "JSR223Timer", "JSR223 Timer", &N::Script(Script::Timer))
            .at_start(JSR223_BEAN)
            .files(FILE),
        own(Role::Timer, "BeanShellTimer", "BeanShell Timer", &N::Script(Script::Timer))
            .at_start(BEANSHELL_BEAN)
            .files(FILE),
        own(
            Role::Timer,
            "kg.apc.jmeter.timers.VariableThroughputTimer",
            "jp@gc - Throughput Shaping Timer",
            &N::RateTimer(timer::throughput_shaping),
        ),
    ]
}

fn steps() -> Vec<ElementKind> {
    vec![
        own(Role::IterationElement, "CSVDataSet", "CSV Data Set Config", &N::DataSet(csv::data_set))
            .files(FILE)
            .variables(COLUMNS)
            .missing(missing::CSV_DATA_SET),
        own(
            Role::IterationElement,
            "com.blazemeter.jmeter.RandomCSVDataSetConfig",
            "bzm - Random CSV Data Set Config",
            &N::DataSet(csv::random_data_set),
        )
        .files(FILE)
        .variables(COLUMNS),
        own(Role::PreProcessor, "SampleTimeout", "Sample Timeout", &N::SampleTimeout),
        own(
            Role::PreProcessor,
            "JSR223PreProcessor",
            "JSR223 PreProcessor",
            &N::Script(Script::PreProcessor),
        )
        .at_start(JSR223_BEAN)
        .files(FILE),
        own(
            Role::PreProcessor,
            "BeanShellPreProcessor",
            "BeanShell PreProcessor",
            &N::Script(Script::PreProcessor),
        )
        .at_start(BEANSHELL_BEAN)
        .files(FILE),
        own(Role::PostProcessor, "DebugPostProcessor", "Debug PostProcessor", &N::DebugPostProcessor)
            .missing(missing::DEBUG_POST_PROCESSOR),
        own(
            Role::PostProcessor,
            "JSR223PostProcessor",
            "JSR223 PostProcessor",
            &N::Script(Script::PostProcessor),
        )
        .at_start(JSR223_BEAN)
        .files(FILE),
        own(
            Role::PostProcessor,
            "BeanShellPostProcessor",
            "BeanShell PostProcessor",
            &N::Script(Script::PostProcessor),
        )
        .at_start(BEANSHELL_BEAN)
        .files(FILE),
        own(Role::Assertion, "JSR223Assertion", "JSR223 Assertion", &N::Script(Script::Assertion))
            .at_start(JSR223_BEAN)
            .files(FILE),
        own(Role::Assertion, "BeanShellAssertion", "BeanShell Assertion", &N::Script(Script::Assertion))
            .files(&[("BeanShellAssertion.filename", FileUse::Read)]),
        own(Role::Listener, "ResultAction", "Result Status Action Handler", &N::OnError),
    ]
}
