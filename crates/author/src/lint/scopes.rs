//! Elements in a place where they do nothing, and thread groups that lack an element.

use swell_api::{LoadUnit, Role};

use super::Finding;
use super::context::{Context, finding};
use super::rules::{NO_COOKIES, NO_SAMPLER, NO_TIMER};
use crate::outline::Entry;

/// Names of kinds in JMeter's menus.
const COOKIES: &str = "HTTP Cookie Manager";
const REQUEST: &str = "HTTP Request";
const PAUSE: &str = "Flow Control Action";

pub(super) fn find(cx: &Context<'_>, all: &mut Vec<Finding>) {
    if !cx.is_whole {
        return;
    }
    let counts = runnable_before(cx);
    for entry in cx.entries.iter().filter(|entry| entry.is_enabled) {
        if is_without_sampler(cx, entry, &counts) {
            let message = format!("no sampler is in the scope of this {}", entry.kind_name());
            let remedy = "move it below the sampler that it is meant for, or to a controller with samplers";
            all.push(finding(NO_SAMPLER, entry.element(), message, remedy));
        }
    }
    let of_plan = || cx.entries.iter().filter(|entry| entry.is_enabled && entry.group.is_none());
    let shared = Shared { has_cookies: of_plan().any(has_cookies), has_pause: of_plan().any(pauses) };
    let groups = cx.entries.iter().enumerate();
    for (at, entry) in groups.filter(|(_, entry)| entry.is_enabled && entry.role == Some(Role::ThreadGroup)) {
        of_group(cx, (at, entry), &shared, all);
    }
}

/// What is outside of thread groups, and so in all of them.
struct Shared {
    has_cookies: bool,
    has_pause: bool,
}

fn has_cookies(entry: &Entry<'_>) -> bool {
    entry.kind_name() == COOKIES
}

fn pauses(entry: &Entry<'_>) -> bool {
    entry.role == Some(Role::Timer) || entry.kind_name() == PAUSE
}

/// How many elements before each place are samplers or may stand for some.
fn runnable_before(cx: &Context<'_>) -> Vec<usize> {
    let may_run = |entry: &Entry<'_>| {
        entry.is_enabled
            // What is in it may be samplers.
            && (entry.role == Some(Role::Sampler) || entry.role.is_none() || entry.element().stands_for_others())
    };
    let mut counts = vec![0];
    for entry in &cx.entries {
        counts.push(counts[counts.len() - 1] + usize::from(may_run(entry)));
    }
    counts
}

fn is_without_sampler(cx: &Context<'_>, entry: &Entry<'_>, counts: &[usize]) -> bool {
    let applies = [Role::PreProcessor, Role::PostProcessor, Role::Assertion, Role::Timer];
    let is_step = entry.role.is_some_and(|role| applies.contains(&role));
    let Some(parent) = entry.parent.filter(|_| is_step) else { return false };
    // It applies to all below the element that it is in, and to that one.
    counts[cx.entries[parent].end] == counts[parent]
}

fn of_group(cx: &Context<'_>, (at, group): (usize, &Entry<'_>), shared: &Shared, all: &mut Vec<Finding>) {
    let inside = &cx.entries[at..group.end];
    let enabled = || inside.iter().filter(|entry| entry.is_enabled);
    let is_unknown = enabled().any(|entry| entry.element().stands_for_others());
    let samplers = enabled().filter(|entry| entry.role == Some(Role::Sampler)).count();
    if samplers == 0 || is_unknown {
        return;
    }
    let requests = enabled().filter(|entry| entry.kind_name() == REQUEST).count();
    if requests > 1 && !shared.has_cookies && !enabled().any(has_cookies) {
        let message = format!("{requests} HTTP requests and no HTTP Cookie Manager");
        let remedy = "add an HTTP Cookie Manager to the Test Plan if the site has sessions";
        all.push(finding(NO_COOKIES, group.element(), message, remedy));
    }
    let has_rate = group
        .kind
        .as_ref()
        .is_some_and(|kind| kind.load.is_some_and(|load| load.unit == LoadUnit::PerSecond));
    if !has_rate && !runs_once(group) && !shared.has_pause && !enabled().any(pauses) {
        let message = "its users loop without a timer".to_owned();
        let remedy = "add a timer, such as a Uniform Random Timer for think time or a Constant Throughput Timer for a rate";
        all.push(finding(NO_TIMER, group.element(), message, remedy));
    }
}

/// One iteration a user: set-up, tear-down, a functional test.
fn runs_once(group: &Entry<'_>) -> bool {
    let controller = group.element().element("ThreadGroup.main_controller");
    controller.is_some_and(|controller| {
        controller.text_or_empty("LoopController.loops").trim() == "1"
            && !controller.flag("LoopController.continue_forever", false)
    })
}
