//! Descriptors from `.proto` files, which a function of the caller reads.

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use protox::file::{ChainFileResolver, DescriptorSetFileResolver, File, FileResolver};
use protox::{Compiler, Error};

use crate::{DescriptorError, Descriptors};

/// Most files of a folder.
const FILES_MAX: usize = 10_000;

/// Reads a whole file.
type Read = dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// `.proto` files and the folders in which their imports are found.
#[derive(Clone)]
pub struct ProtoFiles {
    /// Names by which imports would name them.
    names: Vec<String>,
    roots: Vec<PathBuf>,
    read: Rc<Read>,
}

impl fmt::Debug for ProtoFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtoFiles")
            .field("names", &self.names)
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl ProtoFiles {
    /// All files below a folder, or one file. `includes`: folders in which imports are looked up
    /// first; a file that is not there itself is looked up in them, too. `read`: reads a whole
    /// file.
    ///
    /// # Errors
    /// The folder cannot be read, or has no `.proto` file.
    pub fn find(
        path: &Path,
        includes: &[PathBuf],
        read: impl Fn(&Path) -> io::Result<Vec<u8>> + 'static,
    ) -> Result<Self, DescriptorError> {
        let mut roots = includes.to_vec();
        let mut files = Vec::new();
        if path.is_dir() {
            add_folder(path, &mut files)?;
            if files.is_empty() {
                return Err(DescriptorError::NoFiles(path.to_owned()));
            }
            files.sort();
            roots.push(path.to_owned());
        } else {
            let included = || includes.iter().map(|folder| folder.join(path)).find(|file| file.exists());
            let file = if path.exists() { Some(path.to_owned()) } else { included() };
            let file = file.ok_or_else(|| {
                DescriptorError::File(path.to_owned(), "there is no such file or folder".to_owned())
            })?;
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            roots.push(folder.unwrap_or(Path::new(".")).to_owned());
            files.push(file);
        }
        let names = files.iter().map(|file| name(file, &roots)).collect();
        Ok(Self { names, roots, read: Rc::new(read) })
    }

    /// Reads the files with all that they import.
    ///
    /// # Errors
    /// A file is not valid, or an import is not found.
    pub fn compile(&self) -> Result<Descriptors, DescriptorError> {
        let mut resolver = ChainFileResolver::new();
        resolver.add(Roots { roots: self.roots.clone(), read: self.read.clone() });
        resolver.add(google_files());
        let mut compiler = Compiler::with_file_resolver(resolver);
        for name in &self.names {
            // The form with the place in the file.
            compiler.open_file(name).map_err(|error| DescriptorError::Proto(format!("{error:?}")))?;
        }
        Ok(Descriptors::of_pool(compiler.descriptor_pool()))
    }
}

/// The files below `google/protobuf/` that every compiler of `.proto` files knows. protox's own
/// resolver of them keeps their descriptors as 140 KB of code.
fn google_files() -> DescriptorSetFileResolver {
    let set: &[u8] = include_bytes!("google.binpb");
    DescriptorSetFileResolver::decode(set).expect("a test compares the set with that of protox")
}

/// Endings of sets of descriptors, as `protoc --descriptor_set_out` and `buf build` write them.
const SET_ENDINGS: [&str; 4] = [".bin", ".pb", ".protoset", ".binpb"];

impl Descriptors {
    /// Reads a set of descriptors, which the ending tells, or as [`ProtoFiles::find`] does.
    ///
    /// # Errors
    /// As [`Descriptors::of_set`], [`ProtoFiles::find`] and [`ProtoFiles::compile`].
    pub fn read(
        path: &Path,
        includes: &[PathBuf],
        read: impl Fn(&Path) -> io::Result<Vec<u8>> + 'static,
    ) -> Result<Self, DescriptorError> {
        let name = path.to_string_lossy();
        if SET_ENDINGS.iter().any(|end| name.ends_with(end)) {
            let failed = |error: io::Error| DescriptorError::File(path.to_owned(), error.to_string());
            return Self::of_set(&read(path).map_err(failed)?);
        }
        ProtoFiles::find(path, includes, read)?.compile()
    }
}

/// Compiles one file.
pub(crate) fn compile_source(name: &str, text: &str) -> Result<Descriptors, DescriptorError> {
    let (only, text) = (PathBuf::from(name), text.to_owned());
    let read = move |path: &Path| {
        if path == only { Ok(text.clone().into_bytes()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    ProtoFiles { names: vec![name.to_owned()], roots: vec![PathBuf::new()], read: Rc::new(read) }.compile()
}

/// The name of a file in the first folder that it is in.
fn name(file: &Path, roots: &[PathBuf]) -> String {
    let inner = roots.iter().find_map(|root| {
        let root = if root == Path::new(".") { Path::new("") } else { root };
        file.strip_prefix(root).ok().filter(|inner| inner.is_relative())
    });
    let parts = inner.unwrap_or(file).components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Adds the `.proto` files below a folder; links to folders are not followed.
fn add_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), DescriptorError> {
    let failed = |error: io::Error| DescriptorError::File(folder.to_owned(), error.to_string());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|end| end == "proto") {
                files.push(entry.path());
            }
            if files.len() + folders.len() > FILES_MAX {
                let why = format!("it has more than {FILES_MAX} files and folders");
                return Err(DescriptorError::File(folder, why));
            }
        }
    }
    Ok(())
}

