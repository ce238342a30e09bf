//! `/stats`: what was measured here.

use swell_http1::server::Refusal;

use crate::metrics::to_csv;
use crate::wire::Response;

use super::{Outcome, RouteRequest, Work};

/// `/stats` as JSON, `/stats/reset`, `/stats/log` as CSV.
pub(crate) fn stats(ask: &RouteRequest<'_>) -> Outcome {
    let state = ask.state;
    let response = match ask.rest {
        "" => Response::json(&serde_json::to_value(state.snapshot()).expect("numbers and strings are JSON")),
        "log" => Response::new(200, "text/csv", to_csv(&state.log()).into_bytes()),
        "reset" => {
            state.reset();
            Response::text("reset\n")
        }
        other => return Err(Refusal::new(404, format!("unknown path /stats/{other}: use reset or log"))),
    };
    Ok(Work::now(response.header("Cache-Control", "no-store")))
}
