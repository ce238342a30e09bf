//! The Java side of a run, in this process or in a separate one.

use crate::{Child, Jvm, JvmFault, Transport};

/// Where the JVM runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JvmPlace {
    /// In the process of Swell.
    #[default]
    InProcess,
    /// In a child process: what ends the JVM does not end the run.
    Child,
}

/// The Java side of a run. Clones share it.
#[derive(Clone)]
pub(crate) struct JavaSide {
    /// How many there were in the run with this one: a child that has ended is followed by another.
    pub(crate) number: u32,
    machine: Machine,
}

#[derive(Clone)]
enum Machine {
    InProcess(Jvm),
    Child(Child),
}

impl JavaSide {
    /// The JVM of this process, which is the only one of its run.
    pub(crate) fn in_process(jvm: Jvm) -> Self {
        Self { number: 1, machine: Machine::InProcess(jvm) }
    }

    /// A child process.
    pub(crate) fn child(number: u32, child: Child) -> Self {
        Self { number, machine: Machine::Child(child) }
    }

    /// It is a process that has ended.
    pub(crate) fn has_ended(&self) -> bool {
        match &self.machine {
            Machine::InProcess(_) => false,
            Machine::Child(child) => child.has_ended(),
        }
    }

    /// Sends a request whose answer says only whether it was done.
    pub(crate) fn tell(&self, request: &[u8]) -> Result<(), JvmFault> {
        match &self.machine {
            Machine::InProcess(jvm) => jvm.tell(request),
            Machine::Child(child) => child.tell(request),
        }
    }
}

impl Transport for JavaSide {
    fn call(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
        match &self.machine {
            Machine::InProcess(jvm) => jvm.call(request, answer),
            Machine::Child(child) => child.call(request, answer),
        }
    }
}
