//! The properties of the sampler.

use swell_api::{CompileContext, SamplerInput};
use swell_expr::{Context, Template};

use super::failure::NoCall;
use crate::is_true;

/// The properties of a sampler.
pub(super) struct Settings {
    host: Template,
    port: Template,
    method: Template,
    proto_folder: Template,
    lib_folder: Template,
    reflection: Template,
    tls: Template,
    trusts_all: Template,
    compression: Template,
    message_bytes_max: Template,
    metadata_bytes_max: Template,
    messages_max: Template,
    pub(super) json: Template,
    pub(super) metadata: Template,
    deadline: Template,
    strict_json: Template,
    described: Template,
}

/// Where descriptors come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// `.proto` files or a descriptor set, and folders of imports, separated by commas.
    Files { path: String, includes: String },
    /// The server.
    Reflection,
}

/// What a user evaluates once, as the plug-in does.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property by itself")]
pub(super) struct Config {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) is_secure: bool,
    /// The server's certificate is verified.
    pub(super) verifies: bool,
    /// `package.Service/Method`.
    pub(super) method: String,
    pub(super) source: Source,
    /// Messages are sent compressed.
    pub(super) is_packed: bool,
    pub(super) message_bytes_max: usize,
    pub(super) metadata_bytes_max: u32,
    /// The call ends after that number of messages; 0: when the server ends it.
    pub(super) messages_max: u64,
    /// Fields of the JSON that the message lacks, and texts for numbers and the reverse, are errors.
    pub(super) is_strict: bool,
    /// The message of a failed call has the description of its status.
    pub(super) is_described: bool,
}

impl Settings {
    pub(super) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let text = |name: &str, default: &str| {
            compile.template(&input.sampler.element, &format!("GRPCSampler.{name}"), default)
        };
        Self {
            host: text("host", ""),
            port: text("port", ""),
            method: text("fullMethod", ""),
            proto_folder: text("protoFolder", ""),
            lib_folder: text("libFolder", ""),
            reflection: text("reflection", "false"),
            tls: text("tls", "false"),
            trusts_all: text("tlsDisableVerification", "false"),
            compression: text("compression", ""),
            message_bytes_max: text("maxInboundMessageSize", "4194304"),
            metadata_bytes_max: text("maxInboundMetadataSize", "8192"),
            messages_max: text("maxMessages", "0"),
            json: text("requestJson", ""),
            metadata: text("metadata", ""),
            deadline: text("deadline", ""),
            strict_json: text("strictJson", "false"),
            described: text("describeFailures", "false"),
        }
    }

    /// Where descriptors come from, if no variable decides.
    pub(super) fn constant_source(&self) -> Option<Source> {
        let is_reflected = is_true(self.reflection.constant()?);
        let (path, includes) = (self.proto_folder.constant()?, self.lib_folder.constant()?);
        Some(source(is_reflected, path, includes))
    }

    /// The name of the method, if no variable decides.
    pub(super) fn constant_method(&self) -> Option<&str> {
        self.method.constant()
    }

    /// The values now, or what of them is invalid.
    pub(super) fn config(&self, cx: &mut Context) -> Result<Config, NoCall> {
        let host = self.host.eval(cx).trim().to_owned();
        if host.is_empty() {
            return Err(NoCall("GRPCSampler.host is empty".to_owned()));
        }
        let port_text = self.port.eval(cx).trim().to_owned();
        let port = port_text.parse::<u16>().ok().filter(|port| *port > 0);
        let port = port.ok_or_else(|| {
            NoCall(format!("invalid GRPCSampler.port `{port_text}`: expected a number from 1 to 65535"))
        })?;
        let is_reflected = is_true(&self.reflection.eval(cx));
        let path = self.proto_folder.eval(cx).trim().to_owned();
        let includes = self.lib_folder.eval(cx).trim().to_owned();
        let compression = self.compression.eval(cx).trim().to_ascii_lowercase();
        let is_packed = match &*compression {
            "" | "identity" => false,
            "gzip" => true,
            other => {
                let why = format!("invalid GRPCSampler.compression `{other}`: expected gzip or identity");
                return Err(NoCall(why));
            }
        };
        Ok(Config {
            host,
            port,
            is_secure: is_true(&self.tls.eval(cx)),
            verifies: !is_true(&self.trusts_all.eval(cx)),
            method: self.method.eval(cx).trim().to_owned(),
            source: source(is_reflected, &path, &includes),
            is_packed,
            message_bytes_max: number(&self.message_bytes_max, "maxInboundMessageSize", cx)?,
            metadata_bytes_max: number(&self.metadata_bytes_max, "maxInboundMetadataSize", cx)?,
            messages_max: number(&self.messages_max, "maxMessages", cx)?,
            is_strict: is_true(&self.strict_json.eval(cx)),
            is_described: is_true(&self.described.eval(cx)),
        })
    }

    /// The time of a call in nanoseconds; none: it has no limit.
    pub(super) fn deadline_ns(&self, cx: &mut Context) -> Result<Option<i64>, NoCall> {
        let text = self.deadline.eval(cx).trim().to_owned();
        if text.is_empty() {
            return Ok(None);
        }
        let ms: i64 = text.parse().map_err(|_| {
            NoCall(format!("Caught exception while parsing deadline to long: `{text}` is not a number"))
        })?;
        Ok((ms > 0).then(|| ms.saturating_mul(1_000_000)))
    }
}

fn source(is_reflected: bool, path: &str, includes: &str) -> Source {
    if is_reflected {
        return Source::Reflection;
    }
    Source::Files { path: path.trim().to_owned(), includes: includes.trim().to_owned() }
}

fn number<T: std::str::FromStr>(template: &Template, name: &str, cx: &mut Context) -> Result<T, NoCall> {
    let text = template.eval(cx).trim().to_owned();
    text.parse().map_err(|_| NoCall(format!("invalid GRPCSampler.{name} `{text}`: expected a number")))
}
