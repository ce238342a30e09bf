//! A script element of a plan, compiled for one worker.

use std::sync::Arc;

use swell_api::{CompileContext, Role, SampleResult, User};
use swell_expr::Template;
use swell_plan::{Node, Severity};

use super::link::Link;
use super::link_calls::CallResult;
use super::script::{Names, Script};
use super::session::Session;
use super::user::parts;
use crate::absent;
use crate::request::{self, Overrides};

/// A script element, shared by the users of a worker.
pub(super) struct ScriptElement {
    pub(super) link: Link,
    script: Arc<Script>,
    text: Template,
    file: Template,
    parameters: Template,
}

/// Values of fields that hold expressions.
struct Values([Option<String>; 4]);

impl ScriptElement {
    pub(super) fn compile(node: &Node, role: Role, session: &Arc<Session>, compile: &CompileContext) -> Self {
        let element = &node.element;
        let names = Names::of(&element.class);
        warn_of_absent(node, &names.text, session, compile);
        let template = |property: &str| compile.template(element, property, "");
        let strict = session.is_strict;
        let script =
            session.script(compile.identity(element), |number| Script::of(element, role, strict, number));
        Self {
            link: Link::new(element, role, script.sights(), session, compile),
            script,
            text: template(&names.text),
            file: template(&names.file),
            parameters: template(&names.parameters),
        }
    }

    fn values(&self, user: &mut User) -> Values {
        // Pre-processors may have given a sampler another name.
        let is_renamed = self.link.role == Role::Sampler && user.request.is_renamed(user.package);
        let cx = &mut user.cx;
        let all = [self.link.label(), &self.text, &self.file, &self.parameters];
        let Values([label, text, file, parameters]) = Values(all.map(|template| match template.constant() {
            Some(_) => None,
            None => Some(template.eval(cx).into_owned()),
        }));
        let label = if is_renamed { Some(cx.sampler_name.to_string()) } else { label };
        Values([label, text, file, parameters])
    }

    /// The hosted sampler that the script may look at, with the number of its package.
    fn package_of(&self, user: &mut User) -> Option<(u32, u64)> {
        let package = user.package;
        let (_, known) = parts(user, &self.link.session, &self.link.pool);
        let sampler = known.sampler_of(package).filter(|_| self.link.sights.request)?;
        Some((sampler, package))
    }

    /// Runs the script for a user. `sample` is the sample that it is about; without one it is shown
    /// the sample before. The error says why there is no answer; `None` where a function of a field
    /// has thrown.
    pub(super) async fn run(&self, user: &mut User, sample: Option<&SampleResult>) -> CallResult {
        let Values([label, text, file, parameters]) = self.values(user);
        if user.cx.thrown.is_some() {
            return Ok(None);
        }
        let overrides = Overrides {
            label: label.as_deref(),
            text: text.as_deref(),
            file: file.as_deref(),
            parameters: parameters.as_deref(),
            package: self.package_of(user),
        };
        let script = self.script.clone();
        let number = self.script.number;
        let write = |out: &mut Vec<u8>, user: u64, state: &request::CallState<'_>| {
            request::run_script(out, user, number, &overrides, state);
        };
        self.link.call(user, sample, &write, move |jvm| script.define(jvm)).await.map(Some)
    }
}

/// Says which imports of a script will not be found, where it is known what would bring them.
fn warn_of_absent(node: &Node, property: &str, session: &Session, compile: &CompileContext) {
    let element = &node.element;
    let script = element.text(property).unwrap_or_default();
    for class in absent::imports(script).into_iter().filter(|class| session.lacks(class)) {
        let hint = absent::to_install(class);
        let message = format!("the script imports {class}, which is in no jar on the class path");
        compile.note(Severity::Warning, element, Some(property), message, hint.as_deref());
    }
}
