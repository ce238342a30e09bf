//! Controllers from another crate or a provider ([`swell_api::Controller`]).

use super::{EMPTY_ITERATIONS, Walk};
use crate::control::state::{Foreign, More};
use crate::control::{Child, ControlId, Halt, Next};

impl Walk<'_> {
    fn foreign(&mut self, id: ControlId) -> &mut Foreign {
        match &mut self.state(id).more {
            More::Foreign(foreign) => foreign,
            _ => unreachable!("foreign controllers have this state"),
        }
    }

    /// The next sampler below it; none when its pass ends.
    pub(super) fn next_foreign(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        let control = self.control(id);
        for _ in 0..EMPTY_ITERATIONS {
            self.fire_iteration(id)?;
            let Some(place) = self.child_of_foreign(id, control.children.len()) else {
                self.re_initialize(id);
                return Ok(None);
            };
            match control.children[place] {
                Child::Sampler(sampler) => return Ok(Some(Next::Sampler(sampler))),
                Child::Control(below) => {
                    let found = self.next(below)?;
                    self.foreign(id).inside = found.is_some().then_some(place);
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Err(Halt::Barren(id))
    }

    /// The child controller that is not through yet, or the one that is chosen now.
    fn child_of_foreign(&mut self, id: ControlId, children: usize) -> Option<usize> {
        // The state is apart from the variables, but both belong to the walk.
        let More::Foreign(foreign) = &mut self.states[id.0 as usize].more else { return None };
        let place = foreign.inside.or_else(|| foreign.state.next(self.cx, children))?;
        (place < children).then_some(place)
    }

    /// Its next pass starts again.
    pub(super) fn restart_foreign(&mut self, id: ControlId) {
        let foreign = self.foreign(id);
        foreign.inside = None;
        foreign.state.restart();
    }
}
