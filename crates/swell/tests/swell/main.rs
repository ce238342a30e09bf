//! The command as a user meets it: the real binary, run in new folders, against servers on
//! loopback.

mod support;

// Servers that follow scripts, of the tests of samplers.
#[path = "../../../samplers/tests/grpc/scripted.rs"]
mod grpc_script;
#[path = "../../../http/tests/loopback/http2_script.rs"]
#[expect(dead_code, reason = "tests of HTTP look at more of what the server saw")]
mod http2_script;
#[path = "../../../samplers/tests/samplers/websocket/scripted.rs"]
#[expect(dead_code, reason = "tests of samplers use the other servers")]
mod websocket_script;

mod bad_files;
mod bad_plans;
mod bad_scripts;
mod bad_servers;
mod bad_settings;
mod browser;
mod changed_servers;
mod checked_protocols;
mod closed_idle;
mod command_line;
mod commands;
mod compare;
mod compat;
mod containers;
mod debug;
mod debug_corpus;
mod documents;
mod endless_files;
mod exports;
mod failed_users;
mod failures;
mod figures;
mod fleet;
mod fleet_faults;
mod fleet_files;
mod fleet_leaving;
mod fleet_lost;
mod fleet_places;
mod fleet_scripts;
mod fleet_studies;
mod fleet_taking;
mod full_screen;
mod grpc;
mod guides;
mod hit;
mod hit_habits;
mod hit_options;
mod hit_reach;
mod hostile;
mod hostile_protocols;
mod hurl;
mod import;
mod interrupts;
mod jvm;
mod kept_failures;
mod kept_pages;
mod kept_runs;
mod kernel_helps;
mod live;
mod long_runs;
mod machine_fails;
mod matrix;
mod maven;
mod monitor;
mod names_from_servers;
mod neighbours;
mod nginx;
mod nothing_answers;
mod observed_commands;
mod own_plugin;
mod pipelines;
mod places;
mod plan_text;
mod plugins;
mod postgres;
mod preflight;
mod readers;
mod record;
mod report;
mod run;
mod saved_by_jmeter;
mod schemas;
mod search;
mod secrets;
mod shape;
mod sse;
mod sweep;
mod taurus;
mod terminal;
mod tests_as_code;
mod thresholds;
mod totals;
mod views;
mod websocket;
