//! The `swell` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    swell_cli::main()
}
