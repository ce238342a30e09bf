//! A test duration that overrides the plan's (`--for`).

use std::time::Duration;

use swell_api::{Make, Phase, Registry, Role};
use swell_plan::{Element, Plan};

use crate::group_load::GroupKind;
use crate::kinds::{Native, native};

const SCHEDULER: &str = "ThreadGroup.scheduler";
const CONTROLLER: &str = "ThreadGroup.main_controller";

/// The plan with main thread groups that take that long, ramps included:
///
/// - thread groups loop until then, by their scheduler: its startup delay comes before, as in
///   JMeter;
/// - of groups with a target and a hold time (concurrency, arrivals) the hold time is what the ramp
///   leaves, and a limit of arrivals is taken off.
///
/// # Errors
/// A group with a table of times or run by foreign code, an invalid ramp or one that takes longer,
/// or no group at all.
pub fn last_for(plan: &Plan, time: Duration, registry: &Registry) -> Result<Plan, String> {
    let mut plan = plan.clone();
    let mut groups = 0;
    let main = plan.root.children.iter_mut().map(|node| &mut node.element);
    for element in main.filter(|element| element.enabled()) {
        let changed = match native(registry, element) {
            Some(Native::ThreadGroup(Phase::Main, GroupKind::Plain)) => {
                loop_for(element, time);
                Ok(())
            }
            Some(Native::ThreadGroup(Phase::Main, GroupKind::Concurrency | GroupKind::Arrivals)) => {
                hold_for(element, time)
            }
            Some(Native::ThreadGroup(Phase::Main, _)) => {
                Err("its schedule sets its duration: change the schedule, or replace the load with --shape"
                    .to_owned())
            }
            None if is_other_group(registry, element) => {
                Err("the code that runs it sets its duration".to_owned())
            }
            Some(_) | None => continue,
        };
        changed.map_err(|why| {
            format!("--for cannot set the duration of thread group `{}`: {why}", element.name())
        })?;
        groups += 1;
    }
    if groups == 0 {
        return Err(
            "--for sets the duration of thread groups, but this plan has no enabled thread group".to_owned()
        );
    }
    Ok(plan)
}

fn is_other_group(registry: &Registry, element: &Element) -> bool {
    registry.role(element) == Some(Role::ThreadGroup)
        || registry
            .kind(element)
            .is_some_and(|kind| matches!(kind.make, Make::ThreadGroup(_) | Make::ExternalGroup(_)))
}

/// Seconds as a plan has them: whole ones without a point, which JMeter reads, too.
fn seconds(time: f64) -> String {
    format!("{time}")
}

fn loop_for(group: &mut Element, time: Duration) {
    let was = group.text(SCHEDULER).unwrap_or_default().to_owned();
    // A disabled scheduler does not use its delay.
    if !was.eq_ignore_ascii_case("true") && !was.contains("${") {
        group.set_text("ThreadGroup.delay", "0");
    }
    group.set_text(SCHEDULER, "true");
    group.set_text("ThreadGroup.duration", &seconds(time.as_secs_f64()));
    if let Some(mut controller) = group.element(CONTROLLER).cloned() {
        controller.set_text("LoopController.loops", "-1");
        *group = group.clone().with_element(CONTROLLER, controller);
    }
}

fn hold_for(group: &mut Element, time: Duration) -> Result<(), String> {
    let unit_s = if group.text("Unit") == Some("M") { 60.0 } else { 1.0 };
    let ramp = group.text("RampUp").unwrap_or_default().trim();
    let ramp_s = if ramp.is_empty() { Ok(0.0) } else { ramp.parse::<f64>() };
    let ramp_s =
        ramp_s.map_err(|_| format!("invalid ramp-up time `{ramp}`: use a number of seconds"))? * unit_s;
    let hold_s = time.as_secs_f64() - ramp_s;
    if hold_s <= 0.0 {
        return Err(format!("its ramp-up takes {ramp_s} s, which is not shorter"));
    }
    group.set_text("Hold", &seconds(hold_s / unit_s));
    group.set_text("ArrivalsLimit", "");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Node;

    const CONCURRENCY: &str = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";

    fn with_duration(
        groups: impl IntoIterator<Item = Element>,
        time: Duration,
    ) -> Result<Vec<Element>, String> {
        let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "plan"));
        root.children.extend(groups.into_iter().map(Node::new));
        let plan = last_for(&Plan::new(root), time, &Registry::of(crate::kinds()))?;
        Ok(plan.root.children.into_iter().map(|node| node.element).collect())
    }

    fn plain(class: &str) -> Element {
        let controller =
            Element::new("LoopController", "LoopControlPanel", "l").with_text("LoopController.loops", "3");
        Element::new(class, "ThreadGroupGui", "users")
            .with_element(CONTROLLER, controller)
            .with_text("ThreadGroup.delay", "7")
    }

    fn texts<'e>(element: &'e Element, names: &[&str]) -> Vec<&'e str> {
        names.iter().map(|name| element.text(name).unwrap_or_default()).collect()
    }

    fn loops(element: &Element) -> &str {
        element.element(CONTROLLER).and_then(|main| main.text("LoopController.loops")).expect("a loop")
    }

    #[test]
    fn thread_groups_loop_until_then_and_those_before_and_after_do_not() {
        let scheduled =
            plain("ThreadGroup").with_text(SCHEDULER, "true").with_text("ThreadGroup.duration", "5");
        let groups = [plain("ThreadGroup"), scheduled, plain("SetupThreadGroup")];
        let found = with_duration(groups, Duration::from_hours(168)).expect("can be set");
        let names = [SCHEDULER, "ThreadGroup.duration", "ThreadGroup.delay"];
        assert_eq!(texts(&found[0], &names), ["true", "604800", "0"], "the delay was not read");
        assert_eq!(texts(&found[1], &names), ["true", "604800", "7"]);
        assert_eq!((loops(&found[0]), loops(&found[1]), loops(&found[2])), ("-1", "-1", "3"));
        assert_eq!(texts(&found[2], &names), ["", "", "7"]);
    }

    #[test]
    fn a_hold_time_is_what_the_ramp_leaves() {
        let group = |unit, ramp| {
            Element::new(CONCURRENCY, "G", "level")
                .with_text("Unit", unit)
                .with_text("RampUp", ramp)
                .with_text("Hold", "1")
        };
        let time = Duration::from_mins(90);
        let found = with_duration([group("M", "30"), group("S", "")], time).expect("can be set");
        assert_eq!((texts(&found[0], &["Hold"]), texts(&found[1], &["Hold"])), (vec!["60"], vec!["5400"]));
        assert!(with_duration([group("M", "90")], time).unwrap_err().contains("5400 s"));
        assert!(with_duration([group("S", "${ramp}")], time).unwrap_err().contains("`${ramp}`"));
    }

    #[test]
    fn a_group_with_times_of_its_own_is_named() {
        for class in ["kg.apc.jmeter.threads.SteppingThreadGroup", "OpenModelThreadGroup"] {
            let said =
                with_duration([Element::new(class, "G", "steps")], Duration::from_secs(1)).unwrap_err();
            assert!(said.contains("`steps`") && said.contains("--shape"), "{said}");
        }
        assert!(with_duration([], Duration::from_secs(1)).unwrap_err().contains("no enabled thread group"));
        assert!(with_duration([plain("ThreadGroup").disabled()], Duration::from_secs(1)).is_err());
    }
}
