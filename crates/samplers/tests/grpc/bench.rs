//! A user who calls methods, and what is said of the results.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Make, Needs, Registry, SampleResult, Sampler, SamplerInput, User};
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Properties};
use swell_plan::{Element, Node};

/// The folder with the service of the site.
pub(crate) const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/proto");

pub(crate) struct Bench {
    host: Arc<TestHost>,
    compile: CompileContext,
    user: User,
}

impl Bench {
    pub(crate) fn new(properties: &[(&str, &str)]) -> Self {
        let props = Properties::default();
        for (name, value) in properties {
            props.set(name, value);
        }
        let host = Arc::new(TestHost::default());
        host.files.lock().insert(Path::new(PROTO).join("echo.proto"), swell_target::PROTO.into());
        let compile = CompileContext {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(props),
            host: host.clone(),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        let cx = context_of(compile.expr.names.clone(), Arc::default());
        Self { user: User::new(cx, swell_net::now_ns()), compile, host }
    }

    /// Puts a file where samplers find it.
    pub(crate) fn put_file(&self, name: &str, content: &[u8]) {
        self.host.files.lock().insert(name.into(), content.to_vec());
    }

    /// A sampler of the site's service, by reflection.
    pub(crate) fn sampler(
        &self,
        port: u16,
        method: &str,
        texts: &[(&str, &str)],
        needs: Needs,
    ) -> Rc<dyn Sampler> {
        let element = Element::new("vn.zalopay.benchmark.GRPCSampler", "", "name")
            .with_text("GRPCSampler.host", "127.0.0.1")
            .with_text("GRPCSampler.port", &port.to_string())
            .with_text("GRPCSampler.fullMethod", &format!("swell.Echo/{method}"))
            .with_text("GRPCSampler.deadline", "20000")
            .with_flag("GRPCSampler.reflection", true);
        let with = |element: Element, (name, value): &(&str, &str)| {
            element.with_text(&format!("GRPCSampler.{name}"), value)
        };
        let node = Node::new(texts.iter().fold(element, with));
        let input = SamplerInput { sampler: &node, configs: Vec::new(), needs };
        let kind =
            Registry::of(swell_samplers::kinds()).kind(&node.element).expect("the kind of the sampler");
        let Make::Sampler(make) = &kind.make else { panic!("it is a sampler") };
        make(&input, &self.compile)
    }

    pub(crate) async fn take(&mut self, sampler: &Rc<dyn Sampler>) -> SampleResult {
        *sampler.sample(&mut self.user).await.expect("a sample")
    }

    /// One call of a new sampler.
    pub(crate) async fn call(&mut self, port: u16, method: &str, texts: &[(&str, &str)]) -> SampleResult {
        let sampler = self.sampler(port, method, texts, Needs::ALL);
        self.take(&sampler).await
    }
}

pub(crate) fn run(test: impl AsyncFnOnce(&mut Bench)) {
    run_with(&[], test);
}

pub(crate) fn run_with(properties: &[(&str, &str)], test: impl AsyncFnOnce(&mut Bench)) {
    let mut runtime = swell_net::Runtime::new().expect("a loop");
    runtime.block_on(async { test(&mut Bench::new(properties)).await });
}

pub(crate) fn text(sample: &SampleResult) -> String {
    sample.body_text().into_owned()
}

pub(crate) fn result(sample: &SampleResult) -> (String, String, bool) {
    (sample.code.to_string(), sample.message.to_string(), sample.success)
}

pub(crate) fn fine() -> (String, String, bool) {
    ("200".to_owned(), " success".to_owned(), true)
}

pub(crate) fn failed(status: &str) -> (String, String, bool) {
    (" 500".to_owned(), format!(" {status}"), false)
}
