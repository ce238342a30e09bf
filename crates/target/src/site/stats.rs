//! `/stats`: what was measured here.

use super::{Ask, Outcome, Work};
use crate::tally::to_csv;
use crate::wire::{Refusal, Response};

/// `/stats` as JSON, `/stats/reset`, `/stats/log` as CSV.
pub(crate) fn stats(ask: &Ask<'_>) -> Outcome {
    let site = ask.site;
    let response = match ask.rest {
        "" => Response::json(&serde_json::to_value(site.snapshot()).expect("numbers and strings are JSON")),
        "log" => Response::new(200, "text/csv", to_csv(&site.log()).into_bytes()),
        "reset" => {
            site.reset();
            Response::text("reset\n")
        }
        other => return Err(Refusal::new(404, format!("/stats/{other}: reset and log are known"))),
    };
    Ok(Work::now(response.header("Cache-Control", "no-store")))
}
