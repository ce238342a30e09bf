//! Java Request with JMeter's own test classes, which many plans use as dummies.

use swell_api::{DataType, SampleResult, Sampler, SamplerFuture, Text, User};
use swell_expr::Template;
use swell_plan::Element;

use crate::compile_context::GroupCompileContext;

const MS: i64 = 1_000_000;
const JAVA_TEST: &str = "org.apache.jmeter.protocol.java.test.JavaTest";
const SLEEP_TEST: &str = "org.apache.jmeter.protocol.java.test.SleepTest";

/// The classes that are native.
pub(crate) const CLASSES: &[&str] = &[JAVA_TEST, SLEEP_TEST];

fn class(element: &Element) -> &str {
    element.text("classname").unwrap_or_default().trim()
}

/// `JavaTest` or `SleepTest`.
pub(super) struct Java {
    sleep_only: bool,
    sleep_ms: Template,
    mask: Template,
    label: Template,
    code: Template,
    message: Template,
    status: Template,
    sampler_data: Template,
    result_data: Template,
}

impl Java {
    pub(super) fn compile(element: &Element, context: &GroupCompileContext<'_>) -> Self {
        let sleep_only = class(element) == SLEEP_TEST;
        let arguments = element.element("arguments");
        let argument = |name: &str, default: &str| {
            let members = arguments.into_iter().flat_map(|all| all.elements("Arguments.arguments"));
            let mut named = members.filter(|one| one.text("Argument.name").unwrap_or(one.name()) == name);
            match named.next() {
                Some(found) => context.compile.template(found, "Argument.value", ""),
                None => context.compile.text(element, "arguments", default),
            }
        };
        let (sleep, mask) =
            if sleep_only { ("SleepTime", "SleepMask") } else { ("Sleep_Time", "Sleep_Mask") };
        Self {
            sleep_only,
            sleep_ms: argument(sleep, ""),
            mask: argument(mask, ""),
            label: argument("Label", ""),
            code: argument("ResponseCode", ""),
            message: argument("ResponseMessage", ""),
            status: argument("Status", "OK"),
            sampler_data: argument("SamplerData", ""),
            result_data: argument("ResultData", ""),
        }
    }

    /// How long it sleeps: the time plus a part of the clock.
    fn sleep_ns(&self, user: &mut User) -> i64 {
        let (usual_ms, usual_mask) = defaults(self.sleep_only);
        let sleep_ms = long(&self.sleep_ms.eval(&mut user.cx)).unwrap_or(usual_ms);
        let mask = long(&self.mask.eval(&mut user.cx)).unwrap_or(usual_mask);
        let now_ms = swell_net::now_ns() / MS;
        let more_ms = if sleep_ms > 0 && mask > 0 { now_ms % mask } else { 0 };
        (sleep_ms + more_ms).max(0).saturating_mul(MS)
    }

    fn start(&self, user: &mut User) -> SampleResult {
        let cx = &mut user.cx;
        let mut sample = SampleResult { success: true, ..SampleResult::default() };
        if self.sleep_only {
            return sample;
        }
        let text = |text: std::borrow::Cow<'_, str>| Text::from(text.into_owned());
        sample.label = text(self.label.eval(cx));
        sample.code = text(self.code.eval(cx));
        sample.message = text(self.message.eval(cx));
        sample.success = self.status.eval(cx).eq_ignore_ascii_case("OK");
        let data = self.sampler_data.eval(cx).into_owned();
        sample.sent_bytes = data.chars().count() as u64;
        sample.sampler_data = Some(data).filter(|data| !data.is_empty());
        sample.body = self.result_data.eval(cx).into_owned().into();
        sample.body_size = sample.body.len() as u64;
        sample.bytes = sample.body_size;
        sample.data_type = DataType::Text;
        if !sample.body.is_empty() {
            sample.encoding = "UTF-8".into();
        }
        sample
    }
}

/// Sleep time in milliseconds and mask, where they are missing or no numbers.
fn defaults(sleep_only: bool) -> (i64, i64) {
    if sleep_only { (1000, 0x3FF) } else { (100, 0xFF) }
}

/// `Long.decode`, without its octal numbers.
fn long(text: &str) -> Option<i64> {
    let hex = ["0x", "0X", "#"].iter().find_map(|prefix| text.strip_prefix(prefix));
    match hex {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Sampler for Java {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        let sleep_ns = self.sleep_ns(user);
        let mut sample = self.start(user);
        if self.sleep_only {
            sample.sampler_data = Some(format!("Sleep Test: time = {}", sleep_ns / MS));
        }
        let interrupt_at_ns = user.interrupt_at_ns;
        Box::pin(async move {
            let start_ns = swell_net::now_ns();
            sample.timing.start_ns = start_ns;
            let end_ns = interrupt_at_ns.min(start_ns + sleep_ns);
            // A test that stops wakes all sleepers, but a running sample goes to its end.
            while swell_net::now_ns() < end_ns {
                swell_net::sleep_until(end_ns).await;
            }
            sample.timing.end_ns = swell_net::now_ns();
            Some(Box::new(sample))
        })
    }
}
