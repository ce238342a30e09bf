//! The load that no trial may pass, however it comes about.

use swell_run::Status;

/// What a study may ask of a server at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// Users at a time.
    pub users: u32,
    /// Arrivals a second.
    pub per_second: f64,
}

impl Ceiling {
    /// Why a trial is to end that has come so far: its thread groups want more. The plan decides what a property means, so nobody knows before.
    pub fn passed(self, status: &Status) -> Option<String> {
        let users: u32 = status.groups.iter().filter_map(|group| group.wanted_users).sum();
        if users > self.users {
            return Some(above(&format!("{users} users"), &self.users.to_string(), "--max-users"));
        }
        let per_second: f64 = status.groups.iter().filter_map(|group| group.wanted_per_second).sum();
        (per_second > self.per_second).then(|| {
            above(&format!("{per_second:.0} arrivals a second"), &self.per_second.to_string(), "--max-rate")
        })
    }
}

fn above(wanted: &str, most: &str, option: &str) -> String {
    format!(
        "the plan wants {wanted}, above the ceiling of {most}; {option} raises it, if server and network may bear that"
    )
}
