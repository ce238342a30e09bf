//! Controllers.

use swell_expr::Context;

/// Chooses which of its children comes next. One for each element and worker, shared by the
/// worker's users.
pub trait Controller {
    /// What one user remembers of it.
    fn for_user(&self) -> Box<dyn ControllerState>;
}

/// A controller, as one user goes through it.
///
/// When the controller is reached, a pass over it begins: it is asked for children, one after the
/// other, until it answers `None`. A child that is a sampler runs once; one that is a controller
/// runs until its own pass ends. Then the controller above continues.
pub trait ControllerState {
    /// The next child, by its place among the enabled samplers and controllers below, from 0;
    /// `None`, or a place that there is not, ends the pass. It must answer at once: it runs on the
    /// loop of its worker.
    fn next(&mut self, cx: &mut Context, children: usize) -> Option<usize>;
    /// A pass has ended, or was left early ("start next iteration", "break"): the next question
    /// begins a new one.
    fn restart(&mut self) {}
}
