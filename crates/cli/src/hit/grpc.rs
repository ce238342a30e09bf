//! `swell hit grpc://HOST:PORT/package.Service/Method`: each user calls a method again and again.

use std::path::PathBuf;

use serde_json::{Map, Value};
use swell_grpc::{Descriptors, Metadata};
use swell_import::elements::literal;
use swell_plan::Element;

use super::only_http::OtherProtocol;
use super::text_file::read_text;
use super::urls::{Address, GRPC, rest_of};
use crate::args::HitArgs;
use crate::exit::Failure;

/// Longest time of a call where none is given, in milliseconds.
const DEFAULT_DEADLINE_MS: u128 = 30_000;

/// The method to call.
pub(super) struct Grpc {
    is_secure: bool,
    address: Address,
    /// `package.Service/Method`.
    method: String,
    json: String,
    /// A JSON object.
    metadata: String,
    is_packed: bool,
}

/// Whether a URL is one of gRPC.
pub(super) fn is_grpc(url: &str) -> bool {
    rest_of(url, GRPC).is_some()
}

impl Grpc {
    /// The method that the command line names; none if its URLs are others.
    ///
    /// # Errors
    /// It has options that gRPC has no use for; the method is not known, or the data do not fit it.
    pub(super) fn of(args: &HitArgs) -> Result<Option<Self>, Failure> {
        let Some((is_secure, rest)) = args.urls.first().and_then(|url| rest_of(url, GRPC)) else {
            let given = [(args.request.proto.is_some(), "--proto"), (args.request.reflect, "--reflect")];
            return match given.iter().find(|(is_given, _)| *is_given) {
                Some((_, option)) => Err(Failure::settings(format!("{option} is for gRPC"))
                    .hint("the URL of a method is grpc://localhost:8080/package.Service/Method")),
                None => Ok(None),
            };
        };
        let unused = &[(args.request.send.is_some(), "--send"), (args.one.version.http1, "--http1.1")];
        OtherProtocol {
            tests: "gRPC method",
            name: "gRPC",
            example: "swell hit grpc://localhost:8080/package.Service/Method",
            sends: "--data JSON is what is sent, -H 'name: value' is metadata",
            unused,
        }
        .check(args)?;
        let scheme = if is_secure { "https" } else { "http" };
        let address = Address::parse(&format!("{scheme}://{rest}"))?;
        if !has_port(rest) {
            return Err(Failure::settings(format!("the port is missing in `{}`", args.urls[0]))
                .hint("write it as in grpc://localhost:50051/package.Service/Method"));
        }
        let method = address.path().trim_start_matches('/').to_owned();
        let (metadata, is_packed) = metadata(args)?;
        let json = data(args)?;
        check_method(args, &method, &json)?;
        let escape = |text: String| if args.request.functions { text } else { literal(&text) };
        let (json, metadata) = (escape(json), escape(metadata));
        Ok(Some(Self { is_secure, address, method, json, metadata, is_packed }))
    }

    /// The sampler that calls the method.
    pub(super) fn sampler(&self, args: &HitArgs) -> Element {
        let request = &args.request;
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let proto = request.proto.as_ref().map(path).unwrap_or_default();
        let includes: Vec<String> = request.import_paths.iter().map(path).collect();
        let deadline_ms = request.timeout.map_or(DEFAULT_DEADLINE_MS, |time| time.as_millis());
        let verifies = args.reach.verify || args.reach.cacert.is_some();
        let port = self.address.url.port_or_known_default().unwrap_or_default();
        let name = literal(&self.method);
        Element::new("vn.zalopay.benchmark.GRPCSampler", "vn.zalopay.benchmark.GRPCSamplerGui", &name)
            .with_text("GRPCSampler.host", self.address.url.host_str().unwrap_or_default())
            .with_text("GRPCSampler.port", &port.to_string())
            .with_text("GRPCSampler.fullMethod", &name)
            .with_text("GRPCSampler.protoFolder", &literal(&proto))
            .with_text("GRPCSampler.libFolder", &literal(&includes.join(",")))
            .with_flag("GRPCSampler.reflection", request.proto.is_none())
            .with_text("GRPCSampler.requestJson", &self.json)
            .with_text("GRPCSampler.metadata", &self.metadata)
            .with_text("GRPCSampler.deadline", &deadline_ms.to_string())
            .with_text("GRPCSampler.compression", if self.is_packed { "gzip" } else { "" })
            .with_flag("GRPCSampler.strictJson", true)
            .with_flag("GRPCSampler.describeFailures", true)
            .with_flag("GRPCSampler.tls", self.is_secure)
            .with_flag("GRPCSampler.tlsDisableVerification", !verifies)
    }
}

fn has_port(rest: &str) -> bool {
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host_end = authority.rfind(']').map_or(0, |at| at + 1);
    authority[host_end..].contains(':')
}

