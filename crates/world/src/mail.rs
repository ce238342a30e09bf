//! Messages between processes of a world that take no socket, each delivered at its instant.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::kernel::SimulatedKernel;

type Delivery = Box<dyn FnOnce()>;

/// Deliveries by their instants of world time. Clones share them.
#[derive(Clone)]
pub(crate) struct Mail {
    kernel: Rc<SimulatedKernel>,
    due: Rc<RefCell<BTreeMap<(i64, u64), Delivery>>>,
    serial: Rc<Cell<u64>>,
}

impl Mail {
    pub(crate) fn new(kernel: Rc<SimulatedKernel>) -> Self {
        Self { kernel, due: Rc::default(), serial: Rc::default() }
    }

    /// World time.
    pub(crate) fn now_ns(&self) -> i64 {
        self.kernel.now_ns()
    }

    /// Delivers at an instant of world time; those of the same instant in their order.
    pub(crate) fn at(&self, at_ns: i64, delivery: impl FnOnce() + 'static) {
        self.serial.set(self.serial.get() + 1);
        self.due.borrow_mut().insert((at_ns, self.serial.get()), Box::new(delivery));
    }

    /// When the next is due.
    pub(crate) fn next_ns(&self) -> Option<i64> {
        self.due.borrow().keys().next().map(|(at_ns, _)| *at_ns)
    }

    /// Delivers what is due.
    pub(crate) fn deliver(&self) {
        while self.next_ns().is_some_and(|at_ns| at_ns <= self.now_ns()) {
            let first = self.due.borrow_mut().pop_first();
            if let Some((_, delivery)) = first {
                delivery();
            }
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        let left = std::mem::take(&mut *self.due.borrow_mut());
        drop(left);
    }
}
