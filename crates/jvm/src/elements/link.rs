//! The common part of all elements that run on the JVM.

use std::sync::Arc;
use std::time::Duration;

use swell_api::{CompileContext, Pool, Role, SamplerView, User};
use swell_expr::{Context, Template};
use swell_plan::Element;

use super::script::ElementAccess;
use super::session::Session;
use super::whereabouts;

/// Property: how many milliseconds a call may take; 0 or nothing: any time.
pub const SCRIPT_TIMEOUT: &str = "swell.script.timeout";

/// An element on the JVM, shared by the users of a worker.
pub(super) struct Link {
    pub(super) session: Arc<Session>,
    pub(super) pool: Arc<Pool>,
    label: Template,
    /// Its place in the plan, as in messages.
    pub(super) place: Arc<str>,
    /// What it may look at.
    pub(super) sights: ElementAccess,
    pub(super) role: Role,
    pub(super) limit: Option<Duration>,
}

impl Link {
    pub(super) fn new(
        element: &Element,
        role: Role,
        sights: ElementAccess,
        session: &Arc<Session>,
        compile: &CompileContext,
    ) -> Self {
        let limit_ms = compile.whole_number(SCRIPT_TIMEOUT).filter(|ms| *ms > 0);
        let place = whereabouts::of_element(element, compile.file.as_ref().map(|file| file.as_path()));
        Self {
            session: session.clone(),
            place: place.into(),
            pool: compile.foreign_work(),
            label: compile.text(element, "TestElement.name", element.name()),
            sights,
            role,
            limit: limit_ms.map(Duration::from_millis),
        }
    }

    /// Its name, as a text that may hold expressions.
    pub(super) fn label(&self) -> &Template {
        &self.label
    }

    /// Its name now.
    pub(super) fn name(&self, cx: &mut Context) -> String {
        self.label.eval(cx).into_owned()
    }

    /// The sampler, if the element may look at it, and the JVM knows its class.
    pub(super) fn sampler_of(&self, user: &User) -> SamplerView {
        match user.request.shown() {
            _ if !self.sights.request => SamplerView::No,
            SamplerView::Properties(texts) if self.session.lacks(&texts.class) => SamplerView::No,
            shown => shown.clone(),
        }
    }
}
