//! Changes of the run that a page or a program requests.

use std::time::Duration;

use serde_json::{Map, Value, json};
use swell_engine::ControlError;
use swell_http1::server::Refusal;
use swell_run::{PropertiesRead, TrialControl};

use crate::state::LiveState;

/// Executes a change. `path` is the part after `/api/`, decoded; `who` is recorded in the journal.
///
/// # Errors
/// The change is unknown or not possible now; one sentence.
pub(crate) fn change(
    live: &mut LiveState,
    method: &str,
    path: &[String],
    body: &[u8],
    who: &str,
) -> Result<Value, Refusal> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let fields = fields(body)?;
    if let Some(wanted) =
        fields.get("if_revision").and_then(Value::as_u64).filter(|wanted| *wanted != live.revision)
    {
        let message = format!(
            "the run was changed by another request: it is at revision {}, not {wanted}",
            live.revision
        );
        return Err(Refusal::new(412, message));
    }
    if live.is_over {
        return Err(Refusal::new(409, "the run is finished"));
    }
    let control = live.control.clone().ok_or_else(|| Refusal::new(409, "the run has not started yet"))?;
    let what = match (method, &names[..]) {
        ("PUT", ["groups", place, "load"]) => set_load(&control, place, &fields)?,
        ("DELETE", ["groups", place, "load"]) => release(&control, place)?,
        ("PUT", ["load"]) => multiply(&control, &fields)?,
        ("PUT", ["properties", name]) => set_property(&control, name, &fields)?,
        ("POST", ["pause"]) => done(control.load().pause(), "paused")?,
        ("POST", ["resume"]) => done(control.load().resume(), "resumed")?,
        ("POST", ["stop"]) => {
            control.stop();
            "stopped: running samples finish".to_owned()
        }
        ("POST", ["stop-now"]) => {
            control.stop_now();
            "stopped at once: running samples are aborted".to_owned()
        }
        _ => return Err(Refusal::new(404, "unknown change; docs/guide/live.md lists all changes")),
    };
    let kind = match names.last() {
        Some(&"load") => "load",
        Some(&"pause") => "pause",
        Some(&"resume") => "resume",
        Some(&("stop" | "stop-now")) if names.len() == 1 => "stop",
        _ => "property",
    };
    live.event(kind, who, what.clone());
    Ok(json!({"revision": live.revision, "done": what}))
}

fn fields(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(body).map_err(|error| {
        Refusal::bad(format!(
            "the body is not a JSON \
        object: {error}"
        ))
    })
}

fn done(changed: Result<(), ControlError>, what: &str) -> Result<String, Refusal> {
    let status = |error: &ControlError| match error {
        ControlError::AboveCeiling { .. } => 422,
        _ => 409,
    };
    changed.map(|()| what.to_owned()).map_err(|error| Refusal::new(status(&error), error.to_string()))
}

