//! Scripts that run natively.

use crate::bench::{Bench, element, group, plan, sampler, text};

/// An element with a script below a sampler.
fn with_script(class: &str, name: &str, script: &str) -> Vec<u8> {
    plan(&group("G", 1, 1, "", &[element(class, name, &text("script", script), ""), sampler("a")].concat()))
}

#[test]
fn lines_of_the_log_bear_the_name_of_jmeters_logger() {
    for (class, name, script, wanted) in [
        (
            "JSR223PreProcessor",
            "${__P(none,mine)}",
            "log.info('said')",
            "org.apache.jmeter.modifiers.JSR223PreProcessor.mine: said",
        ),
        (
            "BeanShellPreProcessor",
            "mine",
            "log.info(\"said\");",
            "org.apache.jmeter.util.BeanShellTestElement: said",
        ),
        (
            "JSR223PreProcessor",
            "mine",
            "vars.put('a', vars.get('none').trim())",
            "org.apache.jmeter.modifiers.JSR223PreProcessor: Problem in JSR223 script, mine",
        ),
        (
            "JSR223PreProcessor",
            "${__groovy(log.info('said'))}",
            "vars.put('a', Label)",
            "org.apache.jmeter.functions.Groovy: said",
        ),
    ] {
        let ran = Bench::default().run(&with_script(class, name, script));
        assert!(ran.log.iter().any(|line| line.contains(wanted)), "{script}: {:?}", ran.log);
    }
}
