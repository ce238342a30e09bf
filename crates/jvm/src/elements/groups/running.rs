//! Such a group during the run.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{GroupChange, GroupUsers, RunningGroup, Taken};
use swell_expr::Host;
use swell_plan::NodeId;

use super::batch::Batch;
use super::properties::borrowed;
use crate::elements::session::Session;
use crate::java_side::JavaSide;
use crate::{JvmFault, Transport, request};

/// How long a call waits for samples; users are counted at this interval.
const LIMIT: Duration = Duration::from_millis(200);
/// Stack of the thread that asks.
const STACK: usize = 2 << 20;

/// A thread group on JMeter's engine.
pub(super) struct JvmRunning {
    id: NodeId,
    session: Arc<Session>,
    jvm: JavaSide,
    users: Arc<Mutex<GroupUsers>>,
    batches: Mutex<Receiver<Taken>>,
}

/// What its samples are asked for on.
struct SampleRequest {
    id: NodeId,
    session: Arc<Session>,
    jvm: JavaSide,
    host: Arc<dyn Host>,
    users: Arc<Mutex<GroupUsers>>,
    batches: SyncSender<Taken>,
}

impl JvmRunning {
    pub(super) fn start(
        id: NodeId,
        session: Arc<Session>,
        jvm: JavaSide,
        host: Arc<dyn Host>,
    ) -> Result<Self, String> {
        let users = Arc::default();
        // One is reported while the next is made.
        let (to_me, batches) = mpsc::sync_channel(1);
        let asking = SampleRequest {
            id,
            session: session.clone(),
            jvm: jvm.clone(),
            host,
            users: Arc::clone(&users),
            batches: to_me,
        };
        // A separate thread, which does not end with an answer if a script has called
        // `System.exit`.
        let thread = std::thread::Builder::new().name("jvm-group".to_owned()).stack_size(STACK);
        thread.spawn(move || asking.work()).map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Self { id, session, jvm, users, batches: Mutex::new(batches) })
    }

    /// Tells the JVM something on a thread that may wait for it.
    fn tell(&self, message: Vec<u8>) {
        let jvm = self.jvm.clone();
        let thread = std::thread::Builder::new().name("jvm-stop".to_owned()).stack_size(STACK);
        // Where no thread is to be had, or the JVM is gone, the group ends with it.
        let _ = thread.spawn(move || jvm.tell(&message));
    }
}

impl RunningGroup for JvmRunning {
    fn take(&self, limit: Duration) -> Taken {
        let batches = self.batches.lock();
        match batches.recv_timeout(limit) {
            Ok(taken) => taken,
            Err(RecvTimeoutError::Timeout) => {
                let exited =
                    self.session.exit_status().map(|status| Err(JvmFault::Exited(status).to_string()));
                Taken { ended: exited, ..Taken::default() }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let why = "internal error: the receiver of its samples is gone".to_owned();
                Taken { ended: Some(Err(why)), ..Taken::default() }
            }
        }
    }

    fn users(&self) -> GroupUsers {
        *self.users.lock()
    }

    fn stop(&self, at_once: bool) {
        let mut message = Vec::new();
        request::stop_group(&mut message, self.id.0, at_once);
        self.tell(message);
    }

    fn change(&self, _change: GroupChange) -> Result<(), String> {
        Err("JMeter's engine runs it, and can only stop it".to_owned())
    }
}

impl SampleRequest {
    fn work(&self) {
        let mut answer = Vec::new();
        loop {
            let taken = self.ask(&mut answer).unwrap_or_else(|fault| self.gone(&fault));
            let is_over = taken.ended.is_some();
            if is_over && self.session.groups.ended(self.id) {
                self.end_all();
            }
            // The receiver is gone only if the run was given up.
            if self.batches.send(taken).is_err() || is_over {
                return;
            }
        }
    }

    fn ask(&self, answer: &mut Vec<u8>) -> Result<Taken, JvmFault> {
        let mut message = Vec::new();
        let changed = self.session.property_changes();
        request::take_samples(&mut message, &borrowed(&changed), self.id.0, LIMIT);
        self.jvm.call(&message, answer)?;
        let batch = Batch::read(answer)?;
        self.session.log_lines(&batch.logs, &*self.host, None);
        for (name, value) in batch.properties {
            self.session.property_changed(name, value);
        }
        self.set_users(batch.users);
        Ok(batch.taken)
    }

    fn set_users(&self, users: GroupUsers) {
        *self.users.lock() = users;
    }

    /// No answer: its users are gone with the JVM.
    fn gone(&self, fault: &JvmFault) -> Taken {
        let mut users = self.users.lock();
        (users.active, users.finished) = (0, users.started);
        Taken { ended: Some(Err(fault.to_string())), ..Taken::default() }
    }

    /// No group is left: elements of the plan that write files finish them.
    fn end_all(&self) {
        let mut message = Vec::new();
        let mut answer = Vec::new();
        request::groups_ended(&mut message);
        let told = self.jvm.call(&message, &mut answer).and_then(|()| super::batch::last_logs(&answer));
        match told {
            Ok(logs) => self.session.log_lines(&logs, &*self.host, None),
            Err(fault) => {
                let message = format!("cannot notify JMeter's elements of the end of the test: {fault}");
                self.host.log(swell_expr::Level::Error, &message);
            }
        }
    }
}
