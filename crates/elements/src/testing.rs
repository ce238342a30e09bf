//! For tests of this and other crates that add elements: builds a plan element from a few
//! properties, a user, findings, and a context that counts work sent off the loop. Never part of a
//! run.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use swell_api::{
    Assertion, CompileContext, ElementKind, IterationElement, Make, PostProcessor, PreProcessor, Registry,
    SampleResult, run_assertion,
};
use swell_budget::{Limits, Meter};
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Context, Heavy, Job, Shared};
use swell_plan::{Element, Node, Property, PropertyValue};

/// A separate environment for a test.
pub struct Bench {
    registry: Registry,
    compile: CompileContext,
    /// The outside world of its users.
    pub host: Arc<TestHost>,
}

impl Deref for Bench {
    type Target = CompileContext;
    fn deref(&self) -> &CompileContext {
        &self.compile
    }
}

impl Bench {
    /// One with the elements of this crate alone.
    #[expect(clippy::new_without_default, reason = "tests pass explicit values")]
    pub fn new() -> Self {
        Self::sharing(Arc::default())
    }

    /// With elements of another crate, too.
    #[must_use]
    pub fn with(mut self, kinds: Vec<ElementKind>) -> Self {
        self.registry.extend(kinds);
        self
    }

    /// A worker that shares state with others.
    pub fn sharing(shared: Arc<Shared>) -> Self {
        let host: Arc<TestHost> = Arc::default();
        let compile = CompileContext {
            expr: Compiler::new(shared),
            props: Arc::default(),
            host: host.clone(),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        Self { registry: Registry::of(crate::kinds()), compile, host }
    }

    /// A user of this worker.
    pub fn user(&self) -> Context {
        self.user_number(0)
    }

    /// A user with that number.
    pub fn user_number(&self, thread_index: u32) -> Context {
        let mut cx = context_of(self.expr.names.clone(), self.host.clone());
        cx.props = self.props.clone();
        cx.user.thread_index = thread_index;
        cx
    }

    /// Sets a variable whose name is in the plan: names get their slots before users start.
    pub fn put(&self, cx: &mut Context, name: &str, value: &str) {
        cx.vars.put_slot(self.expr.names.slot(name), value);
    }

    /// The messages of findings so far.
    pub fn messages(&self) -> Vec<String> {
        self.diagnostics.borrow().iter().map(|finding| finding.message.clone()).collect()
    }
}

/// The node of an element, with the values of properties that it lacks.
fn prepared(element: &Element, bench: &Bench) -> Node {
    let mut node = Node::new(element.clone());
    bench.registry.fill_missing(&mut node.element);
    node
}

/// The assertion of an element; none if its class is of another role.
pub fn assertion(element: &Element, bench: &Bench) -> Option<Box<dyn Assertion>> {
    match &bench.registry.kind(element)?.make {
        Make::Assertion(make) => Some(make(&prepared(element, bench), bench)),
        _ => None,
    }
}

/// The post-processor of an element, likewise.
pub fn post_processor(element: &Element, bench: &Bench) -> Option<Box<dyn PostProcessor>> {
    match &bench.registry.kind(element)?.make {
        Make::PostProcessor(make) => Some(make(&prepared(element, bench), bench)),
        _ => None,
    }
}

/// The pre-processor of an element, likewise.
pub fn pre_processor(element: &Element, bench: &Bench) -> Option<Box<dyn PreProcessor>> {
    match &bench.registry.kind(element)?.make {
        Make::PreProcessor(make) => Some(make(&prepared(element, bench), bench)),
        _ => None,
    }
}

/// What an element does at the start of iterations.
pub fn iteration_element(element: &Element, bench: &Bench) -> Option<Box<dyn IterationElement>> {
    let kind = bench.registry.kind(element)?;
    kind.each_iteration.as_ref()?(&prepared(element, bench), bench)
}

/// A context whose jobs for helper threads are counted and run at once.
pub fn counting(bench: &Bench, limits: Limits, clock_ns: fn() -> i64) -> (Context, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let meter = Meter { clock_ns, stop: Arc::new(AtomicBool::new(false)) };
    let aside = move |job: Job| -> std::pin::Pin<Box<dyn Future<Output = ()>>> {
        counted.fetch_add(1, Ordering::Relaxed);
        job();
        Box::pin(std::future::ready(()))
    };
    let mut cx = bench.user();
    let account = cx.heavy.account.clone();
    cx.heavy = Rc::new(Heavy { limits, of_function: limits, meter, aside: Arc::new(aside), account });
    (cx, count)
}

/// Runs an extractor or assertion on a body.
///
/// # Panics
/// The element is neither.
pub fn run_on_body(cx: &mut Context, bench: &Bench, element: &Element, body: Vec<u8>) -> SampleResult {
    let mut sample = SampleResult { body: body.into(), success: true, ..SampleResult::default() };
    if let Some(extractor) = post_processor(element, bench) {
        extractor.process(cx, &mut sample).finish();
    } else {
        let assertion = assertion(element, bench).expect("a known class");
        run_assertion(&*assertion, cx, &mut sample).finish();
    }
    sample
}

/// Runs an XPath Extractor that sets `v` on a body.
///
/// # Panics
/// Its class is not known.
pub fn extract_by_xpath(
    cx: &mut Context,
    bench: &Bench,
    body: &str,
    properties: &[(&str, &str)],
) -> SampleResult {
    let defaults = [("XPathExtractor.refname", "v"), ("XPathExtractor.default", "NO")];
    let all = [properties, &defaults].concat();
    run_on_body(cx, bench, &element("XPathExtractor", &all), body.into())
}

/// Variables whose name begins with `v`, as `name=value`, by name.
pub fn shown(cx: &Context) -> String {
    let all = cx.vars.entries().into_iter().filter(|(name, _)| name.starts_with('v'));
    let mut all: Vec<_> = all.map(|(name, value)| format!("{name}={value}")).collect();
    all.sort();
    all.join(" ")
}

/// What an assertion says of a body: failure, error and message.
///
/// # Panics
/// The element is not an assertion.
pub fn judgement(bench: &Bench, element: &Element, body: &str) -> String {
    let mut sample = SampleResult { body: body.into(), ..SampleResult::default() };
    let made = assertion(element, bench).expect("a known class");
    let result = made.check(&mut bench.user(), &mut sample).finish();
    format!("f={} e={} m={}", result.failure, result.error, result.message.as_deref().unwrap_or("<null>"))
}

/// Compares a table with what is found: columns by tabs, the last one is the expected result; `⏎`
/// and `⇥` mean a line feed and a tab.
///
/// # Panics
/// Something else is found, or a row has other columns.
pub fn check<const N: usize>(table: &str, find: impl Fn([&str; N]) -> String) {
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let columns: Vec<String> =
            row.split('\t').map(|column| column.replace('⏎', "\n").replace('⇥', "\t")).collect();
        let (wanted, given) = columns.split_last().expect("a column");
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let given: [&str; N] = given.try_into().expect("as many columns as are read");
        assert_eq!(find(given), *wanted, "{row}");
    }
}

