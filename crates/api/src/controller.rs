//! Controllers.

use swell_expr::Context;

/// Chooses its next child. There is one per element and worker, shared by the worker's users.
pub trait Controller {
    /// What one user remembers of it.
    fn for_user(&self) -> Box<dyn ControllerState>;
}

/// A controller's state for one user.
///
/// When a user reaches the controller, a pass begins: the controller is asked for children, one
/// after the other, until it returns `None`. A child that is a sampler runs once; a child that is a
/// controller runs until its pass ends. Then the parent controller continues.
pub trait ControllerState {
    /// The next child, by its place among the enabled samplers and controllers below, from 0;
    /// `None`, or a place that there is not, ends the pass. It must answer at once: it runs on the
    /// loop of its worker.
    fn next(&mut self, cx: &mut Context, children: usize) -> Option<usize>;
    /// A pass has ended, or was left early ("start next iteration", "break"): the next question
    /// begins a new one.
    fn restart(&mut self) {}
}
