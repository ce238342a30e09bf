//! The server that a study starts.

use std::time::Duration;

use clap::Args;
use swell_study::server::{Ready, ServerPlan, Template};

use super::units::duration;

/// The server under test.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// Shell command that starts the server; {port} is a free port
    ///
    /// In `swell sweep`, {name} is the value of a setting.
    #[arg(long = "server", id = "server", value_name = "CMD", requires = "ready")]
    pub(crate) command: Option<String>,
    /// Sign that the server is ready: `line:PATTERN`, http://HOST:PORT/PATH or tcp:HOST:PORT
    ///
    /// `line:PATTERN` matches a line of the server's output; a group in the pattern is its port.
    #[arg(long, value_name = "SIGN", requires = "server")]
    pub(crate) ready: Option<Ready>,
    /// Startup timeout of the server
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    ready_within: Duration,
}

impl ServerArgs {
    /// How the server is started; none: it runs already.
    pub(crate) fn plan(&self) -> Option<ServerPlan> {
        let own = self.command.as_deref().zip(self.ready.clone());
        own.map(|(command, ready)| ServerPlan {
            ready_within: self.ready_within,
            ..ServerPlan::new(Template::new(command), ready)
        })
    }
}
