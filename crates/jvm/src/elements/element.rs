//! A script element of a plan, compiled for one worker.

use std::sync::Arc;
use std::time::Duration;

use swell_api::{Compile, Pool, RequestTexts, Role, SampleResult, User};
use swell_expr::{Context, Template};
use swell_plan::Node;

use super::call::{self, NoAnswer, Reply, Shown};
use super::script::{Names, Script, Sights};
use super::session::Session;
use crate::request::Overrides;

/// Property: how many milliseconds a script may take; 0 or nothing: any time.
pub(super) const TIMEOUT: &str = "swell.script.timeout";

/// A script element, shared by the users of a worker.
pub(super) struct ScriptElement {
    pub(super) session: Arc<Session>,
    pub(super) pool: Arc<Pool>,
    script: Arc<Script>,
    pub(super) label: Template,
    text: Template,
    file: Template,
    parameters: Template,
    pub(super) sights: Sights,
    pub(super) role: Role,
    limit: Option<Duration>,
}

/// Values of fields that hold expressions.
struct Values([Option<String>; 4]);

impl ScriptElement {
    pub(super) fn compile(node: &Node, role: Role, session: &Arc<Session>, compile: &Compile) -> Self {
        let element = &node.element;
        let names = Names::of(&element.class);
        let template = |property: &str| compile.template(element, property, "");
        let strict = session.is_strict;
        let script =
            session.script(compile.identity(element), |number| Script::of(element, role, strict, number));
        let limit_ms = compile.whole_number(TIMEOUT).filter(|ms| *ms > 0);
        Self {
            session: session.clone(),
            pool: compile.foreign_work(),
            sights: script.sights(),
            script,
            label: compile.text(element, "TestElement.name", element.name()),
            text: template(&names.text),
            file: template(&names.file),
            parameters: template(&names.parameters),
            role,
            limit: limit_ms.map(Duration::from_millis),
        }
    }

    fn values(&self, cx: &mut Context) -> Values {
        let all = [&self.label, &self.text, &self.file, &self.parameters];
        Values(all.map(|template| match template.constant() {
            Some(_) => None,
            None => Some(template.eval(cx).into_owned()),
        }))
    }

    /// Runs the script for a user. `sample` is the sample that it is about; without one it is shown the sample before. The error says why
    /// there is no answer; none is given where a function of a field has thrown.
    pub(super) async fn run(
        &self,
        user: &mut User,
        sample: Option<&SampleResult>,
    ) -> Result<Option<Reply>, NoAnswer> {
        let Values([label, text, file, parameters]) = self.values(&mut user.cx);
        if user.cx.thrown.is_some() {
            return Ok(None);
        }
        let overrides = Overrides {
            label: label.as_deref(),
            text: text.as_deref(),
            file: file.as_deref(),
            parameters: parameters.as_deref(),
        };
        let request = self.request_of(user);
        let previous = user.previous.take();
        let seen = sample.or(previous.as_ref());
        let shows_previous = self.sights.previous;
        let previous_shown = seen.filter(|_| shows_previous);
        let shown = Shown { shows_previous, previous: previous_shown, request: request.as_ref() };
        let (cx, known) = call::parts(user, &self.session, &self.pool);
        let messages = call::messages(&self.script, &overrides, cx, known, &self.session, shown);
        user.previous = previous;
        let pending = call::send(&self.pool, &self.session, &self.script, messages);
        let answered = call::answer(pending, self.limit).await;
        if answered.is_err() {
            call::parts(user, &self.session, &self.pool).1.begin_anew();
        }
        answered.map(Some)
    }

    /// The coming request, if the script may look at it.
    pub(super) fn request_of(&self, user: &User) -> Option<RequestTexts> {
        user.request.texts().filter(|_| self.sights.request).cloned()
    }

    /// Its name now.
    pub(super) fn name(&self, cx: &mut Context) -> String {
        self.label.eval(cx).into_owned()
    }
}
