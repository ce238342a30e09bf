//! jp@gc - Dummy Sampler (`kg.apc.jmeter.samplers.DummySampler`): a sample whose fields come from
//! the plan.

use std::rc::Rc;

use swell_api::{
    CompileContext, DataType, HttpDetails, SampleResult, Sampler, SamplerFuture, SamplerInput, Text, User,
};
use swell_expr::{Context, Template};

use crate::{is_true, whole};

const MS: i64 = 1_000_000;

struct Dummy {
    success: Template,
    code: Template,
    message: Template,
    request: Template,
    response: Template,
    url: Template,
    class: Template,
    time_ms: Template,
    latency_ms: Template,
    connect_ms: Template,
    waits: Template,
}

pub(crate) fn make(input: &SamplerInput<'_>, compile: &CompileContext) -> Rc<dyn Sampler> {
    let text = |name: &str| compile.template(&input.sampler.element, name, "");
    Rc::new(Dummy {
        // The plug-in spells it so.
        success: text("SUCCESFULL"),
        code: text("RESPONSE_CODE"),
        message: text("RESPONSE_MESSAGE"),
        request: text("REQUEST_DATA"),
        response: text("RESPONSE_DATA"),
        url: text("URL"),
        class: text("RESULT_CLASS"),
        time_ms: text("RESPONSE_TIME"),
        latency_ms: text("LATENCY"),
        connect_ms: text("CONNECT"),
        waits: text("WAITING"),
    })
}

/// When something happened that many milliseconds after the start; 0 if it did not.
fn after(start_ns: i64, ms: i32) -> i64 {
    if ms > 0 { start_ns + i64::from(ms) * MS } else { 0 }
}

/// Whether `java.net.URL` takes it.
fn is_url(text: &str) -> bool {
    let scheme = text.split(':').next().unwrap_or_default();
    let known = ["http", "https", "ftp", "file", "jar", "mailto"];
    scheme.len() < text.len() && known.iter().any(|one| scheme.eq_ignore_ascii_case(one))
}

impl Dummy {
    fn fill(&self, cx: &mut Context) -> SampleResult {
        let text = |template: &Template, cx: &mut Context| template.eval(cx).into_owned();
        let body = text(&self.response, cx).into_bytes();
        let url = text(&self.url, cx);
        let is_http = self.class.eval(cx).ends_with("HTTPSampleResult");
        // Samples of HTTP may have no name; this one has that of its sampler.
        let label = if is_http { cx.sampler_name.clone().into() } else { Text::EMPTY };
        SampleResult {
            label,
            code: text(&self.code, cx).into(),
            message: text(&self.message, cx).into(),
            success: is_true(&self.success.eval(cx)),
            sampler_data: Some(text(&self.request, cx)),
            data_type: DataType::Text,
            bytes: body.len() as u64,
            body_size: body.len() as u64,
            body: body.into(),
            url: is_url(&url).then(|| Text::from(url)),
            http: is_http.then(|| Box::new(HttpDetails::default())),
            ..SampleResult::default()
        }
    }
}

impl Sampler for Dummy {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        let now_ns = swell_net::now_ns();
        let cx = &mut user.cx;
        let time_ns = i64::from(whole(&self.time_ms.eval(cx)).max(0)) * MS;
        let latency_ms = whole(&self.latency_ms.eval(cx));
        let connect_ms = whole(&self.connect_ms.eval(cx));
        let waits = is_true(&self.waits.eval(cx));
        let mut sample = self.fill(cx);
        // Without the wait, the sample ends now (`SampleResult.setStampAndTime`).
        let start_ns = if waits { now_ns } else { now_ns - time_ns };
        sample.timing.start_ns = start_ns;
        sample.timing.end_ns = start_ns + time_ns;
        sample.timing.first_byte_ns = after(start_ns, latency_ms);
        sample.timing.connected_ns = after(start_ns, connect_ms);
        Box::pin(async move {
            // A test that stops wakes all sleepers, but a running sample goes to its end.
            while waits && swell_net::now_ns() < sample.timing.end_ns {
                swell_net::sleep_until(sample.timing.end_ns).await;
            }
            if waits {
                sample.timing.end_ns = swell_net::now_ns();
            }
            Some(Box::new(sample))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_those_that_java_takes() {
        for (text, good) in
            [("http://a/b", true), ("HTTPS:x", true), ("a/b", false), ("http", false), ("x:y", false)]
        {
            assert_eq!(is_url(text), good, "{text}");
        }
    }

    #[test]
    fn what_takes_no_time_did_not_happen() {
        assert_eq!((after(5, 0), after(5, -1), after(5, 2)), (0, 0, 2_000_005));
    }
}
