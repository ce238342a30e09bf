//! Inter-Thread Communication of jp@gc: a pre-processor that waits for an entry of a queue and
//! takes it, and a post-processor that adds one (`FifoPopPreProcessor`, `FifoPutPostProcessor`).

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use swell_api::{CompileContext, SampleResult, Step, StepProgress, User};
use swell_expr::{QUEUES, Queues, Template};
use swell_plan::{Element, Node, Severity};

const SECOND: i64 = 1_000_000_000;
const TIMEOUT: &str = "Timeout";

struct Pop {
    queues: Arc<Queues>,
    queue: Template,
    variable: Template,
    timeout_s: Template,
}

struct QueueWrite {
    queues: Arc<Queues>,
    queue: Template,
    value: Template,
}

fn queues(compile: &CompileContext) -> Arc<Queues> {
    compile.expr.shared.get(QUEUES, Queues::default)
}

pub(crate) fn pop(node: &Node, compile: &CompileContext) -> Rc<dyn Step> {
    let element = &node.element;
    let text = |name: &str| compile.template(element, name, "");
    // The plug-in's constructor sets it, and what the plan says overrides that.
    let usual = compile.props.get("kg.apc.jmeter.functions.FifoTimeout").unwrap_or_default();
    note_timeout(element, compile);
    Rc::new(Pop {
        queues: queues(compile),
        queue: text("FifoName"),
        variable: text("Variable"),
        timeout_s: compile.template(element, TIMEOUT, &usual),
    })
}

fn note_timeout(element: &Element, compile: &CompileContext) {
    let text = element.text(TIMEOUT).unwrap_or_default();
    if !text.is_empty() && !text.contains("${") && text.parse::<i64>().is_err() {
        let message = format!("`{text}` is not a whole number of seconds");
        compile.note(
            Severity::Error,
            element,
            Some(TIMEOUT),
            message,
            Some("use digits only, or leave it empty to wait forever"),
        );
    }
}

pub(crate) fn put(node: &Node, compile: &CompileContext) -> Rc<dyn Step> {
    let text = |name: &str| compile.template(&node.element, name, "");
    Rc::new(QueueWrite { queues: queues(compile), queue: text("FifoName"), value: text("Value") })
}

/// Waits no more when it goes away.
struct Ticket<'q> {
    queues: &'q Queues,
    queue: &'q str,
    number: Option<u64>,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.queues.leave(self.queue, number);
        }
    }
}

/// The first value when it is there; none if that instant comes first.
async fn take(queues: &Queues, queue: &str, until_ns: i64) -> Option<String> {
    let mut ticket = Ticket { queues, queue, number: None };
    let mut late = pin!(swell_net::sleep_until(until_ns));
    poll_fn(|cx| {
        match queues.take_in_turn(queue, ticket.number, cx.waker()) {
            Ok(value) => {
                ticket.number = None;
                return Poll::Ready(Some(value));
            }
            Err(number) => ticket.number = Some(number),
        }
        if until_ns == i64::MAX {
            return Poll::Pending;
        }
        late.as_mut().poll(cx).map(|()| None)
    })
    .await
}

impl Step for Pop {
    fn reads_previous(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        let queue = self.queue.eval(&mut user.cx).into_owned();
        let variable = self.variable.eval(&mut user.cx).into_owned();
        let timeout = self.timeout_s.eval(&mut user.cx).parse::<i64>().unwrap_or(i64::MAX);
        let until_ns = timeout.max(0).checked_mul(SECOND).and_then(|ns| ns.checked_add(swell_net::now_ns()));
        StepProgress::Pending(Box::pin(async move {
            match take(&self.queues, &queue, until_ns.unwrap_or(i64::MAX)).await {
                Some(value) => user.cx.vars.put(&variable, value),
                None => drop(user.cx.vars.remove(&variable)),
            }
        }))
    }
}

impl Step for QueueWrite {
    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        let queue = self.queue.eval(&mut user.cx).into_owned();
        let value = self.value.eval(&mut user.cx).into_owned();
        let capacity = Queues::capacity(&user.cx.props);
        if self.queues.put(&queue, &value, capacity).is_ok() {
            return StepProgress::Done(());
        }
        StepProgress::Pending(Box::pin(poll_fn(move |cx| {
            self.queues.wait_for_room(&queue, cx.waker());
            match self.queues.put(&queue, &value, capacity) {
                Ok(()) => Poll::Ready(()),
                Err(_) => Poll::Pending,
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_comes_is_taken_and_a_time_that_is_over_gives_none() {
        let mut runtime = swell_net::Runtime::new().expect("a loop");
        runtime.block_on(async {
            let queues = Arc::new(Queues::default());
            let giver = queues.clone();
            let taken = swell_net::spawn(async move { take(&queues, "q", i64::MAX).await });
            swell_net::yield_now().await;
            assert_eq!(giver.put("q", "x", 1), Ok(()));
            assert_eq!(taken.await, Some("x".into()));
            assert_eq!(take(&giver, "q", swell_net::now_ns() + 1_000_000).await, None);
            assert_eq!(giver.put("q", "y", 1), Ok(()));
            assert_eq!(
                take(&giver, "q", i64::MAX).await,
                Some("y".into()),
                "a user that left does not block the others"
            );
        });
    }
}
