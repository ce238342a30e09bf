//! Descriptors of methods, read once for all users.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::task::Context;

use parking_lot::Mutex;
use swell_api::CompileContext;
use swell_connect::{Flight, SingleFlight};
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
    /// Reflections that run, or that have failed a short time ago, and when.
    reflecting: SingleFlight<String, (NoCall, i64)>,
}

impl Methods {
    pub(super) fn new(compile: &CompileContext) -> Self {
        let shared = compile.expr.shared.get("grpc descriptors", SharedDescriptors::default);
        Self { shared, reflecting: SingleFlight::default() }
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
        let is_recent = |(_, at_ns): &(NoCall, i64), _: &mut Context<'_>| now_ns() < at_ns + FAILURE_NS;
        let turn = match self.reflecting.claim(&key, is_recent).await {
            Flight::Made((failure, _)) => return Err(failure),
            Flight::Make(turn) => turn,
        };
        let known = self.shared.reflected.lock().get(&key).cloned();
        if let Some(known) = known {
            return Ok(CallMethod::new(known.method(name)?));
        }
        match reflect.await {
            Ok(found) => {
                self.shared.reflected.lock().insert(key, found.clone());
                Ok(CallMethod::new(found.method(name)?))
            }
            Err(failure) => {
                turn.done((failure.clone(), now_ns()));
                Err(failure)
            }
        }
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
