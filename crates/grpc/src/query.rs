//! The questions of a client to the reflection of a server.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::FileDescriptorProto;

use crate::descriptors::split_name;
use crate::reflection::{Answer, Request, Response, Wanted};
use crate::{Code, DescriptorError, Descriptors};

/// Most bytes of descriptors that a server may give.
const BYTES_MAX: usize = 64 << 20;

/// Asks a server for the descriptors of a method: the file with its service, and all files that
/// this imports.
#[derive(Clone, Debug)]
pub struct ReflectionQuery {
    service: String,
    is_begun: bool,
    files: BTreeMap<String, FileDescriptorProto>,
    missing: BTreeSet<String>,
    bytes: usize,
}

impl ReflectionQuery {
    /// A query for the method with that full name.
    ///
    /// # Errors
    /// The text has another form.
    pub fn new(full_name: &str) -> Result<Self, DescriptorError> {
        let (service, _) = split_name(full_name)?;
        Ok(Self {
            service: service.to_owned(),
            is_begun: false,
            files: BTreeMap::new(),
            missing: BTreeSet::new(),
            bytes: 0,
        })
    }

    /// The next question as a message; none once all is known. [`ReflectionQuery::take`] wants its
    /// answer before the next one.
    pub fn question(&mut self) -> Option<Vec<u8>> {
        let wanted = if self.is_begun {
            Wanted::FileByFilename(self.missing.first()?.clone())
        } else {
            self.is_begun = true;
            Wanted::FileContainingSymbol(self.service.clone())
        };
        Some(Request { host: String::new(), wanted: Some(wanted) }.encode_to_vec())
    }

    /// Takes the answer to the last question.
    ///
    /// # Errors
    /// The server does not know what it was asked for, or the answer is not valid.
    pub fn take(&mut self, message: &[u8]) -> Result<(), DescriptorError> {
        let invalid = |why: String| DescriptorError::Reflection(why);
        let response =
            Response::decode(message).map_err(|error| invalid(format!("invalid answer: {error}")))?;
        let files = match response.answer {
            Some(Answer::Files(files)) => files.file_descriptor_proto,
            Some(Answer::Error(failed)) => {
                let code = u32::try_from(failed.error_code).ok().and_then(Code::of_number);
                let name = code.map_or("", Code::name);
                return Err(invalid(format!("{} {name}: {}", failed.error_code, failed.error_message)));
            }
            _ => return Err(invalid("the answer has no files".to_owned())),
        };
        let asked = self.missing.first().cloned();
        for bytes in files {
            self.bytes += bytes.len();
            if self.bytes > BYTES_MAX {
                return Err(invalid(format!("more than {BYTES_MAX} bytes of descriptors")));
            }
            let file = FileDescriptorProto::decode(&*bytes);
            let file = file.map_err(|error| invalid(format!("invalid file descriptor: {error}")))?;
            self.files.entry(file.name().to_owned()).or_insert(file);
        }
        if let Some(asked) = asked.filter(|asked| !self.files.contains_key(asked)) {
            return Err(invalid(format!("the answer lacks the file `{asked}`")));
        }
        let imports = self.files.values().flat_map(|file| &file.dependency);
        self.missing = imports.filter(|name| !self.files.contains_key(*name)).cloned().collect();
        Ok(())
    }

    /// The descriptors, once [`ReflectionQuery::question`] has no more questions.
    ///
    /// # Errors
    /// The files do not fit together.
    pub fn finish(self) -> Result<Descriptors, DescriptorError> {
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_protos(self.files.into_values())
            .map_err(|error| DescriptorError::Reflection(format!("{error:?}")))?;
        Ok(Descriptors::of_pool(pool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflection::{self, Failed, Files, KnownFile, Service, Services};

    fn file(name: &str, imports: &[&str]) -> Vec<u8> {
        let file = FileDescriptorProto {
            name: Some(name.to_owned()),
            dependency: imports.iter().map(|&name| name.to_owned()).collect(),
            ..FileDescriptorProto::default()
        };
        file.encode_to_vec()
    }

    fn answer(answer: Answer) -> Vec<u8> {
        Response { answer: Some(answer), ..Response::default() }.encode_to_vec()
    }

    fn files(files: &[Vec<u8>]) -> Vec<u8> {
        answer(Answer::Files(Files { file_descriptor_proto: files.to_vec() }))
    }

    fn asked(query: &mut ReflectionQuery) -> Option<Wanted> {
        Request::decode(&*query.question()?).expect("a request").wanted
    }

    #[test]
    fn imports_are_asked_for_until_all_are_there() {
        let mut query = ReflectionQuery::new("a.S/M").expect("valid");
        assert_eq!(asked(&mut query), Some(Wanted::FileContainingSymbol("a.S".to_owned())));
        query.take(&files(&[file("a", &["b", "c"]), file("c", &[])])).expect("valid");
        assert_eq!(asked(&mut query), Some(Wanted::FileByFilename("b".to_owned())));
        query.take(&files(&[file("b", &["c"])])).expect("valid");
        assert_eq!(asked(&mut query), None);
        let wanted = DescriptorError::Service { wanted: "a.S".to_owned(), known: Vec::new() };
        assert_eq!(query.finish().and_then(|found| found.method("a.S/M")).map(|_| ()), Err(wanted));
    }

    #[test]
    fn a_server_answers_what_a_client_asks() {
        let file = FileDescriptorProto {
            name: Some("a.proto".to_owned()),
            package: Some("a".to_owned()),
            syntax: Some("proto3".to_owned()),
            ..FileDescriptorProto::default()
        };
        let descriptor = Vec::leak(file.encode_to_vec());
        let known = [KnownFile { name: "a.proto", services: &["a.S"], package: "a", descriptor }];
        let mut query = ReflectionQuery::new("a.S/M").expect("valid");
        while let Some(question) = query.question() {
            query.take(&reflection::answer(&known, &question)).expect("an answer");
        }
        assert_eq!(query.files["a.proto"], file);
        let mut query = ReflectionQuery::new("ab.T/M").expect("valid");
        let question = query.question().expect("a question");
        let error = query.take(&reflection::answer(&known, &question)).expect_err("unknown");
        assert_eq!(error.to_string(), "server reflection: 5 NOT_FOUND: there is no `ab.T`");
        let list = Request { wanted: Some(Wanted::ListServices(String::new())), ..Request::default() };
        let response = Response::decode(&*reflection::answer(&known, &list.encode_to_vec())).expect("valid");
        let service = vec![Service { name: "a.S".to_owned() }];
        assert_eq!(response.answer, Some(Answer::Services(Services { service })));
    }

    #[test]
    fn an_answer_without_the_file_ends_the_query() {
        let mut query = ReflectionQuery::new("a.S/M").expect("valid");
        query.question();
        query.take(&files(&[file("a", &["b"])])).expect("valid");
        query.question();
        let error = query.take(&files(&[file("z", &[])])).expect_err("not the one that was asked for");
        assert_eq!(error.to_string(), "server reflection: the answer lacks the file `b`");
        let failed = Failed { error_code: 5, error_message: "Symbol not found".to_owned() };
        let error = query.take(&answer(Answer::Error(failed))).expect_err("an error");
        assert_eq!(error.to_string(), "server reflection: 5 NOT_FOUND: Symbol not found");
        assert!(query.take(b"\xff").is_err() && query.take(b"").is_err());
    }
}
