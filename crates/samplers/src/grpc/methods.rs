//! Descriptors of methods, read once for all users.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};

use parking_lot::Mutex;
use swell_api::CompileContext;
use swell_expr::Host;
use swell_grpc::{DescriptorError, Descriptors, Method};
use swell_net::now_ns;

use super::failure::NoCall;

/// How long a failed reflection is remembered: for the users that wait for it.
const FAILURE_NS: i64 = 1_000_000_000;

type FromFiles = OnceLock<Result<Descriptors, DescriptorError>>;

/// What all workers have read.
#[derive(Default)]
pub(super) struct SharedDescriptors {
    files: Mutex<HashMap<(String, String), Arc<FromFiles>>>,
    reflected: Mutex<HashMap<String, Descriptors>>,
}

/// A method as a sampler calls it.
pub(super) struct CallMethod {
    pub(super) method: Method,
    pub(super) path: String,
}

/// Descriptors for the samplers of a worker.
pub(super) struct Methods {
    shared: Arc<SharedDescriptors>,
    /// Reflections that run, or that have failed a short time ago.
    reflecting: Rc<RefCell<Vec<(String, Reflecting)>>>,
}

enum Reflecting {
    Runs(Vec<Waker>),
    Failed(NoCall, i64),
}

impl Methods {
    pub(super) fn new(compile: &CompileContext) -> Self {
        let shared = compile.expr.shared.get("grpc descriptors", SharedDescriptors::default);
        Self { shared, reflecting: Rc::default() }
    }

    /// The method with that full name in files.
    pub(super) fn of_files(
        &self,
        path: &str,
        includes: &str,
        name: &str,
        host: &Arc<dyn Host>,
    ) -> Result<CallMethod, DescriptorError> {
        let key = (path.to_owned(), includes.to_owned());
        let place = self.shared.files.lock().entry(key).or_default().clone();
        let read = place.get_or_init(|| read_files(path, includes, host));
        read.as_ref().map_err(Clone::clone)?.method(name).map(CallMethod::new)
    }

    /// The method with that full name by the reflection of a server, which `reflect` asks. `server`:
    /// its name, for others who want to know the same.
    pub(super) async fn by_reflection(
        &self,
        server: &str,
        name: &str,
        reflect: impl Future<Output = Result<Descriptors, NoCall>>,
    ) -> Result<CallMethod, NoCall> {
        let service = name.rsplit_once('/').map_or(name, |(service, _)| service);
        let key = format!("{server}/{service}");
        let known = |key: &str| self.shared.reflected.lock().get(key).cloned();
        poll_fn(|cx| self.poll_turn(&key, cx.waker())).await?;
        if let Some(known) = known(&key) {
            self.end(&key, None);
            return Ok(CallMethod::new(known.method(name)?));
        }
        let turn = Turn { methods: self, key: &key };
        let found = reflect.await;
        if let Ok(found) = &found {
            self.shared.reflected.lock().insert(key.clone(), found.clone());
        }
        turn.end(found.as_ref().err().cloned());
        Ok(CallMethod::new(found?.method(name)?))
    }

    /// Ready when no other user of this worker asks the same: then it is this user's turn.
    fn poll_turn(&self, key: &str, waker: &Waker) -> Poll<Result<(), NoCall>> {
        let mut reflecting = self.reflecting.borrow_mut();
        let found = reflecting.iter_mut().find(|(known, _)| known == key);
        let Some((_, state)) = found else {
            reflecting.push((key.to_owned(), Reflecting::Runs(Vec::new())));
            return Poll::Ready(Ok(()));
        };
        match state {
            Reflecting::Runs(waiting) => {
                waiting.push(waker.clone());
                Poll::Pending
            }
            Reflecting::Failed(failure, at_ns) if now_ns() < *at_ns + FAILURE_NS => {
                Poll::Ready(Err(failure.clone()))
            }
            Reflecting::Failed(..) => {
                *state = Reflecting::Runs(Vec::new());
                Poll::Ready(Ok(()))
            }
        }
    }

    fn end(&self, key: &str, failure: Option<NoCall>) {
        let mut reflecting = self.reflecting.borrow_mut();
        let Some(at) = reflecting.iter().position(|(known, _)| known == key) else { return };
        let before = match failure {
            Some(failure) => std::mem::replace(&mut reflecting[at].1, Reflecting::Failed(failure, now_ns())),
            None => reflecting.swap_remove(at).1,
        };
        drop(reflecting);
        if let Reflecting::Runs(waiting) = before {
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

/// The right to ask a server. Dropped, the next who waits gets it.
struct Turn<'m> {
    methods: &'m Methods,
    key: &'m str,
}

impl Turn<'_> {
    fn end(self, failure: Option<NoCall>) {
        self.methods.end(self.key, failure);
        std::mem::forget(self);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.methods.end(self.key, None);
    }
}

impl CallMethod {
    fn new(method: Method) -> Self {
        Self { path: method.path(), method }
    }
}

/// `.proto` files below a folder, one such file, or a descriptor set, by its ending.
fn read_files(path: &str, includes: &str, host: &Arc<dyn Host>) -> Result<Descriptors, DescriptorError> {
    let name = if path.is_empty() { "." } else { path };
    let found = host.find(Path::new(name));
    host.may_use(&found).map_err(|error| DescriptorError::File(found.clone(), error.to_string()))?;
    let includes = includes.split(',').map(str::trim).filter(|folder| !folder.is_empty());
    let includes: Vec<PathBuf> = includes.map(|folder| host.find(Path::new(folder))).collect();
    let host = host.clone();
    Descriptors::read(&found, &includes, move |path| host.read_file(path))
}
