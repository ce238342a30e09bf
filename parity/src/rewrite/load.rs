//! Reduces users, loops and waits.

use swell_plan::Element;

use super::shrink::{set_rows, shrink_loops, shrink_main};

/// Shortens the work of an element.
pub(super) fn shrink(element: &mut Element) {
    match element.class.as_str() {
        "ThreadGroup" | "SetupThreadGroup" | "PostThreadGroup" => shrink_group(element),
        "LoopController" => shrink_loops(element),
        "ConstantTimer" | "UniformRandomTimer" | "GaussianRandomTimer" | "PoissonRandomTimer" => {
            at_most(element, "ConstantTimer.delay", 10);
            at_most(element, "RandomTimer.range", 5);
        }
        "ConstantThroughputTimer" => element.set_text("throughput", "6000000.0"),
        "PreciseThroughputTimer" => element.set_attribute("enabled", "false"),
        "SyncTimer" => element.set_text("groupSize", "1"),
        "TestAction" => at_most(element, "ActionProcessor.duration", 10),
        "HTTPSamplerProxy" | "HTTPSampler" | "HTTPSampler2" => {
            at_most(element, "HTTPSampler.connect_timeout", 5000);
        }
        "TCPSampler" => {
            at_most(element, "TCPSampler.ctimeout", 5000);
            at_most(element, "TCPSampler.timeout", 5000);
        }
        "kg.apc.jmeter.timers.VariableThroughputTimer" => {
            set_rows(element, "load_profile", &[["1000", "1000", "50"]]);
        }
        "kg.apc.jmeter.samplers.DummySampler" => {
            for name in ["RESPONSE_TIME", "LATENCY", "CONNECT"] {
                at_most(element, name, 5);
            }
        }
        // The release on Maven Central does not support patterns.
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion" => {
            element.set_text("ISREGEX", "false");
        }
        // Without a timeout, an empty queue would wait for ever.
        "kg.apc.jmeter.modifiers.FifoPopPreProcessor" => element.set_text("Timeout", "1"),
        _ => {}
    }
}

fn shrink_group(element: &mut Element) {
    for (name, value) in
        [("num_threads", "1"), ("ramp_time", "0"), ("duration", ""), ("delay", ""), ("scheduler", "false")]
    {
        element.set_text(&format!("ThreadGroup.{name}"), value);
    }
    shrink_main(element);
}

/// Replaces a larger number, and any non-empty text that is not a number.
fn at_most(element: &mut Element, name: &str, limit: u32) {
    let text = element.text_or_empty(name);
    if !text.is_empty() && !text.parse::<f64>().is_ok_and(|value| value <= f64::from(limit)) {
        element.set_text(name, &limit.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_one_user_for_two_loops() {
        for (loops, expected) in [("-1", "2"), ("100", "2"), ("${n}", "2"), ("1", "1"), ("0", "0"), ("", "2")]
        {
            let main = Element::new("LoopController", "", "").with_text("LoopController.loops", loops);
            let mut group = Element::new("ThreadGroup", "ThreadGroupGui", "G")
                .with_element("ThreadGroup.main_controller", main)
                .with_flag("ThreadGroup.scheduler", true);
            shrink(&mut group);
            let main = group.element("ThreadGroup.main_controller").unwrap();
            assert_eq!(main.text("LoopController.loops"), Some(expected), "{loops}");
            assert!(!group.flag("ThreadGroup.scheduler", true));
        }
    }

    #[test]
    fn waits_are_short() {
        for (delay, expected) in [("3000", "10"), ("${wait}", "10"), ("5", "5"), ("", "")] {
            let mut timer = Element::new("ConstantTimer", "ConstantTimerGui", "T")
                .with_text("ConstantTimer.delay", delay);
            shrink(&mut timer);
            assert_eq!(timer.text("ConstantTimer.delay"), Some(expected));
        }
    }
}
