//! Options on what is watched of the target.

use std::sync::Arc;

use clap::Args;
use swell_run::{Message, MessageSink, Monitor, Source};

use crate::exit::Failure;

/// `--monitor`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MonitorArgs {
    /// Show figures of the target beside those of the test: `port:8080` or `pid:4711` (processes of this machine with their children),
    /// `jvm:4711` (heap, garbage collection, threads), `prometheus=http://host:9100/metrics[,match=NAME*|NAME*]` (node exporter, JMX
    /// exporter and others); may be repeated [default: what listens where the test connects to, if that is on this machine]
    #[arg(long = "monitor", value_name = "SOURCE", help_heading = "Target")]
    pub(crate) sources: Vec<Source>,
    /// Do not look at the target at all
    #[arg(long, help_heading = "Target", conflicts_with = "sources")]
    pub(crate) no_monitor: bool,
}

impl MonitorArgs {
    /// Looks at the sources for the first time; none where nothing is to be watched.
    ///
    /// # Errors
    /// A source that the command line names has no figures.
    pub(crate) fn start(&self, messages: &MessageSink) -> Result<Option<Monitor>, Failure> {
        if self.no_monitor {
            return Ok(None);
        }
        let say = messages.clone();
        let say = Arc::new(move |text: &str| say(Message::Monitor(text)));
        let found = [Source::Local];
        let sources = if self.sources.is_empty() { &found } else { self.sources.as_slice() };
        let monitor = Monitor::start(sources, say).map_err(|error| {
            Failure::settings(error.to_string())
                .hint("sources must have figures when the test starts; --no-monitor looks at nothing")
        })?;
        Ok(Some(monitor))
    }
}
