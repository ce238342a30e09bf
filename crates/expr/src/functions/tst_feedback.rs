//! `__tstFeedback(timer, start, most, spare)` (`kg.apc.jmeter.timers.functions.TSTFeedback`): the
//! number of users that a Concurrency Thread Group needs for a Throughput Shaping Timer to keep its
//! rate. The timer reports its state in properties.

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;

struct Feedback {
    timer: Template,
    start: Template,
    most: Option<Template>,
    spare: Option<Template>,
}

/// How a timer went since it was asked last.
struct TimerFeedback {
    waiting: i32,
    sent: i32,
    per_second: f32,
}

pub(crate) fn make(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let timer = args.required();
    let start = args.required();
    Box::new(Feedback { timer, start, most: args.optional(), spare: args.optional() })
}

impl Function for Feedback {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let timer = self.timer.text(cx).to_string();
        let users_property = format!("{timer}_concurrency");
        if cx.props.get(&users_property).is_none() {
            let start = self.start.text(cx).to_string();
            cx.props.set(&users_property, &start);
        }
        let most = self.most.as_ref().and_then(|most| most.text(cx).parse().ok()).unwrap_or(i32::MAX);
        let spare = self.spare.as_ref().map_or(0.1, |spare| spare.text(cx).trim().parse().unwrap_or(1.0));
        let users = number(cx, &users_property, "1")?;
        let went = TimerFeedback {
            waiting: number(cx, &format!("{timer}_cntDelayed"), "0")?,
            sent: number(cx, &format!("{timer}_cntSent"), "0")?,
            per_second: number(cx, &format!("{timer}_rps"), "0")?,
        };
        let needed = needed(users, &went, spare).max(1).min(most).to_string();
        cx.props.set(&users_property, &needed);
        // Each report counts once.
        cx.props.set(&format!("{timer}_rps"), "0");
        out.push_str(&needed);
        Ok(())
    }
}

fn number<T: std::str::FromStr>(cx: &Context, property: &str, default: &str) -> Result<T, CallFailure> {
    let text = cx.props.get(property).unwrap_or_else(|| default.to_owned());
    text.parse()
        .map_err(|_| CallFailure::empty(format!("the property `{property}` is `{text}`: expected a number")))
}

/// `spare` is how many users may wait: from 1 on that many, below 1 that part of all.
fn needed(users: i32, went: &TimerFeedback, spare: f64) -> i32 {
    if went.per_second <= 0.0 {
        return users;
    }
    if went.waiting > 0 {
        return decreased(users, went.waiting, spare);
    }
    if (went.sent as f32) < went.per_second {
        return (users as f32 * (2.0 - went.sent as f32 / went.per_second)).ceil() as i32;
    }
    users
}

fn decreased(users: i32, waiting: i32, spare: f64) -> i32 {
    let all = f64::from(users);
    let waiting = f64::from(waiting);
    if spare >= 1.0 {
        let fewer = (all - (waiting - spare)).trunc();
        return if all > spare { spare.max(fewer) as i32 } else { fewer as i32 };
    }
    if waiting > (all * spare).ceil() { (all * (1.0 - spare)) as i32 } else { users }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_users_where_samples_are_missing_and_fewer_where_users_wait() {
        // users, waiting, sent, per second, spare, needed
        let table = [
            (10, 0, 0, 0.0, 0.1, 10),
            (10, 0, 100, 100.0, 0.1, 10),
            (10, 0, 50, 100.0, 0.1, 15),
            (10, 0, 0, 100.0, 0.1, 20),
            (10, 1, 100, 100.0, 0.1, 10),
            (10, 2, 100, 100.0, 0.1, 9),
            (10, 6, 100, 100.0, 0.5, 5),
            (10, 8, 100, 100.0, 3.0, 5),
            (10, 20, 100, 100.0, 3.0, 3),
            (2, 2, 100, 100.0, 3.0, 3),
        ];
        for (users, waiting, sent, per_second, spare, wanted) in table {
            let went = TimerFeedback { waiting, sent, per_second };
            assert_eq!(needed(users, &went, spare), wanted, "{users} {waiting} {sent} {per_second} {spare}");
        }
    }
}
