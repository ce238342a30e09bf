//! What a study tests: a URL, or a plan that was read.

use std::path::{Path, PathBuf};

use swell_plan::Plan;
use swell_study::server::Template;

use crate::args::SetArgs;
use crate::exit::Failure;
use crate::run::setup;

/// What is tested.
pub(crate) enum Subject {
    /// A URL in which settings have their places.
    Url(Template),
    /// A plan and its file.
    Plan(PathBuf, Box<Plan>),
}

impl Subject {
    /// Reads the plan, if it is one: a `.jmx` file, or any other file that is there.
    pub(crate) fn read(text: &str, set: &SetArgs) -> Result<Self, Failure> {
        let path = Path::new(text);
        let is_plan = !text.contains("://")
            && (path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("jmx")) || path.is_file());
        if is_plan {
            return Ok(Self::Plan(path.to_owned(), Box::new(setup::read_plan(path, set)?.0)));
        }
        if !set.sets.is_empty() {
            return Err(Failure::settings(format!("--set sets properties of a plan, and `{text}` is a URL"))
                .hint("`swell search plan.jmx --set …` loads a plan"));
        }
        Ok(Self::Url(Template::new(text)))
    }
}
