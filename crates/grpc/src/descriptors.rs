//! What is known of services, methods and messages.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use prost_reflect::DescriptorPool;

use crate::Method;

/// Services, methods and messages of some files.
#[derive(Clone, Debug)]
pub struct Descriptors(DescriptorPool);

/// Why a method is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DescriptorError {
    /// A file or folder cannot be read: why.
    File(PathBuf, String),
    /// A folder has no file that ends with `.proto`.
    NoFiles(PathBuf),
    /// A `.proto` file is not valid: its place and what is wrong.
    Proto(String),
    /// A descriptor set is not valid.
    Set(String),
    /// The server's reflection gives no descriptors: why.
    Reflection(String),
    /// A text is not `package.Service/Method`.
    Name(String),
    /// There is no such service.
    Service {
        /// The one that was wanted.
        wanted: String,
        /// Those that are there.
        known: Vec<String>,
    },
    /// The service has no such method.
    Method {
        /// The one that was wanted.
        wanted: String,
        /// The service.
        service: String,
        /// Its methods.
        known: Vec<String>,
    },
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, why) => write!(f, "cannot read `{}`: {why}", path.display()),
            Self::NoFiles(path) => write!(f, "no .proto file in `{}`", path.display()),
            Self::Proto(why) => f.write_str(why),
            Self::Set(why) => write!(f, "invalid descriptor set: {why}"),
            Self::Reflection(why) => write!(f, "server reflection: {why}"),
            Self::Name(text) => write!(f, "invalid method `{text}`: expected package.Service/Method"),
            Self::Service { wanted, known } => {
                write!(f, "unknown service `{wanted}`; there is {}", list(known))
            }
            Self::Method { wanted, service, known } => {
                write!(f, "service `{service}` has no method `{wanted}`; it has {}", list(known))
            }
        }
    }
}

impl Error for DescriptorError {}

fn list(known: &[String]) -> String {
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

impl Descriptors {
    /// Reads a descriptor set (`FileDescriptorSet`), as `protoc --include_imports
    /// --descriptor_set_out` writes it.
    ///
    /// # Errors
    /// It is not valid, or lacks files that others import.
    pub fn of_set(bytes: &[u8]) -> Result<Self, DescriptorError> {
        let pool = DescriptorPool::decode(bytes);
        pool.map(Self).map_err(|error| DescriptorError::Set(format!("{error:?}")))
    }

    pub(crate) fn of_pool(pool: DescriptorPool) -> Self {
        Self(pool)
    }

    /// Compiles one `.proto` file that imports none but those of `google/protobuf`. `name`: what it
    /// is called.
    ///
    /// # Errors
    /// It is not valid.
    pub fn of_source(name: &str, text: &str) -> Result<Self, DescriptorError> {
        crate::files::compile_source(name, text)
    }

    /// The file of that name, as an encoded `FileDescriptorProto`.
    pub fn file(&self, name: &str) -> Option<Vec<u8>> {
        self.0.get_file_by_name(name).map(|file| file.encode_to_vec())
    }

    /// The full names of all services.
    pub fn services(&self) -> Vec<String> {
        self.0.services().map(|service| service.full_name().to_owned()).collect()
    }

    /// Finds a method by its full name, `package.Service/Method` or `package.Service.Method`.
    ///
    /// # Errors
    /// The text has another form, or there is no such service or method.
    pub fn method(&self, full_name: &str) -> Result<Method, DescriptorError> {
        let (service, method) = split_name(full_name)?;
        let Some(found) = self.0.get_service_by_name(service) else {
            return Err(DescriptorError::Service { wanted: service.to_owned(), known: self.services() });
        };
        let method_found = found.methods().find(|known| known.name() == method);
        method_found.map(Method::new).ok_or_else(|| DescriptorError::Method {
            wanted: method.to_owned(),
            service: service.to_owned(),
            known: found.methods().map(|known| known.name().to_owned()).collect(),
        })
    }
}

/// The full name of a service, and the name of a method.
pub(crate) fn split_name(full_name: &str) -> Result<(&str, &str), DescriptorError> {
    let name = full_name.trim().trim_start_matches('/');
    let parts = name.split_once('/').or_else(|| name.rsplit_once('.'));
    parts
        .filter(|(service, method)| !service.is_empty() && !method.is_empty() && !method.contains('/'))
        .ok_or_else(|| DescriptorError::Name(full_name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_two_parts() {
        for text in ["a.B/C", "/a.B/C", "a.B.C", " a.B/C "] {
            assert_eq!(split_name(text), Ok(("a.B", "C")), "{text}");
        }
        for text in ["", "a", "a/", "/C", "a/b/c", "."] {
            assert_eq!(split_name(text), Err(DescriptorError::Name(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_set_that_is_not_valid_is_refused() {
        assert!(matches!(Descriptors::of_set(b"\xff\xff"), Err(DescriptorError::Set(_))));
        let nothing = Descriptors::of_set(b"").expect("a set without files");
        let wanted = DescriptorError::Service { wanted: "a.B".to_owned(), known: Vec::new() };
        assert_eq!(nothing.method("a.B/C").map(|_| ()), Err(wanted));
    }
}
