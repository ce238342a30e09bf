//! Iterations of controllers that a hosted element is to hear of.

use swell_api::IterationElement;
use swell_expr::Context;
use swell_plan::Node;

/// Notes that an iteration of the innermost controller above a hosted element begins. The element hears of it with the user's next call of
/// the JVM: at the latest before the next sampler in its scope.
pub(in super::super) struct Unheard {
    number: u32,
}

impl Unheard {
    /// That of an element.
    pub(in super::super) fn of(node: &Node) -> Box<dyn IterationElement> {
        Box::new(Self { number: node.id.0 })
    }
}

impl IterationElement for Unheard {
    fn iteration_start(&self, cx: &mut Context) {
        // Where nothing is called for a long time (a loop around a false condition), the list does not grow.
        match cx.unheard.iter_mut().find(|(number, _)| *number == self.number) {
            Some((_, times)) => *times = times.saturating_add(1),
            None => cx.unheard.push((self.number, 1)),
        }
    }
}
