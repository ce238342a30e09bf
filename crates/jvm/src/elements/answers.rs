//! Applies a response: changes variables, properties, samples and the next request, and tells the
//! engine what to do next.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{LoopAction, Pool, RequestEdit, Role, SampleResult, SamplerView, User};
use swell_expr::{Context, Level, StopRequest, Thrown};

use super::link::Link;
use super::requests::RequestChanges;
use super::session::Session;
use super::user::parts;
use super::{requests, samples, whereabouts};
use crate::{EngineRequests, JvmAnswer, LogicalAction, Sample, Sampler, ScriptFault, Status, ValueChange};

/// Makes the changes of an answer. `sample` is the sample that the script was about.
pub(super) fn apply(link: &Link, answer: &JvmAnswer<'_>, user: &mut User, sample: Option<&mut SampleResult>) {
    apply_to_user(&link.session, &link.pool, answer, user, sample, Some(&link.place));
    if let Some(after) = &answer.sampler {
        change_sampler(link, after, user);
    }
}

/// Makes the changes of the sampler; after its sample they are only seen by the steps that follow.
fn change_sampler(link: &Link, after: &Sampler<'_>, user: &mut User) {
    if *after.name != *user.cx.sampler_name {
        user.rename_sampler(after.name);
    }
    let lost = match link.sampler_of(user) {
        SamplerView::No => return,
        SamplerView::Properties(before) => {
            let changed = requests::changed(&before, after);
            let (followed, lost): (Vec<_>, Vec<_>) =
                changed.into_iter().partition(|(name, _)| before.followed.contains(name));
            for (name, value) in followed {
                user.set_sampler_property(name, value);
            }
            lost.into_iter().map(|(name, _)| name.to_owned()).collect()
        }
        SamplerView::Request(before) => {
            let RequestChanges { request, managers, lost } = requests::edit(&before, after);
            user.change_managers(managers);
            if request != RequestEdit::default() {
                user.change_request(request);
            }
            lost
        }
    };
    if !lost.is_empty() {
        let name = link.name(&mut user.cx);
        let message =
            format!("{name}: it sets {} of its sampler, which has no effect in Swell", lost.join(", "));
        user.cx.host.log(Level::Warn, &message);
    }
}

/// The same for all but the coming request. `place` is that of the element, as the log names it.
pub(super) fn apply_to_user(
    session: &Arc<Session>,
    pool: &Arc<Pool>,
    answer: &JvmAnswer<'_>,
    user: &mut User,
    sample: Option<&mut SampleResult>,
    place: Option<&str>,
) {
    apply_to_context(session, answer, &mut user.cx, place);
    let (cx, known) = parts(user, session, pool);
    known.seen = cx.vars.generation();
    cx.vars.forget_changes(known.seen);
    wish(answer.wishes, user);
    if let Some(changed) = &answer.previous {
        change_sample(changed, user, sample);
    }
}

/// Logs its lines, and makes its changes of properties and variables.
pub(super) fn apply_to_context(
    session: &Session,
    answer: &JvmAnswer<'_>,
    cx: &mut Context,
    place: Option<&str>,
) {
    session.log_lines(&answer.logs, &*cx.host, place);
    if let Some(fault) = &answer.fault {
        session.tell_of_absent(&text(fault), &*cx.host);
    }
    for (name, value) in &answer.properties {
        session.property_changed(name, *value);
    }
    for (name, change) in &answer.variables {
        match change {
            ValueChange::Text(text) | ValueChange::Object(text) => cx.vars.put(name, *text),
            ValueChange::Null => cx.vars.put_null(name),
            ValueChange::Removed => drop(cx.vars.remove(name)),
        }
    }
}

fn change_sample(changed: &Sample<'_>, user: &mut User, sample: Option<&mut SampleResult>) {
    // What the sample before is asked to stop is not looked at again
    // (`JMeterThread.executeSamplePackage`).
    if sample.is_some() {
        wish_of_sample(changed, user);
    }
    if let Some(sample) = sample.or(user.previous.as_deref_mut()) {
        samples::changes(changed).apply(sample);
        samples::apply_numbers(changed, sample);
    }
}