/// An element, and the head, the repeatable line and the tail of a body that it reads.
pub type Reader = (Element, [&'static str; 3]);

/// Checks that elements look at small bodies on the loop and at large ones on a helper thread, with
/// the same result, and that the body comes back. A digest differs, since it is in the message.
///
/// # Panics
/// One does not.
pub fn assert_large_bodies_leave_the_loop(bench: impl Fn() -> Bench, readers: Vec<Reader>) {
    for (element, [head, line, tail]) in readers {
        let bench = bench();
        let body = |lines: usize| format!("{head}{}{tail}", line.repeat(lines)).into_bytes();
        let shown_for = |lines: usize, jobs: usize| {
            let (mut cx, count) = counting(&bench, Limits::default(), || 0);
            let sample = run_on_body(&mut cx, &bench, &element, body(lines));
            assert_eq!(count.load(Ordering::Relaxed), jobs, "{} on {lines} lines", element.class);
            assert_eq!(sample.body, body(lines), "{}: the body comes back", element.class);
            format!("{:?} {:?}", sample.assertions, cx.vars.entries())
        };
        let small = shown_for(3, 0);
        let large = shown_for(60_000, 1);
        assert!(small == large || element.class.contains("MD5"), "{}: {small} {large}", element.class);
    }
}

/// An element with simple properties.
pub fn element(class: &str, properties: &[(&str, &str)]) -> Element {
    Element {
        class: class.to_owned(),
        gui_class: String::new(),
        tag: class.to_owned(),
        attributes: vec![("testname".to_owned(), "the element".to_owned())],
        properties: properties.iter().map(|(name, value)| text(name, value)).collect(),
        line: 1,
        path: "the element".to_owned(),
        missing: &[],
    }
}

/// A text property.
pub fn text(name: &str, value: &str) -> Property {
    property(name, PropertyValue::Text(value.to_owned()))
}

/// Texts as a collection.
pub fn collection(name: &str, texts: &[&str]) -> Property {
    property(name, PropertyValue::Collection(texts.iter().map(|member| text("", member)).collect()))
}

/// Any property.
pub fn property(name: &str, value: PropertyValue) -> Property {
    Property { name: name.to_owned(), value, written: None }
}

/// What a future gives that waits for no helper.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    loop {
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut task) {
            return value;
        }
    }
}
