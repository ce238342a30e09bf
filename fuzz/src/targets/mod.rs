//! The targets, by the kind of input.

mod broken;
mod data;
mod documents;
mod expressions;
mod figures;
mod files;
mod fleet;
mod grpc;
mod http2;
mod imports;
mod json;
mod messages;
mod monitor;
mod pages;
mod plans;
mod regexes;
mod results;
mod shapes;
mod state;
mod stores;
mod tools;
mod websocket;

use std::borrow::Cow;

use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use crate::mutate::SEPARATOR;
use crate::{Cost, Target};

pub use broken::BROKEN;

/// Limit for most parsers: some tables, and a tree larger than its text.
const USUAL: Cost = Cost { per_byte: 400, base: 1 << 20 };

/// Limit for parsers with a buffer whose size the format sets, or with a large file buffer.
const ROOMY: Cost = Cost { per_byte: 2000, base: 48 << 20 };

/// Limit for parsers with limits of other kinds: compiled regular expressions (`SIZE_LIMIT`), drawn
/// arrivals (`MOST_DRAWN`), `__RandomString` (number of characters), tidied pages (`MOST_NODES`).
const LIMITED: Cost = Cost { per_byte: 2000, base: 512 << 20 };

const fn target(name: &'static str, check: fn(&[u8]), cost: Cost, short_runs: u64) -> Target {
    Target { name, check, cost, short_runs }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("cache", state::cache, USUAL, 3000),
    target("challenge", state::challenge, USUAL, 10000),
    target("chunks", messages::chunks, USUAL, 2000),
    target("content-type", state::content_type, USUAL, 20000),
    target("cookies", state::cookies, USUAL, 6000),
    target("css", documents::css, ROOMY, 1000),
    target("csv", data::csv, USUAL, 1000),
    target("dates", expressions::dates, USUAL, 10000),
    target("dns", messages::dns, USUAL, 20000),
    target("encodings", messages::encodings, ROOMY, 500),
    target("exposition", monitor::exposition, ROOMY, 3000),
    target("figures", figures::figures, ROOMY, 4000),
    target("file-names", files::file_names, USUAL, 1500),
    target("fleet", fleet::fleet, ROOMY, 3000),
    target("grpc-json", grpc::json, ROOMY, 3000),
    target("grpc-messages", grpc::messages, ROOMY, 3000),
    target("heads", messages::heads, USUAL, 2000),
    target("hpack", http2::hpack, ROOMY, 15000),
    target("html", documents::html, ROOMY, 2000),
    target("http2-client", http2::client, ROOMY, 3000),
    target("http2-server", http2::server, ROOMY, 3000),
    target("import-artillery", imports::artillery, ROOMY, 500),
    target("import-curl", imports::curl, ROOMY, 1000),
    target("import-har", imports::har, ROOMY, 500),
    target("import-http", imports::http, ROOMY, 1000),
    target("import-insomnia", imports::insomnia, ROOMY, 500),
    target("import-log", imports::access_log, ROOMY, 1000),
    target("import-openapi", imports::openapi, ROOMY, 500),
    target("import-hurl", imports::hurl, ROOMY, 1000),
    target("import-postman", imports::postman, ROOMY, 500),
    target("import-urls", imports::urls, ROOMY, 1000),
    target("import-vegeta", imports::vegeta, ROOMY, 1000),
    target("jmx", plans::jmx, USUAL, 4000),
    target("json", json::json, USUAL, 8000),
    target("jsonpath", json::json_path, ROOMY, 2000),
    target("jtl", results::jtl, USUAL, 4000),
    target("jtl-read", results::jtl_read, ROOMY, 2000),
    target("keystores", stores::key_stores, USUAL, 100),
    target("perf-data", monitor::perf_data, USUAL, 20000),
    target("plan-edits", plans::edits, ROOMY, 1000),
    target("properties", plans::properties, USUAL, 1000),
    target("regex", regexes::regex, LIMITED, 300),
    target("resources", pages::resources, ROOMY, 1000),
    target("save-config", results::save_config, USUAL, 2000),
    target("schedule", data::schedule, LIMITED, 800),
    target("shapes", shapes::shapes, ROOMY, 2000),
    target("templates", expressions::templates, LIMITED, 1500),
    target("tool-outputs", tools::tool_outputs, USUAL, 4000),
    target("urls", pages::urls, USUAL, 4000),
    target("websocket", websocket::frames, ROOMY, 3000),
    target("xml", documents::xml, USUAL, 20000),
    target("xpath", documents::xpath, ROOMY, 6000),
];

/// Splits an input into parts, replacing bytes that are not UTF-8. Missing parts are empty, and the
/// last part is the rest.
fn parts<const N: usize>(input: &[u8]) -> [Cow<'_, str>; N] {
    byte_parts::<N>(input).map(String::from_utf8_lossy)
}

fn byte_parts<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut parts = input.splitn(N, |byte| *byte == SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// Returns a random generator seeded by an input.
fn random_of(input: &[u8]) -> SmallRng {
    let sum = input.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    SmallRng::seed_from_u64(sum)
}

/// Cuts bytes nowhere, everywhere, or at random places.
fn pieces<'b>(bytes: &'b [u8], random: &mut SmallRng) -> Vec<&'b [u8]> {
    use rand::Rng as _;
    // Long inputs are cut into fewer pieces, because single bytes would take too long.
    let most = [1, 3, 64, 4096][random.random_range(0..4)].max(bytes.len() / 200);
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(random.random_range(1..=most).min(rest.len()));
        pieces.push(piece);
        rest = more;
    }
    pieces
}
