//! Phases as a schedule of arrivals.

use super::Reader;
use super::values::duration_ms;
use crate::model::Load;
use crate::tree::Node;

impl Reader<'_, '_> {
    /// The schedule of all phases; without phases, the users of the plan.
    pub(super) fn load(&mut self) -> Load {
        let phases = self.setting("phases").map_or(&[][..], Node::items);
        let mut schedule = Vec::new();
        for phase in phases {
            schedule.extend(self.phase(phase));
        }
        Load { schedule: (!schedule.is_empty()).then(|| schedule.join(" ")), ..Load::default() }
    }

    fn phase(&mut self, phase: &Node) -> Option<String> {
        let place = self.place(phase);
        let time = |name: &str| phase.scalar_of(name).as_deref().and_then(duration_ms);
        if let Some(pause) = time("pause") {
            return Some(format!("pause({})", seconds(pause)));
        }
        if phase.get("maxVusers").is_some() {
            let how = "the plan has no limit for users at the same time";
            self.notes.changed(&place, "`maxVusers`", how);
        }
        let number = |name: &str| {
            phase
                .scalar_of(name)
                .and_then(|text| text.parse::<f64>().ok())
                .filter(|number| (0.0..1e7).contains(number))
        };
        let duration = time("duration").filter(|ms| *ms > 0);
        let rate = number("arrivalRate");
        let count = number("arrivalCount");
        let (Some(duration), true) =
            (duration, rate.is_some() || count.is_some() || phase.get("rampTo").is_some())
        else {
            let reason = "it needs a `duration` and an `arrivalRate`, as numbers";
            self.notes.left_out(&place, "a phase", reason);
            return None;
        };
        let length = seconds(duration);
        let start = count.map_or_else(|| rate.unwrap_or(0.0), |count| count * 1e3 / duration as f64);
        let end = number("rampTo").unwrap_or(start);
        Some(format!("rate({start}/s) even_arrivals({length}) rate({end}/s)"))
    }
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1_000) { format!("{} s", ms / 1_000) } else { format!("{ms} ms") }
}
