//! Pre-processors that change the request of the sampler after them: they say what to change, and the sampler changes its
//! texts before it makes a request of them.

mod form_fields;
mod link_parser;
mod links;
mod rewriting;
mod user_parameters;

use swell_expr::Context;

use crate::request::Texts;

pub(crate) use link_parser::LinkParser;
pub(crate) use rewriting::UrlRewriting;
pub(crate) use user_parameters::UserParameters;

/// A change of the texts of one sample.
pub(crate) trait Change {
    /// Changes them.
    fn apply(&self, texts: &mut Texts, cx: &mut Context);
}

/// What pre-processors keep for a user.
#[derive(Default)]
pub(crate) struct Changes {
    /// Changes that wait for their sampler, with [`swell_api::User::package`] at the time.
    waiting: Vec<(u64, Box<dyn Change>)>,
    /// The last session of URL Re-writing Modifiers, by element.
    sessions: Vec<(u32, String)>,
}

impl Changes {
    /// Adds a change for the sampler of a package.
    pub(crate) fn push(&mut self, package: u64, change: Box<dyn Change>) {
        self.waiting.retain(|(of, _)| *of == package);
        self.waiting.push((package, change));
    }

    /// Takes the changes for the sampler of a package; those that their sampler did not take are forgotten.
    pub(crate) fn take(&mut self, package: u64) -> Vec<Box<dyn Change>> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        waiting.filter(|(of, _)| *of == package).map(|(_, change)| change).collect()
    }

    fn session(&mut self, element: u32) -> &mut String {
        let at = self.sessions.iter().position(|(of, _)| *of == element).unwrap_or_else(|| {
            self.sessions.push((element, String::new()));
            self.sessions.len() - 1
        });
        &mut self.sessions[at].1
    }
}
