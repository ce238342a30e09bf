//! The Java side in a separate process: its exit or crash does not end the run, and a statically
//! linked program can use it.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};

use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions};

use crate::installation::JvmInstallation;
use crate::{Config, JvmFault, StartError, Transport, answer};

/// The largest answer that is taken, in bytes.
const LARGEST: u32 = 1 << 30;

type Answered = Result<Vec<u8>, JvmFault>;

#[derive(Default)]
struct Pending {
    tickets: u64,
    waiting: HashMap<u64, SyncSender<Answered>>,
    /// Why there will be no further answer.
    ended: Option<JvmFault>,
}

/// Called when the process has ended: with its status if its code ended it (`System.exit`), `None`
/// otherwise; and with the same as text.
pub(crate) type OnEnd = Box<dyn FnOnce(Option<i32>, &str) + Send>;

/// The child process. Clones share it; it ends when the last clone is dropped.
#[derive(Clone)]
pub struct Child {
    requests: Arc<Mutex<std::process::ChildStdin>>,
    pending: Arc<Mutex<Pending>>,
    process_id: u32,
}

impl Child {
    /// Finds Java and JMeter, starts the process and JMeter's classes in it. Takes a second or two.
    ///
    /// # Errors
    /// Something is not there or does not start.
    pub fn start(config: &Config) -> Result<Self, StartError> {
        Self::start_watched(config, Box::new(|_, _| ()))
    }

    /// Like [`Child::start`]; `on_end` is called at its end before anything that waits for an
    /// answer resumes.
    pub(crate) fn start_watched(config: &Config, on_end: OnEnd) -> Result<Self, StartError> {
        let prepared = JvmInstallation::find(config)?;
        let child = Self::spawn(&prepared, &[], on_end)?;
        child.start_jmeter(&prepared, config)?;
        Ok(child)
    }

    /// Starts the process with further options.
    pub(crate) fn spawn(
        prepared: &JvmInstallation,
        more: &[String],
        on_end: OnEnd,
    ) -> Result<Self, StartError> {
        let program = prepared.java.home.join("bin/java");
        let create =
            |error: io::Error| StartError::Create { libjvm: program.clone(), reason: error.to_string() };
        let mut process = Command::new(&program)
            .args(&prepared.options)
            .args(more)
            .arg("swell.jvm.Child")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // An interrupt from the terminal is for Swell, which ends the test in order.
            .process_group(0)
            .spawn()
            .map_err(create)?;
        let process_id = process.id();
        let requests = process.stdin.take().expect("it is piped");
        let answers = process.stdout.take().expect("it is piped");
        let pending = Arc::new(Mutex::new(Pending::default()));
        let shared = pending.clone();
        let reader = std::thread::Builder::new().name("jvm-child".to_owned());
        let spawned = reader.spawn(move || {
            let broken = deliver(&mut BufReader::new(answers), &shared);
            let ended = status_of(&process);
            let code = ended.as_ref().ok().and_then(std::process::ExitStatus::code);
            let status = ended.map_or_else(|e| e.to_string(), |status| status.to_string());
            on_end(code, &status);
            fail_all(
                &shared,
                &JvmFault::Died(broken.map_or(status.clone(), |broken| format!("{broken}; {status}"))),
            );
            // Only now may others see that the process with that number has ended: a call from then
            // on is for the next.
            let _ = process.wait();
        });
        spawned.map_err(create)?;
        Ok(Self { requests: Arc::new(Mutex::new(requests)), pending, process_id })
    }

    pub(crate) fn start_jmeter(&self, prepared: &JvmInstallation, config: &Config) -> Result<(), StartError> {
        self.tell(&prepared.start_message(config)).map_err(StartError::JMeter)
    }

    /// Sends a request whose answer says only whether it was done.
    ///
    /// # Errors
    /// It was not.
    pub fn tell(&self, request: &[u8]) -> Result<(), JvmFault> {
        let mut answer = Vec::new();
        self.call(request, &mut answer)?;
        answer::body(&answer).map(drop)
    }

    /// It answers no call any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.pending.lock().ended.is_some()
    }

    /// Its number among the processes of the machine.
    pub fn process_id(&self) -> u32 {
        self.process_id
    }

    /// Ends the process in order and waits until it has ended.
    pub(crate) fn end(self) {
        let pending = self.pending.clone();
        let (sender, receiver) = mpsc::sync_channel(1);
        let ticket = u64::MAX;
        if register(&pending, ticket, sender).is_ok() {
            // The end of its input ends it, and that answers what waits.
            drop(self);
            drop(receiver.recv());
        }
    }
}

impl Transport for Child {
    fn call(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let ticket = {
            let mut pending = self.pending.lock();
            pending.tickets += 1;
            pending.tickets
        };
        register(&self.pending, ticket, sender)?;
        let mut frame = Vec::with_capacity(request.len() + 12);
        let length = u32::try_from(request.len()).unwrap_or(u32::MAX).min(LARGEST);
        frame.extend_from_slice(&length.to_le_bytes());
        frame.extend_from_slice(&ticket.to_le_bytes());
        frame.extend_from_slice(request);
        let sent = self.requests.lock().write_all(&frame);
        if sent.is_err() {
            // The process has ended; the thread that reads its answers says how.
            drop(frame);
        }
        *answer =
            receiver.recv().unwrap_or_else(|_| Err(JvmFault::Died("its responses ended".to_owned())))?;
        Ok(())
    }
}

/// How a process has ended, once it has. It stays to be waited for.
fn status_of(process: &std::process::Child) -> io::Result<ExitStatus> {
    let process = WaitId::Pid(Pid::from_child(process));
    loop {
        match rustix::process::waitid(process.clone(), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(Some(status)) => {
                let signal =
                    status.terminating_signal().map(|signal| signal | i32::from(status.dumped()) << 7);
                let raw = signal.or(status.exit_status().map(|code| code << 8)).unwrap_or_default();
                return Ok(ExitStatus::from_raw(raw));
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn register(pending: &Mutex<Pending>, ticket: u64, sender: SyncSender<Answered>) -> Result<(), JvmFault> {
    let mut pending = pending.lock();
    if let Some(fault) = &pending.ended {
        return Err(fault.clone());
    }
    pending.waiting.insert(ticket, sender);
    Ok(())
}

fn fail_all(pending: &Mutex<Pending>, fault: &JvmFault) {
    let mut pending = pending.lock();
    pending.ended = Some(fault.clone());
    for (_, sender) in pending.waiting.drain() {
        // One that was given up does not wait any more.
        let _ = sender.send(Err(fault.clone()));
    }
}

/// Hands answers to those who wait for them until there are no more; says why, if it is not their
/// end.
fn deliver(answers: &mut impl Read, pending: &Mutex<Pending>) -> Option<String> {
    loop {
        let mut head = [0; 12];
        answers.read_exact(&mut head).err().map_or(Some(()), |_| None)?;
        let (length, ticket) = head.split_at(4);
        let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
        let ticket = u64::from_le_bytes(ticket.try_into().expect("eight bytes"));
        if length > LARGEST {
            return Some(format!("a response of {length} bytes"));
        }
        let mut answer = vec![0; length as usize];
        answers.read_exact(&mut answer).err().map_or(Some(()), |_| None)?;
        if let Some(sender) = pending.lock().waiting.remove(&ticket) {
            // One that was given up does not wait any more.
            let _ = sender.send(Ok(answer));
        }
    }
}
