//! The `swell` command.

mod args;
mod doctor;
mod host;
mod settings;

fn main() {
    let _ = (doctor::doctor, args::parse(), host::Machine::new, settings::load);
}
