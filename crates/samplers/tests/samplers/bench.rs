//! A user that takes samples.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Make, Needs, Registry, SampleResult, Sampler, SamplerInput, User};
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Properties};
use swell_plan::{Element, Node};

pub(crate) use crate::websocket::scripted::server;

/// One user, and what compiles samplers for it.
pub(crate) struct Bench {
    pub(crate) compile: CompileContext,
    pub(crate) user: User,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let compile = CompileContext {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(Properties::default()),
            host: Arc::new(TestHost::default()),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        let cx = context_of(compile.expr.names.clone(), Arc::default());
        Self { user: User::new(cx, swell_net::now_ns()), compile }
    }

    /// The sampler of an element with these config elements in its scope.
    pub(crate) fn sampler(&self, element: Element, configs: Vec<Element>, needs: Needs) -> Rc<dyn Sampler> {
        let node = Node::new(element);
        let configs: Vec<Node> = configs.into_iter().map(Node::new).collect();
        let input = SamplerInput { sampler: &node, configs: configs.iter().collect(), needs };
        let kind = Registry::of(swell_samplers::kinds()).kind(&node.element).expect("a kind of this crate");
        let Make::Sampler(make) = &kind.make else { panic!("it is a sampler") };
        make(&input, &self.compile)
    }

    pub(crate) async fn take(&mut self, sampler: &Rc<dyn Sampler>) -> SampleResult {
        *sampler.sample(&mut self.user).await.expect("a sample")
    }
}

/// Runs a test on an event loop.
pub(crate) fn run(test: impl AsyncFnOnce(&mut Bench)) {
    let mut runtime = swell_net::Runtime::new().expect("a loop");
    runtime.block_on(async { test(&mut Bench::new()).await });
}
