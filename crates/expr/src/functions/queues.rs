//! `__fifoPut`, `__fifoGet`, `__fifoPop`, `__fifoSize` of jp@gc's Inter-Thread Communication, over
//! [`Queues`].

use std::sync::Arc;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::queues::{QUEUES, Queues};
use crate::scope::Scope;
use crate::template::Template;

fn all(scope: &Scope<'_>) -> Arc<Queues> {
    scope.common(QUEUES, Queues::default)
}

/// `__fifoPut(queue, value)`.
struct QueueWrite {
    queues: Arc<Queues>,
    queue: Template,
    value: Template,
}

pub(crate) fn put(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    Box::new(QueueWrite { queues: all(scope), queue: args.required(), value: args.required() })
}

impl Function for QueueWrite {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let queue = self.queue.eval(cx);
        let value = self.value.eval(cx);
        let capacity = Queues::capacity(&cx.props);
        if self.queues.put(&queue, &value, capacity).is_err() {
            // The plug-in waits for room; a function cannot.
            cx.host.log(Level::Error, &format!("__fifoPut: the queue `{queue}` is full, the value is lost"));
        }
        out.push_str(&value);
        Ok(())
    }
}

/// What is asked of a queue, with the result in a variable.
struct QueueRead {
    queues: Arc<Queues>,
    queue: Template,
    target: Target,
    give: fn(&Queues, &str) -> Option<String>,
}

fn make(args: &mut Args, scope: &Scope<'_>, give: fn(&Queues, &str) -> Option<String>) -> Box<dyn Function> {
    Box::new(QueueRead { queues: all(scope), queue: args.required(), target: args.target(scope), give })
}

pub(crate) fn get(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    make(args, scope, |queues, queue| Some(queues.first(queue).unwrap_or_default()))
}

pub(crate) fn pop(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    make(args, scope, Queues::take)
}

pub(crate) fn size(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    make(args, scope, |queues, queue| Some(queues.len(queue).to_string()))
}

impl Function for QueueRead {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let queue = self.queue.eval(cx);
        // Java's null as text.
        let value = (self.give)(&self.queues, &queue).unwrap_or_else(|| "null".to_owned());
        out.push_str(&value);
        self.target.put(cx, &value);
        Ok(())
    }
}
