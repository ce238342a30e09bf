//! Server reflection (`grpc/reflection/v1/reflection.proto`; v1alpha has the same messages): the
//! messages of both ends, and the answers of a server.

use prost::Message;

use crate::Code;

/// The paths of the method of both versions, the newer one first.
pub const PATHS: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// A question (`ServerReflectionRequest`).
#[derive(Clone, PartialEq, Message)]
pub struct Request {
    /// The host; servers ignore it.
    #[prost(string, tag = "1")]
    pub host: String,
    /// What is wanted.
    #[prost(oneof = "Wanted", tags = "3, 4, 7")]
    pub wanted: Option<Wanted>,
}

/// What a question is about.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Wanted {
    /// The file of that name.
    #[prost(string, tag = "3")]
    FileByFilename(String),
    /// The file with that symbol.
    #[prost(string, tag = "4")]
    FileContainingSymbol(String),
    /// The names of all services.
    #[prost(string, tag = "7")]
    ListServices(String),
}

/// An answer (`ServerReflectionResponse`).
#[derive(Clone, PartialEq, Message)]
pub struct Response {
    /// The host of the question.
    #[prost(string, tag = "1")]
    pub valid_host: String,
    /// The question.
    #[prost(message, optional, tag = "2")]
    pub original_request: Option<Request>,
    /// The answer.
    #[prost(oneof = "Answer", tags = "4, 6, 7")]
    pub answer: Option<Answer>,
}

/// What an answer says.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Answer {
    /// Files.
    #[prost(message, tag = "4")]
    Files(Files),
    /// Services.
    #[prost(message, tag = "6")]
    Services(Services),
    /// There is no answer.
    #[prost(message, tag = "7")]
    Error(Failed),
}

/// Descriptors of files, each a `FileDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub struct Files {
    /// A file each.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub file_descriptor_proto: Vec<Vec<u8>>,
}

/// Names of services.
#[derive(Clone, PartialEq, Message)]
pub struct Services {
    /// A service each.
    #[prost(message, repeated, tag = "1")]
    pub service: Vec<Service>,
}

/// A service.
#[derive(Clone, PartialEq, Message)]
pub struct Service {
    /// Its full name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Message)]
pub struct Failed {
    /// A status code of gRPC.
    #[prost(int32, tag = "1")]
    pub error_code: i32,
    /// What is wrong.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// A file that a server knows.
#[derive(Clone, Copy, Debug)]
pub struct KnownFile {
    /// Its name.
    pub name: &'static str,
    /// The full names of its services.
    pub services: &'static [&'static str],
    /// The package of its symbols.
    pub package: &'static str,
    /// Its descriptor, an encoded `FileDescriptorProto`.
    pub descriptor: &'static [u8],
}

/// The answer of a server that knows these files to a question, as messages.
#[must_use]
pub fn answer(known: &[KnownFile], question: &[u8]) -> Vec<u8> {
    let question = Request::decode(question).unwrap_or_default();
    let failed = |code: Code, text: String| {
        Answer::Error(Failed { error_code: i32::from(code.number()), error_message: text })
    };
    let file = |found: Option<&KnownFile>, name: &str| match found {
        Some(file) => Answer::Files(Files { file_descriptor_proto: vec![file.descriptor.to_vec()] }),
        None => failed(Code::NotFound, format!("there is no `{name}`")),
    };
    let has = |file: &&KnownFile, symbol: &str| {
        let inner = symbol.strip_prefix(file.package);
        inner.is_some_and(|inner| inner.starts_with('.'))
    };
    let answer = match &question.wanted {
        Some(Wanted::FileByFilename(name)) => file(known.iter().find(|file| file.name == name), name),
        Some(Wanted::FileContainingSymbol(name)) => file(known.iter().find(|file| has(file, name)), name),
        Some(Wanted::ListServices(_)) => {
            let names = known.iter().flat_map(|file| file.services);
            let service = names.map(|name| Service { name: (*name).to_owned() }).collect();
            Answer::Services(Services { service })
        }
        None => failed(Code::Unimplemented, "the question is not known here".to_owned()),
    };
    let valid_host = question.host.clone();
    Response { valid_host, original_request: Some(question), answer: Some(answer) }.encode_to_vec()
}
