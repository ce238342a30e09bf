//! The load that no trial may pass, however it comes about.

use swell_run::{Status, TrialControl};

use crate::server::Server;

/// What a study may ask of a server at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// Users at a time.
    pub users: u32,
    /// Arrivals a second.
    pub per_second: f64,
}

impl Ceiling {
    /// Why a trial must end now: its thread groups exceed the ceiling. The plan decides what a
    /// property means, so this is unknown before.
    pub fn passed(self, status: &Status) -> Option<String> {
        let users: u32 = status.groups.iter().filter_map(|group| group.wanted_users).sum();
        if users > self.users {
            return Some(above(&format!("{users} users"), &self.users.to_string(), "--max-users"));
        }
        let per_second: f64 = status.groups.iter().filter_map(|group| group.wanted_per_second).sum();
        (per_second > self.per_second).then(|| {
            above(&format!("{per_second:.0} arrivals per second"), &self.per_second.to_string(), "--max-rate")
        })
    }
}

/// Whether a trial may continue; called repeatedly while it runs.
pub(crate) struct CeilingWatch {
    ceiling: Ceiling,
    too_much: Option<String>,
}

impl CeilingWatch {
    pub(crate) fn of(ceiling: Ceiling) -> Self {
        Self { ceiling, too_much: None }
    }

    /// The trial is wanted, is below the ceiling, and its server, if it started one, is running.
    pub(crate) fn goes_on(
        &mut self,
        control: &TrialControl,
        wanted: bool,
        server: &mut Option<Server>,
    ) -> bool {
        self.too_much = control.status().and_then(|status| self.ceiling.passed(&status));
        self.too_much.is_none() && wanted && server.as_mut().is_none_or(|server| server.death().is_none())
    }

    /// # Errors
    /// The trial wanted more than the ceiling, which ended it.
    pub(crate) fn end(self) -> Result<(), String> {
        self.too_much.map_or(Ok(()), Err)
    }
}

fn above(wanted: &str, most: &str, option: &str) -> String {
    format!(
        "the plan requests {wanted}, above the ceiling of {most}; raise it with {option} if the \
        server and the network can handle that"
    )
}
