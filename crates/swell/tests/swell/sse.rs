//! Server-sent events as a user of `swell hit` measures them, over each version of HTTP.

use std::net::SocketAddr;

use serde_json::Value;
use swell_target::{Options, Target};

use crate::support::Folder;

const PATH: &str = "/sse?events=3&every=5ms";
const RESPONSES: u64 = 4;

/// A site with TLS, too.
fn site() -> Target {
    let tls_bind = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    swell_target::start(Options { tls_bind, ..Options::default() }).expect("the site starts")
}

/// How many values a figure of all labels has, and their mean.
fn figure(json: &Value, name: &str) -> (u64, f64) {
    let all = json["figures"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = all.iter().find(|figure| figure["name"] == name && figure["label"].is_null());
    let figure = found.unwrap_or_else(|| panic!("{name} is missing: {json}"));
    (figure["count"].as_u64().unwrap_or(0), figure["mean"].as_f64().unwrap_or(0.0))
}

#[test]
fn events_are_measured_over_both_versions_with_tls_and_without() {
    let site = site();
    let plain = format!("http://{}{PATH}", site.addr());
    let secure = format!("https://{}{PATH}", site.tls_addr().expect("asked for"));
    for (args, uses_http2) in [
        (&[&*plain, "--http2"][..], true),
        (&[&*plain, "--http2", "--streams", "2"], true),
        (&[&*secure], true),
        (&[&*secure, "--http1.1"], false),
        (&[&*plain], false),
    ] {
        let hit = ["hit", "--sse", "-n", "4", "-c", "2", "-w", "1"];
        let folder = Folder::new();
        let ended = folder.swell(&[&hit[..], args].concat()).exits(0);
        assert_eq!(ended.err.contains("HTTP/2 over "), uses_http2, "{ended}");
        let json = folder.swell(&[&hit[..], args, &["--json"]].concat()).exits(0).json();
        assert_eq!(figure(&json, "events"), (RESPONSES, 3.0), "{args:?}");
        assert_eq!(figure(&json, "first_event_ms").0, RESPONSES, "{args:?}");
        // The target is never early, so neither are the events in total.
        let (gaps, mean_ms) = figure(&json, "event_gap_ms");
        assert_eq!(gaps, 2 * RESPONSES, "{args:?}");
        assert!(mean_ms > 2.0, "{args:?}: {mean_ms} ms");
    }
}
