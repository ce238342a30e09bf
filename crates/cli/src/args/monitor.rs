//! Options on what is watched of the target.

use std::sync::Arc;

use clap::Args;
use swell_run::{Message, MessageSink, Monitor, Source};

use super::given::Given;
use crate::exit::Failure;

/// `--monitor`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MonitorArgs {
    /// Monitor the target: port:8080, pid:4711, jvm:4711 or prometheus=URL; repeatable
    ///
    /// `port:8080` and `pid:4711` read processes on this machine with their children. `jvm:4711`
    /// reads heap, garbage collection and threads.
    /// `prometheus=http://host:9100/metrics[,match=NAME*|NAME*]` reads node exporter, JMX exporter
    /// and others. By default Swell monitors the process that listens on the tested port, if it is
    /// on this machine.
    #[arg(long = "monitor", value_name = "SOURCE", help_heading = "Target")]
    sources: Vec<Given<Source>>,
    /// Do not monitor the target
    #[arg(long, help_heading = "Target", conflicts_with = "sources")]
    pub(crate) no_monitor: bool,
}

impl MonitorArgs {
    /// The same options for another run of this program.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = String> {
        let sources = self.sources.iter().map(|source| format!("--monitor={}", source.text));
        sources.chain(self.no_monitor.then(|| "--no-monitor".to_owned()))
    }

    /// Reads the sources for the first time; none if monitoring is off.
    pub(crate) fn start(&self, messages: &MessageSink) -> Result<Option<Monitor>, Failure> {
        if self.no_monitor {
            return Ok(None);
        }
        let say = messages.clone();
        let say = Arc::new(move |text: &str| say(Message::Monitor(text)));
        let found = [Source::Local];
        let given: Vec<_> = self.sources.iter().map(|source| source.value.clone()).collect();
        let sources = if given.is_empty() { &found } else { given.as_slice() };
        let monitor = Monitor::start(sources, say).map_err(|error| {
            Failure::settings(error.to_string())
                .hint("sources must have figures when the test starts; --no-monitor looks at nothing")
        })?;
        Ok(Some(monitor))
    }
}