/// The metadata of `-H` as a JSON object, and whether messages are compressed.
fn metadata(args: &HitArgs) -> Result<(String, bool), Failure> {
    let mut fields = Map::new();
    let mut is_packed = false;
    for line in &args.request.headers {
        let Some((name, value)) = line.split_once(':') else {
            return Err(Failure::settings(format!("invalid metadata `{line}`: expected `name: value`")));
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        if name == "grpc-encoding" && matches!(value, "gzip" | "identity") {
            is_packed = value == "gzip";
            continue;
        }
        if !args.request.functions {
            let checked = Metadata::default().put(&name, value);
            checked.map_err(|error| Failure::settings(error.to_string()))?;
        }
        fields.insert(name, Value::String(value.to_owned()));
    }
    let text = if fields.is_empty() { String::new() } else { Value::Object(fields).to_string() };
    Ok((text, is_packed))
}

/// The JSON of `--data`, or of the file that it names.
fn data(args: &HitArgs) -> Result<String, Failure> {
    let Some(given) = &args.request.body else { return Ok(String::new()) };
    let Some(file) = given.strip_prefix('@') else { return Ok(given.clone()) };
    read_text(file.as_ref())
        .map_err(|error| Failure::settings(format!("cannot read the data from `{file}`: {error}")))
}

/// What files say of the method is checked before anything is sent; reflection is not asked here.
fn check_method(args: &HitArgs, name: &str, json: &str) -> Result<(), Failure> {
    let Some(path) = &args.request.proto else {
        return match name.split_once('/') {
            Some((service, method)) if !service.is_empty() && !method.is_empty() => Ok(()),
            _ => Err(Failure::settings(format!("invalid method `{name}`: expected package.Service/Method"))
                .hint("write it as in grpc://localhost:50051/package.Service/Method")),
        };
    };
    let wrong = |error: swell_grpc::DescriptorError| Failure::settings(format!("--proto: {error}"));
    let known = Descriptors::read(path, &args.request.import_paths, |path| std::fs::read(path));
    let method = known.and_then(|known| known.method(name)).map_err(wrong)?;
    if args.request.functions {
        return Ok(());
    }
    let checked = method.requests(json, true);
    checked.map(drop).map_err(|error| {
        let hint = if method.is_client_streaming() {
            "several messages are a JSON array, or one document after the other"
        } else {
            "--data '{\"name\":\"value\"}' has the fields of the message"
        };
        Failure::settings(format!("--data: {error}")).hint(hint)
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn args(line: &[&str]) -> HitArgs {
        let cli = crate::args::Cli::try_parse_from(["swell", "hit"].iter().chain(line)).expect("valid");
        let crate::args::Command::Hit(args) = cli.command else { panic!("hit is meant") };
        *args
    }

    fn refused(line: &[&str]) -> String {
        match Grpc::of(&args(line)) {
            Err(failure) => failure.message,
            Ok(_) => panic!("{line:?} is not refused"),
        }
    }

    #[test]
    fn a_command_line_becomes_a_sampler() {
        let line = [
            "grpcs://[::1]:9/a.S/M",
            "--data",
            "{\"a\":\"${x}\"}",
            "-H",
            "X-Key: 1",
            "-H",
            "grpc-encoding: gzip",
        ];
        let args = args(&line);
        let sampler = Grpc::of(&args).expect("valid").expect("gRPC").sampler(&args);
        let text = |name: &str| sampler.text_or_empty(&format!("GRPCSampler.{name}")).to_owned();
        assert_eq!([text("host"), text("port"), text("fullMethod")], ["[::1]", "9", "a.S/M"]);
        assert_eq!([text("metadata"), text("compression")], ["{\"x-key\":\"1\"}", "gzip"]);
        assert_eq!([text("tls"), text("reflection"), text("deadline")], ["true", "true", "30000"]);
        assert_eq!(text("requestJson"), literal("{\"a\":\"${x}\"}"));
    }

    #[test]
    fn what_is_wrong_is_said_before_anything_is_sent() {
        let proto = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/proto");
        let unary = ["grpc://h:1/swell.Echo/Unary", "--proto", proto, "--data"];
        for (line, wanted) in [
            (&["grpc://h/a.S/M"][..], "the port is missing in `grpc://h/a.S/M`"),
            (&["grpc://h:1/"], "invalid method ``: expected package.Service/Method"),
            (&["grpc://h:1/a.S/M", "-X", "GET"], "-X has no effect on gRPC"),
            (&["grpc://h:1/a.S/M", "-H", "te: x"], "invalid metadata key `te`"),
            (&["http://h:1/", "--proto", proto], "--proto is for gRPC"),
            (&["grpc://h:1/a.S/M", "--proto", proto], "--proto: unknown service `a.S`; there is swell.Echo"),
            (
                &[unary[0], unary[1], unary[2], unary[3], "{\"text\":1}"],
                "--data: field `text`: expected string, got number 1",
            ),
            (
                &[unary[0], unary[1], unary[2], unary[3], "{\"txt\":\"\"}"],
                "--data: field `txt`: expected a field of message",
            ),
        ] {
            let message = refused(line);
            assert!(message.starts_with(wanted), "{line:?}: {message}");
        }
    }
}
