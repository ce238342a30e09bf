//! `SyncTimer`: users wait for each other and continue together.

use std::sync::Arc;

use swell_api::Moment;
use swell_expr::{Context, Template};
use swell_plan::Node;

use super::barrier::Barrier;
use super::delay::{Delay, MS};
use crate::compile_context::GroupCompileContext;
use crate::number;

/// A compiled Synchronizing Timer.
pub(crate) struct Sync {
    size: Template,
    timeout_ms: Template,
    barrier: Arc<Barrier>,
}

impl Sync {
    pub(super) fn compile(node: &Node, context: &GroupCompileContext<'_>) -> Self {
        let key = format!("synchronizing timer {} of group {}", node.id.0, context.group);
        Self {
            size: context.compile.template(&node.element, "groupSize", ""),
            timeout_ms: context.compile.template(&node.element, "timeoutInMs", ""),
            barrier: context.compile.expr.shared.get(&key, Barrier::default),
        }
    }

    pub(super) fn delay(&self, cx: &mut Context, moment: &Moment) -> Delay {
        let size = number::int(&self.size.eval(cx));
        let timeout_ms = number::long(&self.timeout_ms.eval(cx));
        if cx.thrown.is_some() {
            return Delay::For(0);
        }
        if size < 0 || timeout_ms < 0 {
            return Delay::For(0);
        }
        let parties = if size == 0 { moment.group_users } else { size as u32 };
        self.barrier.set_parties(parties);
        let timeout = (timeout_ms > 0).then(|| moment.now_ns.saturating_add(timeout_ms.saturating_mul(MS)));
        let ends = (moment.end_ns != i64::MAX).then_some(moment.end_ns);
        let until = match (timeout, ends) {
            (Some(timeout), Some(end)) => Some(timeout.min(end)),
            (either, None) | (None, either) => either,
        };
        Delay::Meet(self.barrier.clone(), until)
    }
}
