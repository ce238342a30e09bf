//! JSR223 and BeanShell samplers.

use std::rc::Rc;

use swell_api::{CompileContext, DataType, SampleResult, Sampler, SamplerFuture, User};
use swell_expr::{ElementKind, FieldValue, ScriptEnd};
use swell_plan::Node;

use super::sample_bindings::Samples;
use super::source::Source;

struct ScriptSampler(Source);

/// The sampler of an element; none if its script is not understood.
pub(crate) fn sampler(node: &Node, kind: ElementKind, compile: &CompileContext) -> Option<Rc<dyn Sampler>> {
    let source = Source::compile(&node.element, kind, compile)?;
    Some(Rc::new(ScriptSampler(source)))
}

impl Sampler for ScriptSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(std::future::ready(Some(self.take(user))))
    }
}

impl ScriptSampler {
    fn take(&self, user: &mut User) -> Box<SampleResult> {
        let is_renamed = user.request.is_renamed(user.package);
        let cx = &mut user.cx;
        let source = &self.0;
        // A pre-processor may have given it another name.
        let name = if is_renamed { cx.sampler_name.to_string() } else { source.name(cx) };
        let mut sample = SampleResult::boxed();
        sample.label = name.clone().into();
        if source.is_jsr223() {
            // A BeanShell Sampler says these only when its script has run.
            sample.success = true;
            sample.code = "200".into();
            sample.message = "OK".into();
        }
        sample.data_type = DataType::Text;
        sample.sampler_data = Some(source.text().to_string());
        sample.timing.start_ns = swell_net::now_ns();
        let own = if source.is_jsr223() { Vec::new() } else { given() };
        let mut stage = Samples { own: Some(&mut sample), result: None };
        let ended = source.run_as(name, own, cx, &mut stage);
        match ended {
            Ok(ended) if source.is_jsr223() => show(&mut sample, &ended, true),
            Ok(ended) => conclude(&mut sample, &ended),
            Err(exception) => {
                source.log(&exception, cx);
                sample.success = false;
                sample.code = "500".into();
                sample.message = exception.into();
            }
        }
        sample.timing.end_ns = swell_net::now_ns();
        sample.body_size = sample.body.len() as u64;
        sample.bytes = sample.body_size;
        sample
    }
}

/// The script's value is the response, but where it made one itself.
fn show(sample: &mut SampleResult, ended: &ScriptEnd, only_if_empty: bool) {
    if let Some(value) = ended.value.as_ref().filter(|_| !only_if_empty || sample.body.is_empty()) {
        sample.body = value.clone().into();
        sample.encoding = "UTF-8".into();
    }
}

/// The variables of a BeanShell Sampler.
fn given() -> Vec<FieldValue> {
    vec![FieldValue::Text("200".into()), FieldValue::Text("OK".into()), FieldValue::Flag(true)]
}

/// What a BeanShell Sampler says by its variables.
fn conclude(sample: &mut SampleResult, ended: &ScriptEnd) {
    show(sample, ended, false);
    let variable = |place: usize| ended.given.get(place).cloned().flatten().unwrap_or_default();
    sample.code = variable(3).into();
    sample.message = variable(4).into();
    sample.success = variable(5).eq_ignore_ascii_case("true");
}
