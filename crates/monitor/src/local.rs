//! Observed sources on this machine: the machine and its processes.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::machine::MachineLook;
use crate::process::{ProcessLook, ProcessSelector};
use crate::{Shared, SourceStatus, StartError};

/// The sources of this machine.
pub(crate) struct Local {
    machine: MachineLook,
    processes: Vec<(ProcessLook, SourceStatus)>,
    /// Where the test connects to, if a process there was added by that.
    servers: Vec<u16>,
    shared: Arc<Shared>,
}

impl Local {
    pub(crate) fn new(processes: Vec<ProcessLook>, shared: Arc<Shared>) -> Self {
        let processes = processes.into_iter().map(|look| (look, SourceStatus::default())).collect();
        Self { machine: MachineLook::new(), processes, servers: Vec::new(), shared }
    }

    /// Looks at each source for the first time.
    pub(crate) fn check(&mut self) -> Result<(), StartError> {
        for (look, _) in &mut self.processes {
            let source = look.source.to_string();
            look.look(self.shared.seconds()).map_err(|why| StartError { source, why })?;
        }
        self.machine.look(self.shared.seconds());
        Ok(())
    }

    /// Looks at what listens there, too.
    pub(crate) fn server_at(&mut self, address: SocketAddr) {
        let port = address.port();
        let is_known = self.processes.iter().any(|(look, _)| look.watches(port));
        if is_known || self.servers.contains(&port) {
            return;
        }
        self.servers.push(port);
        let mut look = ProcessLook::new(ProcessSelector::Port(port));
        // One that is not to be seen is not what anybody asked for: the figures of the machine are
        // there all the same.
        if look.look(self.shared.seconds()).is_ok() {
            self.processes.push((look, SourceStatus::default()));
        }
    }

    /// Looks at all sources and tells what there is.
    pub(crate) fn look(&mut self) {
        // Without anything of this machine, its figures say nothing of the target.
        if self.processes.is_empty() && self.servers.is_empty() {
            self.machine.look(self.shared.seconds());
            return;
        }
        let mut all = self.machine.look(self.shared.seconds());
        for (look, trouble) in &mut self.processes {
            let source = look.source.clone();
            let readings = look.look(self.shared.seconds());
            all.extend(trouble.note(&source, readings, &self.shared).unwrap_or_default());
        }
        self.shared.tell(&all);
    }
}
