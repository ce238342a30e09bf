//! A virtual user, as samplers and steps use it.

use std::rc::Rc;

use swell_expr::Context;

use crate::request::put_last;
use crate::{
    ManagerChanges, PendingRequest, RequestChange, SampleResult, SamplerView, StoredSamplers, UserState,
};

/// `JMeterContext.TestLogicalAction`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopAction {
    /// Continue.
    #[default]
    Continue,
    /// Start the next iteration of the thread group.
    NextThreadLoop,
    /// Start the next iteration of the innermost loop.
    NextLoop,
    /// Leave the innermost loop.
    Break,
}

/// One virtual user.
pub struct User {
    /// What expressions and elements see.
    pub cx: Context,
    /// The last sample (`prev`), if a step of the plan reads it. In most plans none does, so users
    /// have no room for it.
    pub previous: Option<Box<SampleResult>>,
    /// When this user's schedule ends, on the clock of [`crate::Timing`]; `i64::MAX` if it does
    /// not.
    pub end_ns: i64,
    /// When the coming sample was meant to start: end of the sum of its timers, or the slot of its
    /// schedule.
    pub intended_ns: i64,
    /// When it could start: then, or when the user became free if that was later.
    pub ready_ns: i64,
    /// `intended_ns` is a slot of a rate or of arrivals.
    pub scheduled: bool,
    /// When the user became free: end of its last sample or pause.
    pub free_ns: i64,
    /// How many packages this user has begun: what a pre-processor leaves for its sampler has this
    /// number.
    pub package: u64,
    /// What pre-processors want changed of the coming request, and the request as those see it that
    /// read it.
    pub request: PendingRequest,
    /// When a running sample is interrupted, if its sampler can be (`SampleTimeout`); `i64::MAX` if
    /// it is not.
    pub interrupt_at_ns: i64,
    /// Where to go after the current sample (`JMeterContext.setTestLogicalAction`).
    pub action: LoopAction,
    /// What samplers keep for this user, one of each type ([`User::state`]).
    pub states: Vec<Box<dyn UserState>>,
}

impl User {
    /// A user that is free from that time on.
    pub fn new(cx: Context, now_ns: i64) -> Self {
        Self {
            cx,
            previous: None,
            end_ns: i64::MAX,
            intended_ns: now_ns,
            ready_ns: now_ns,
            scheduled: false,
            free_ns: now_ns,
            package: 0,
            request: PendingRequest::default(),
            interrupt_at_ns: i64::MAX,
            action: LoopAction::Continue,
            states: Vec::new(),
        }
    }

    /// Wants the coming request changed; for pre-processors.
    pub fn change_request(&mut self, change: impl RequestChange + 'static) {
        self.request.change(self.package, Rc::new(change));
    }

    /// What pre-processors want changed of the request that is to be made now, in their order; for
    /// samplers.
    #[inline]
    pub fn request_changes(&self) -> Vec<Rc<dyn RequestChange>> {
        self.request.changes(self.package)
    }

    /// Whether there are any.
    #[inline]
    pub fn has_request_changes(&self) -> bool {
        self.request.has_changes(self.package)
    }

    /// Wants managers in the scope of the sampler changed.
    pub fn change_managers(&mut self, changes: ManagerChanges) {
        if changes != ManagerChanges::default() {
            self.request.change_managers(self.package, changes);
        }
    }

    /// Gives the sampler another name for the coming sample; for pre-processors.
    pub fn rename_sampler(&mut self, name: &str) {
        self.cx.sampler_name = name.into();
        self.request.rename(self.package);
    }

    /// Sets a property of the sampler for the coming sample; for pre-processors.
    pub fn set_sampler_property(&mut self, name: &str, value: &str) {
        self.request.set_property(self.package, name, value);
    }

    /// What such a property was set to; for samplers.
    pub fn sampler_property(&self, name: &str) -> Option<&str> {
        let set = self.request.properties_set(self.package);
        set.iter().find(|(known, _)| **known == *name).map(|(_, value)| &**value)
    }

    /// Keeps what the sampler is now for a step that reads it; its request with the changes of the
    /// steps before.
    pub fn show_sampler(&mut self, mut shown: SamplerView) {
        match &mut shown {
            SamplerView::Request(texts) => {
                for change in self.request_changes() {
                    change.apply(texts, &mut self.cx);
                }
            }
            SamplerView::Properties(texts) => {
                for (name, value) in self.request.properties_set(self.package) {
                    put_last(&mut texts.properties, name.clone(), value.clone());
                }
            }
            SamplerView::No => {}
        }
        self.request.show(self.package, shown);
    }

    /// The samplers that are kept for scripts that are not steps of their packages. Few plans have
    /// such, so users have no room for them.
    pub fn kept_samplers(&mut self) -> &mut StoredSamplers {
        self.state(StoredSamplers::default)
    }

    /// Tells what samplers keep for this user that a thread group iteration starts. The engine does
    /// so by itself; this is for callers that drive a sampler without it.
    pub fn start_iteration(&mut self, same_user: bool) {
        for state in &mut self.states {
            state.iteration_start(same_user);
        }
    }

    /// The state of that type, made on first use.
    pub fn state<T: UserState>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        self.parts(make).1
    }

    /// What expressions see, next to the state of that type.
    pub fn parts<T: UserState>(&mut self, make: impl FnOnce() -> T) -> (&mut Context, &mut T) {
        let found = self.states.iter_mut().position(|s| s.as_any().is::<T>());
        let index = found.unwrap_or_else(|| {
            // Mostly there is one, and a vector would begin with room for four.
            self.states.reserve_exact(1);
            self.states.push(Box::new(make()));
            self.states.len() - 1
        });
        let state = self.states[index].as_any().downcast_mut().expect("found by its type");
        (&mut self.cx, state)
    }
}
