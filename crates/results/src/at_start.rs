//! Texts of elements as they are before any user runs: they may hold functions, and variables of the plan.

use std::sync::Arc;

use rand::SeedableRng;
use swell_api::CompileContext;
use swell_expr::{Context, RunInfo, Template, UserIdentity, Vars};
use swell_plan::Element;

use crate::ResultFiles;

/// A property that may hold functions and variables of the plan, as it is before any user runs.
pub(crate) fn eval_at_start(
    element: &Element,
    property: &str,
    files: &ResultFiles,
    compile: &CompileContext,
) -> String {
    eval(element, property, files, compile, &files.variables())
}

/// The name of an element, which may hold the same.
pub(crate) fn name_at_start(element: &Element, files: &ResultFiles, compile: &CompileContext) -> String {
    let template = compile.text(element, "TestElement.name", element.name());
    evaluated(&template, files, compile, &files.variables())
}

pub(crate) fn eval(
    element: &Element,
    property: &str,
    files: &ResultFiles,
    compile: &CompileContext,
    variables: &[(String, String)],
) -> String {
    evaluated(&compile.template(element, property, ""), files, compile, variables)
}

fn evaluated(
    template: &Template,
    files: &ResultFiles,
    compile: &CompileContext,
    variables: &[(String, String)],
) -> String {
    let plan_dir = files.options().plan_dir.clone();
    let mut vars = Vars::new(compile.expr.names.clone());
    for (name, value) in variables {
        vars.put(name, value.as_str());
    }
    let mut cx = Context {
        vars,
        props: compile.props.clone(),
        host: compile.host.clone(),
        run: Arc::new(RunInfo { plan_dir, ..RunInfo::default() }),
        user: UserIdentity {
            thread_name: "".into(),
            group_name: "".into(),
            thread_index: 0,
            group_number: 0,
            group_users: 0,
        },
        sampler_name: "".into(),
        users: None,
        iteration: 0,
        stop: None,
        random: rand::rngs::SmallRng::seed_from_u64(0),
        thrown: None,
        function_states: Vec::new(),
        previous: None,
        heavy: std::rc::Rc::default(),
        unheard: Vec::new(),
        backlog: std::cell::OnceCell::new(),
        files_read: swell_expr::FilesRead::default(),
        remote: swell_expr::RemoteMode::Waits,
    };
    template.eval(&mut cx).into_owned()
}
