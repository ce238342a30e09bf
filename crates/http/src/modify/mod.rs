//! Pre-processors that change the request of the following sampler. They return the changes
//! ([`swell_api::RequestChange`]), and the sampler applies them to its texts before it makes the
//! request.

mod rewriting;
mod user_parameters;

use std::any::Any;

use swell_api::UserState;

pub(crate) use rewriting::UrlRewriting;
pub(crate) use user_parameters::UserParameters;

/// The last session of URL Re-writing Modifiers, by element.
#[derive(Default)]
struct Sessions(Vec<(u32, String)>);

impl UserState for Sessions {
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Sessions {
    fn of(&mut self, element: u32) -> &mut String {
        let at = self.0.iter().position(|(of, _)| *of == element).unwrap_or_else(|| {
            self.0.push((element, String::new()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}