/// Index and name of a group, looked up by its index or its name.
fn group(control: &TrialControl, text: &str) -> Result<(usize, String), Refusal> {
    let groups = control.status().map(|status| status.groups).unwrap_or_default();
    let by_name = groups.iter().position(|group| group.name == text);
    let place = by_name.or_else(|| text.parse().ok().filter(|place| *place < groups.len()));
    let names = || {
        groups
            .iter()
            .enumerate()
            .map(|(place, group)| format!("{place}: `{}`", group.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let place = place
        .ok_or_else(|| Refusal::new(404, format!("unknown thread group `{text}`; groups: {}", names())))?;
    Ok((place, groups[place].name.clone()))
}

/// The longest ramp, in milliseconds: one day.
const LONGEST_RAMP_MS: u64 = 86_400_000;

/// The length of the ramp to the new load, and its text: `over a ramp of 30 s`.
fn over(fields: &Map<String, Value>) -> Result<(Duration, String), Refusal> {
    let over_ms = match fields.get("over_ms") {
        None => 0,
        Some(over_ms) => over_ms.as_u64().filter(|over_ms| *over_ms <= LONGEST_RAMP_MS).ok_or_else(|| {
            Refusal::new(
                422,
                format!(
                    "invalid over_ms: expected a whole number from 0 to \
                {LONGEST_RAMP_MS} (one day)"
                ),
            )
        })?,
    };
    let words = match over_ms {
        0 => String::new(),
        over_ms => format!(" over a ramp of {} s", over_ms as f64 / 1000.0),
    };
    Ok((Duration::from_millis(over_ms), words))
}

fn set_load(control: &TrialControl, text: &str, fields: &Map<String, Value>) -> Result<String, Refusal> {
    let (place, name) = group(control, text)?;
    let (over, ramp) = over(fields)?;
    match (fields.get("users"), fields.get("per_s")) {
        (Some(users), None) => {
            let users = users
                .as_u64()
                .and_then(|users| u32::try_from(users).ok())
                .filter(|users| *users <= 1_000_000);
            let users = users.ok_or_else(|| {
                Refusal::new(
                    422,
                    "invalid users: expected a whole number from \
                    0 to 1000000",
                )
            })?;
            done(
                control.load().ramp_users(place, users, over),
                &format!("users of `{name}` set to {users}{ramp}"),
            )
        }
        (None, Some(rate)) => {
            let rate = rate.as_f64().ok_or_else(|| {
                Refusal::new(
                    422,
                    "invalid per_s: expected a number of \
                    arrivals per second",
                )
            })?;
            done(
                control.load().ramp_rate(place, rate, over),
                &format!("rate of `{name}` set to {rate} arrivals per second{ramp}"),
            )
        }
        _ => Err(Refusal::new(422, "users or per_s is required, for example {\"users\": 50}")),
    }
}

fn release(control: &TrialControl, text: &str) -> Result<String, Refusal> {
    let (place, name) = group(control, text)?;
    let users = control.load().set_users(place, None);
    let released = users.or_else(|_| control.load().set_rate(place, None));
    done(released, &format!("load of `{name}` returned to the plan"))
}

fn multiply(control: &TrialControl, fields: &Map<String, Value>) -> Result<String, Refusal> {
    let factor = fields.get("factor").and_then(Value::as_f64);
    let factor =
        factor.ok_or_else(|| Refusal::new(422, "factor is required, for example {\"factor\": 1.5}"))?;
    let (over, ramp) = over(fields)?;
    done(control.load().ramp_load(factor, over), &format!("load multiplied by {factor}{ramp}"))
}

/// A property that nothing reads changes nothing.
fn refuse_unread(read: &PropertiesRead, name: &str) -> Result<(), Refusal> {
    if read.may_read(name) {
        return Ok(());
    }
    let names: Vec<_> = read.names().collect();
    let hint = match (read.nearest(name), names.len()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, 0) => "the plan reads no properties".to_owned(),
        (None, 1..=20) => format!("the plan reads {}", names.join(", ")),
        (None, many) => format!("the plan reads {many} properties, for example {}", names[..20].join(", ")),
    };
    Err(Refusal::new(422, format!("the plan does not read a property `{name}`: {hint}")))
}

fn set_property(control: &TrialControl, name: &str, fields: &Map<String, Value>) -> Result<String, Refusal> {
    let value = fields.get("value").and_then(Value::as_str);
    let value = value.ok_or_else(|| {
        Refusal::new(
            422,
            "value is required and must be a string, for example \
            {\"value\": \"100\"}",
        )
    })?;
    if name.trim().is_empty() {
        return Err(Refusal::new(422, "the property name is empty"));
    }
    refuse_unread(&control.properties_read(), name)?;
    control.set_property(name, value);
    let shown = if swell_report::is_secret(name) { "***" } else { value };
    Ok(format!("property `{name}` set to `{shown}`"))
}
