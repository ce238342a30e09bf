//! Functions that a provider evaluates during a run.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use swell_expr::{RemoteCall, RemoteFault, RemoteFunctions};
use swell_pool::Pool;

use crate::{SampleResult, User};

/// The future result of a call.
pub type FutureAnswer<'a> = Pin<Box<dyn Future<Output = Result<String, RemoteFault>> + 'a>>;

/// Functions of a provider. Before the test, a thread waits for each result ([`RemoteFunctions`]);
/// during the test, only the user does.
pub trait Functions: RemoteFunctions {
    /// Answers a call for a user, with what the function changes of the user. `pool`: the threads
    /// for foreign work. `sample` is there after the sampler ran, and is `prev` then.
    fn call<'a>(
        &'a self,
        call: RemoteCall,
        pool: &'a Arc<Pool>,
        user: &'a mut User,
        sample: Option<&'a mut SampleResult>,
    ) -> FutureAnswer<'a>;
}
