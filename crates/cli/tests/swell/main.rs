//! The command as a user meets it: the real binary, run in folders of its own, against servers on loopback.

mod support;

mod bad_files;
mod bad_plans;
mod bad_servers;
mod bad_settings;
mod browser;
mod command_line;
mod commands;
mod compare;
mod endless_files;
mod failures;
mod guides;
mod hit;
mod hit_options;
mod hit_reach;
mod hostile;
mod interrupts;
mod jvm;
mod kept_runs;
mod kernel_helps;
mod live;
mod machine_fails;
mod maven;
mod names_from_servers;
mod neighbours;
mod own_plugin;
mod places;
mod plugins;
mod readers;
mod report;
mod run;
mod sweep;
mod taurus;
mod terminal;
mod thresholds;
