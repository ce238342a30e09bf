//! Debug Sampler (`DebugSampler`).

use std::fmt::Write;

use swell_elements::{DataType, SampleResult};
use swell_expr::Context;
use swell_plan::Element;

use crate::program::AtHand;
use crate::{Sampler, SamplerFuture, User};

pub(super) struct Debug {
    variables: bool,
    properties: bool,
    system: bool,
}

impl Debug {
    pub(super) fn compile(element: &Element, _at_hand: &AtHand<'_>) -> Self {
        Self {
            variables: element.flag("displayJMeterVariables", true),
            properties: element.flag("displayJMeterProperties", false),
            system: element.flag("displaySystemProperties", false),
        }
    }

    fn run(&self, cx: &Context) -> SampleResult {
        let mut sample = SampleResult {
            success: true,
            data_type: DataType::Text,
            encoding: "UTF-8".into(),
            ..SampleResult::default()
        };
        sample.timing.start_ns = swell_net::now_ns();
        sample.code = "200".into();
        sample.message = "OK".into();
        let mut text = String::new();
        if self.variables {
            sample.sampler_data.push_str("JMeterVariables\n");
            section(&mut text, "JMeterVariables", cx.vars.entries());
        }
        if self.properties {
            sample.sampler_data.push_str("JMeterProperties\n");
            section(&mut text, "JMeterProperties", cx.props.entries());
        }
        if self.system {
            sample.sampler_data.push_str("SystemProperties\n");
            section(&mut text, "SystemProperties", Vec::<(&str, &str)>::new());
        }
        sample.bytes = text.len() as u64;
        sample.body_size = sample.bytes;
        sample.body = text.into_bytes();
        sample.timing.end_ns = swell_net::now_ns();
        sample
    }
}

fn section(text: &mut String, title: &str, entries: Vec<(impl AsRef<str>, impl AsRef<str>)>) {
    text.push_str(title);
    text.push_str(":\n");
    for (name, value) in entries {
        writeln!(text, "{}={}", name.as_ref(), value.as_ref()).expect("a string takes all");
    }
    text.push('\n');
}

impl Sampler for Debug {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(std::future::ready(Some(Box::new(self.run(&user.cx)))))
    }
}
