//! OS Process Sampler (`org.apache.jmeter.protocol.system.SystemSampler`): runs a local program.

mod environment;
mod run;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{
    Bodies, CompileContext, DataType, Merged, SampleResult, Sampler, SamplerFuture, SamplerInput, User,
};
use swell_expr::{Context, Host, Template};
use swell_plan::Element;

use crate::{is_true, whole};
use run::{ProcessEnd, Program};

/// GUI classes of config elements that fill its gaps (`SystemSampler.applies`).
const APPLIABLE: [&str; 1] = ["SimpleConfigGui"];

struct Process {
    command: Template,
    directory: Template,
    arguments: Vec<Template>,
    environment: Vec<(Template, Template)>,
    check_code: Template,
    expected_code: Template,
    stdin: Template,
    stdout: Template,
    stderr: Template,
    timeout_ms: Template,
    bodies: Arc<Bodies>,
    host: Arc<dyn Host>,
}

pub(crate) fn make(input: &SamplerInput<'_>, compile: &CompileContext) -> Rc<dyn Sampler> {
    let merged = Merged::new(input, &APPLIABLE);
    let text = |name: &str| merged.template(&format!("SystemSampler.{name}"), "", compile);
    let members = |name: &str| merged.members(name, "Arguments.arguments");
    let part = |element: &Element, name: &str| compile.template(element, name, "");
    let arguments = members("SystemSampler.arguments").into_iter();
    let environment = members("SystemSampler.environment").into_iter();
    Rc::new(Process {
        command: text("command"),
        directory: text("directory"),
        arguments: arguments.map(|one| part(one, "Argument.value")).collect(),
        environment: environment
            .map(|one| (part(one, "Argument.name"), part(one, "Argument.value")))
            .collect(),
        check_code: text("checkReturnCode"),
        expected_code: text("expectedReturnCode"),
        stdin: text("stdin"),
        stdout: text("stdout"),
        stderr: text("stderr"),
        timeout_ms: text("timeout"),
        bodies: compile.bodies(),
        host: compile.host.clone(),
    })
}

impl Process {
    fn program(&self, cx: &mut Context) -> Program {
        let text = |template: &Template, cx: &mut Context| template.eval(cx).into_owned();
        let file = |template: &Template, cx: &mut Context| {
            let path = template.eval(cx);
            (!path.trim().is_empty()).then(|| PathBuf::from(&*path))
        };
        let output = |template: &Template, cx: &mut Context| {
            Some(template.file_name(cx)).filter(|name| !name.text().trim().is_empty())
        };
        let directory = text(&self.directory, cx);
        let here = || std::env::current_dir().unwrap_or_default();
        Program {
            command: text(&self.command, cx),
            arguments: self.arguments.iter().map(|one| text(one, cx)).collect(),
            environment: self
                .environment
                .iter()
                .map(|(name, value)| (text(name, cx), text(value, cx)))
                .collect(),
            directory: if directory.is_empty() { here() } else { directory.into() },
            stdin: file(&self.stdin, cx),
            stdout: output(&self.stdout, cx),
            stderr: output(&self.stderr, cx),
            timeout_ms: text(&self.timeout_ms, cx).parse().unwrap_or(0),
            bodies: self.bodies.clone(),
            host: self.host.clone(),
        }
    }

    /// What is shown of a program as what was sent.
    fn about(program: &Program) -> String {
        let environment = environment::in_order_of_hashes(&program.environment).into_iter();
        let environment: Vec<_> = environment.map(|(name, value)| format!("{name}={value}")).collect();
        let line = program.arguments.iter().fold(program.command.clone(), |line, one| line + " " + one);
        format!(
            "Working Directory: {}\nEnvironment: {{{}}}\nExecuting: {line}",
            absolute(&program.directory).display(),
            environment.join(", ")
        )
    }
}

/// `File.getAbsolutePath`: nothing is looked up.
fn absolute(path: &Path) -> PathBuf {
    std::env::current_dir().unwrap_or_default().join(path)
}

impl Sampler for Process {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            let program = self.program(&mut user.cx);
            let mut sample = SampleResult {
                data_type: DataType::Text,
                sampler_data: Some(Self::about(&program)),
                ..SampleResult::default()
            };
            sample.timing.start_ns = swell_net::now_ns();
            let result = run::run(program).await;
            sample.timing.end_ns = result.end_ns;
            sample.timing.read_ns = swell_net::now_ns();
            match result.ended {
                ProcessEnd::Code(code) => {
                    let check = is_true(&self.check_code.eval(&mut user.cx));
                    let expected = whole(&self.expected_code.eval(&mut user.cx));
                    sample.code = code.to_string().into();
                    sample.success = !check || code == expected;
                    sample.message = if sample.success {
                        "OK".into()
                    } else {
                        format!("Unexpected return code.  Expected [{expected}]. Actual [{code}].").into()
                    };
                }
                ProcessEnd::Failed(message) => {
                    sample.code = "500".into();
                    sample.message = message.into();
                }
            }
            let cut = result.output.count - result.output.bytes.len() as u64;
            sample.body = result.output.into_body();
            sample.body_size = sample.body.len() as u64 + cut;
            sample.bytes = sample.body_size;
            Some(Box::new(sample))
        })
    }
}