/// Looks files up in folders, one after the other.
struct Roots {
    roots: Vec<PathBuf>,
    read: Rc<Read>,
}

impl FileResolver for Roots {
    fn open_file(&self, name: &str) -> Result<File, Error> {
        let path = Path::new(name);
        // An import names no file outside of the folders.
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(Error::file_not_found(name));
        }
        for root in &self.roots {
            let path = root.join(path);
            let bytes = match (self.read)(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                read => {
                    read.map_err(|error| Error::new(format!("cannot read `{}`: {error}", path.display())))?
                }
            };
            let text = String::from_utf8(bytes)
                .map_err(|_| Error::new(format!("`{}` is not UTF-8", path.display())))?;
            return File::from_source(name, &text);
        }
        Err(Error::file_not_found(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        folder
    }

    fn compile(path: &Path, includes: &[PathBuf]) -> Result<Descriptors, String> {
        let found = ProtoFiles::find(path, includes, |path| std::fs::read(path));
        found.and_then(|found| found.compile()).map_err(|error| error.to_string())
    }

    /// On a failure, the set that protox has is written to the folder of temporary files.
    #[test]
    fn the_google_files_are_those_of_protox() {
        use prost_reflect::prost::Message as _;
        use protox::file::GoogleFileResolver;

        let names = [
            "any",
            "api",
            "compiler/plugin",
            "descriptor",
            "duration",
            "empty",
            "field_mask",
            "source_context",
            "struct",
            "timestamp",
            "type",
            "wrappers",
        ];
        let all = GoogleFileResolver::new();
        let files = names.map(|name| {
            let file = all.open_file(&format!("google/protobuf/{name}.proto")).expect("it is known");
            file.file_descriptor_proto().clone()
        });
        let set = prost_reflect::prost_types::FileDescriptorSet { file: files.to_vec() }.encode_to_vec();
        let kept: &[u8] = include_bytes!("google.binpb");
        if kept != set {
            let written = std::env::temp_dir().join("google.binpb");
            std::fs::write(&written, set).expect("written");
            panic!("crates/grpc/src/google.binpb is not that of protox, which is in {}", written.display());
        }
    }

    const SERVICE: &str = "syntax = 'proto3'; package a; import 'types/b.proto'; \
        import 'google/protobuf/empty.proto'; \
        service S { rpc M(b.Text) returns (google.protobuf.Empty); }";
    const TYPES: &str = "syntax = 'proto3'; package b; message Text { string text = 1; }";

    #[test]
    fn imports_are_found_in_folders_and_in_the_compiler() {
        let all = folder(&[("a.proto", SERVICE), ("types/b.proto", TYPES), ("read.me", "")]);
        let services = compile(all.path(), &[]).map(|found| found.services());
        assert_eq!(services, Ok(vec!["a.S".to_owned()]));
        let one = compile(&all.path().join("a.proto"), &[]).expect("valid");
        let method = one.method("a.S/M").expect("there");
        assert_eq!(method.path(), "/a.S/M");
        let library = folder(&[("types/b.proto", TYPES)]);
        let alone = folder(&[("a.proto", SERVICE)]);
        let includes = [library.path().to_owned()];
        assert!(compile(&alone.path().join("a.proto"), &includes).is_ok());
        assert!(compile(Path::new("types/b.proto"), &includes).is_ok(), "below an include folder");
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let table = [
            ("a.proto", SERVICE, "a.proto:1:31: import 'types/b.proto' not found"),
            ("a.proto", "syntax = 'proto3'; message M { Foo f = 1; }", "name 'Foo' is not defined"),
            ("a.proto", "message M { int32 = 1; }", "a.proto:1:"),
            ("a.proto", "import 'a.proto';", "import cycle detected: a.proto -> a.proto"),
            ("a.proto", "import '../b.proto';", "a.proto:1:8: "),
        ];
        for (name, text, wanted) in table {
            let folder = folder(&[(name, text)]);
            let error = compile(folder.path(), &[]).map(|_| ()).expect_err(wanted);
            assert!(error.contains(wanted), "{error}");
        }
        let empty = folder(&[]);
        let error = compile(empty.path(), &[]).map(|_| ()).expect_err("no file");
        assert!(error.starts_with("no .proto file in"), "{error}");
        let missing = empty.path().join("x.proto");
        let error = compile(&missing, &[]).map(|_| ()).expect_err("no file");
        assert!(error.ends_with("there is no such file or folder"), "{error}");
    }

    #[test]
    fn a_service_that_is_not_there_is_said_with_those_that_are() {
        let all = folder(&[("a.proto", SERVICE), ("types/b.proto", TYPES)]);
        let found = compile(all.path(), &[]).expect("valid");
        let said = |name: &str| found.method(name).map(|_| ()).expect_err("unknown").to_string();
        assert_eq!(said("a.T/M"), "unknown service `a.T`; there is a.S");
        assert_eq!(said("a.S/N"), "service `a.S` has no method `N`; it has M");
    }
}
