//! Texts of elements before any user runs, which may contain functions and variables of the plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rand::SeedableRng;
use swell_expr::{Context, RunInfo, Template, UserIdentity, Vars};
use swell_plan::Element;

use crate::CompileContext;

/// Evaluates texts of elements before any user runs. Clones share the variables.
#[derive(Clone, Debug)]
pub struct StartTexts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Folder of the plan file.
    plan_dir: PathBuf,
    /// Names and values of the plan's own variables.
    variables: Mutex<Vec<(String, String)>>,
}

impl StartTexts {
    /// Without variables of the plan. `plan_dir`: folder of the plan file.
    pub fn new(plan_dir: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Inner { plan_dir: plan_dir.into(), variables: Mutex::default() }))
    }

    /// Folder of the plan file.
    pub fn plan_dir(&self) -> &Path {
        &self.0.plan_dir
    }

    /// Sets the variables of the plan, which all texts that follow may hold.
    pub fn set_variables(&self, variables: &[(String, String)]) {
        *self.0.variables.lock() = variables.to_vec();
    }

    /// A property of an element.
    pub fn property(&self, element: &Element, property: &str, compile: &CompileContext) -> String {
        self.evaluate(&compile.template(element, property, ""), compile)
    }

    /// The name of an element.
    pub fn name(&self, element: &Element, compile: &CompileContext) -> String {
        self.evaluate(&compile.text(element, "TestElement.name", element.name()), compile)
    }

    fn evaluate(&self, template: &Template, compile: &CompileContext) -> String {
        let variables = self.0.variables.lock().clone();
        let mut vars = Vars::new(compile.expr.names.clone());
        for (name, value) in &variables {
            vars.put(name, value.as_str());
        }
        let mut cx = Context {
            vars,
            props: compile.props.clone(),
            host: compile.host.clone(),
            run: Arc::new(RunInfo { plan_dir: self.0.plan_dir.clone(), ..RunInfo::default() }),
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
            unheard: Box::default(),
            backlog: std::cell::OnceCell::new(),
            files_read: swell_expr::FilesRead::default(),
            remote: swell_expr::RemoteMode::Waits,
            trace: None,
            recent: None,
        };
        template.eval(&mut cx).into_owned()
    }
}
