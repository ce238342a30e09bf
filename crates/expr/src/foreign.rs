//! Functions from other crates.

use std::fmt;
use std::sync::Arc;

use crate::context::Context;
use crate::remote::RemoteFunctions;

/// A function from another crate. One object serves all users of a run; state of a user is in its
/// variables.
pub trait ForeignFunction: Send + Sync {
    /// Its name, `__` included. A function of Swell's own of that name comes first.
    fn name(&self) -> &str;
    /// The least and the most arguments that it takes; no most: any number. A call with another
    /// number refuses the plan.
    fn arguments(&self) -> (usize, Option<usize>);
    /// The result, from the values of the arguments. It must answer at once: it runs on the loop of
    /// its worker.
    ///
    /// # Errors
    /// Why it has no result: the text of the call is empty then, and the reason goes to the log.
    fn call(&self, arguments: &[String], cx: &mut Context) -> Result<String, String>;
}

/// The functions that other crates add to a run.
#[derive(Clone, Default)]
pub struct ForeignFunctions {
    listed: Arc<[Arc<dyn ForeignFunction>]>,
    remote: Option<Arc<dyn RemoteFunctions>>,
}

impl ForeignFunctions {
    /// Those functions; of several with one name the first counts.
    pub fn new(functions: impl IntoIterator<Item = Arc<dyn ForeignFunction>>) -> Self {
        Self { listed: functions.into_iter().collect(), remote: None }
    }

    /// The same, and functions that something else answers. Those come last.
    #[must_use]
    pub fn with_remote(self, remote: Arc<dyn RemoteFunctions>) -> Self {
        Self { remote: Some(remote), ..self }
    }

    pub(crate) fn remote(&self) -> Option<Arc<dyn RemoteFunctions>> {
        self.remote.clone()
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<dyn ForeignFunction>> {
        self.listed.iter().find(|function| function.name() == name).cloned()
    }
}

impl fmt::Debug for ForeignFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.listed.iter().map(|function| function.name())).finish()
    }
}