/// What a sample asks of the engine (`SampleResult.setStopThread` and the like).
pub(super) fn wish_of_sample(changed: &Sample<'_>, user: &mut User) {
    if let Some(flags) = changed.flags {
        let stop_thread = flags.stop_thread;
        let stop_test = flags.stop_test;
        let stop_test_now = flags.stop_test_now;
        wish(EngineRequests { stop_thread, stop_test, stop_test_now, ..EngineRequests::default() }, user);
    }
    if let Some(action) = changed.action {
        wish(EngineRequests { action, ..EngineRequests::default() }, user);
    }
}

/// What a script asks of the engine.
pub(super) fn wish(wishes: EngineRequests, user: &mut User) {
    let asked = [
        (wishes.stop_test_now, StopRequest::TestNow),
        (wishes.stop_test, StopRequest::Test),
        (wishes.stop_thread, StopRequest::User),
    ];
    let asked = asked.into_iter().find_map(|(is_asked, stop)| is_asked.then_some(stop));
    user.cx.stop = user.cx.stop.max(asked);
    match wishes.action {
        LogicalAction::Continue => {}
        LogicalAction::NextThreadLoop => user.action = LoopAction::NextThreadLoop,
        LogicalAction::NextLoop => user.action = LoopAction::NextLoop,
        LogicalAction::BreakLoop => user.action = LoopAction::Break,
    }
}

/// What the element threw, which JMeter's element does not catch: an exception ends the sample
/// package, an error the thread.
pub(super) fn throw(link: &Link, answer: &JvmAnswer<'_>, user: &mut User, in_package: bool) {
    let Some(fault) = answer.fault.filter(|_| answer.status == Status::Threw) else { return };
    if fault.is_error {
        if in_package {
            fail_user(link, &fault, user);
        } else {
            tell_of_end(link, &fault, &user.cx);
            user.cx.stop = user.cx.stop.max(Some(StopRequest::User));
        }
    } else if link.role == Role::Listener {
        // JMeter continues with the next listener (`ListenerNotifier.notifyListeners`).
        let place = whereabouts::at_line(&link.place, line_of(&fault));
        let message = format!("Detected problem in Listener. {} [{place}]", text(&fault));
        user.cx.host.log(Level::Error, &message);
    } else {
        let class = interned(fault.class);
        let message = fault.message.to_owned();
        user.cx.thrown.get_or_insert_with(|| Box::new(Thrown { class, message }));
    }
}

/// What was thrown ends the user.
pub(super) fn fail_user(link: &Link, fault: &ScriptFault<'_>, user: &mut User) {
    let message = tell_of_end(link, fault, &user.cx);
    user.cx.thrown.get_or_insert_with(|| Box::new(Thrown { class: Thrown::ENDS_USER, message }));
}

/// Logs why the user ends; the line of the log.
fn tell_of_end(link: &Link, fault: &ScriptFault<'_>, cx: &Context) -> String {
    let place = whereabouts::at_line(&link.place, line_of(fault));
    let message = format!("{}: Test failed! {} [{place}]", cx.user.thread_name, text(fault));
    cx.run.faults.note(&text(fault));
    cx.host.log(Level::Error, &message);
    message
}

fn line_of(fault: &ScriptFault<'_>) -> Option<u32> {
    Some(fault.line).filter(|line| *line > 0)
}

/// The name of a class, kept for the life of the process: the number of classes in it is limited.
pub(super) fn interned(class: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock();
    if let Some(known) = known.get(class) {
        return known;
    }
    let class: &'static str = class.to_owned().leak();
    known.insert(class);
    class
}

/// An error as Java shows it.
pub(super) fn text(fault: &ScriptFault<'_>) -> String {
    format!("{}: {}", fault.class, fault.message)
}

/// Handles a missing answer: what the element did is unknown, so the test does not continue as if
/// it had succeeded.
pub(super) fn give_up(link: &Link, reason: &str, user: &mut User) {
    let name = link.name(&mut user.cx);
    user.cx.host.log(Level::Error, &format!("{name}: it did not finish: {reason} [{}]", link.place));
}
