//! The initial variables of every user: user defined variables, evaluated once (`PreCompiler`).

use jiff::Timestamp;
use jiff::tz::TimeZone;
use swell_api::Registry;
use swell_expr::{Host, Properties};
use swell_plan::{Element, Node};

use super::main_context::MainContext;
use crate::kinds::{Native, native};

/// Evaluates the variables of the Test Plan, then those of every enabled User Defined Variables
/// element in document order. An element sees the variables of those before it, not its own.
pub(super) fn initial(root: &Node, registry: &Registry, main: &MainContext) -> Vec<(String, String)> {
    let props = &main.compile.props;
    for (name, value) in start_times(props, &*main.compile.host) {
        // They are properties as well (`JMeter.initializeProperties`,
        // `JMeterContextService.startTest`).
        props.set(name, &value);
        main.put(name, &value);
    }
    root.walk(&mut |node| {
        let arguments = match native(registry, &node.element) {
            Some(Native::TestPlan) => node.element.element("TestPlan.user_defined_variables"),
            Some(Native::Variables) => Some(&node.element),
            _ => None,
        };
        for (name, value) in arguments.map(|a| evaluated(a, main)).unwrap_or_default() {
            main.put(&name, &value);
        }
    });
    main.variables()
}

fn evaluated(arguments: &Element, main: &MainContext) -> Vec<(String, String)> {
    let members = arguments.elements("Arguments.arguments");
    let mut found: Vec<(String, String)> = Vec::new();
    for argument in members {
        let name = main.property(argument, "Argument.name", argument.name());
        // `Arguments.getArgumentsAsMap`: of several with one name the first counts.
        if found.iter().all(|(known, _)| *known != name) {
            found.push((name, main.property(argument, "Argument.value", "")));
        }
    }
    found
}

/// `JMeterVariables.preloadVariables`: from properties, where a command has set them.
fn start_times(props: &Properties, host: &dyn Host) -> [(&'static str, String); 4] {
    let now = Timestamp::from_nanosecond(i128::from(host.now_ns())).unwrap_or_default();
    let zone = TimeZone::get(&host.time_zone()).unwrap_or(TimeZone::UTC);
    let local = now.to_zoned(zone);
    let millis = now.as_millisecond().to_string();
    let made = [
        ("START.MS", millis.clone()),
        ("START.YMD", local.strftime("%Y%m%d").to_string()),
        ("START.HMS", local.strftime("%H%M%S").to_string()),
        ("TESTSTART.MS", millis),
    ];
    made.map(|(name, value)| (name, props.get(name).unwrap_or(value)))
}
