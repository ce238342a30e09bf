//! `swell jvm install`: installs JMeter's classes, and plug-ins, from Maven Central to the user's
//! cache.
//!
//! Neither the program nor its repository contains a part of JMeter, because its parts have many
//! different licences. `jmeter.tsv` lists the parts with version and digest.

mod artifact;
mod error;
mod fetch;
mod jar;
mod parts;
mod plugins;
mod table;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

pub use artifact::{Artifact, ArtifactError};
pub use error::InstallError;
pub use jar::{Jar, JarError, JarSource};
pub use table::{artifact_of_class, jars_of, project_of_class};

use fetch::Repository;
use parts::{PARTS, parts};

use crate::JMeterHome;

/// Maven Central.
pub const CENTRAL: &str = "https://repo1.maven.org/maven2";

/// The result of an installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// Files that were fetched.
    pub fetched: usize,
    /// Files that were there already.
    pub kept: usize,
}

/// The file that says that a folder is whole.
const MARK: &str = "installed";

/// Puts JMeter into its folder in the cache ([`JMeterHome::installed`]), from a repository like
/// [`CENTRAL`]. Files that are there with the right digest are kept. `progress` receives each file
/// that is fetched.
///
/// # Errors
/// Something cannot be fetched or written.
pub fn install(repository: &str, progress: impl FnMut(&Artifact)) -> Result<Installed, InstallError> {
    install_parts(PARTS, repository, &JMeterHome::installed(), progress)
}

fn install_parts(
    list: &str,
    repository: &str,
    home: &Path,
    mut progress: impl FnMut(&Artifact),
) -> Result<Installed, InstallError> {
    let repository = Repository::new(repository);
    let mut installed = Installed::default();
    for part in parts(list) {
        let is_archive = part.file.ends_with('/');
        // An archive is kept next to its files, so that its digest shows whether they are of this
        // version.
        let file = if is_archive {
            home.join("fetched").join(part.artifact.file_name())
        } else {
            home.join(part.file)
        };
        if fetch::has_digest(&file, part.digest) {
            installed.kept += 1;
        } else {
            progress(&part.artifact);
            repository.fetch(&part.artifact, part.digest, &file)?;
            installed.fetched += 1;
        }
        if is_archive {
            unpack(&file, part.file, home)?;
        }
    }
    let mark = home.join(MARK);
    fs::write(&mark, "").map_err(|e| InstallError::File(mark, e))?;
    Ok(installed)
}

/// Takes the files below a folder out of an archive. Files that are there stay: they may have been
/// changed by hand.
fn unpack(archive: &Path, below: &str, home: &Path) -> Result<(), InstallError> {
    let fault = |error: io::Error| InstallError::File(archive.to_owned(), error);
    let file = File::open(archive).map_err(fault)?;
    let mut zip = zip::ZipArchive::new(file).map_err(|e| fault(e.into()))?;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(|e| fault(e.into()))?;
        // A name that leads out of the folder gives none.
        let Some(name) = entry.enclosed_name().filter(|name| name.starts_with(below)) else { continue };
        let target = home.join(name);
        if entry.is_dir() || target.is_file() {
            continue;
        }
        fetch::write_whole(&target, &mut entry)?;
    }
    Ok(())
}

/// Puts plug-ins and what they need into `lib/ext` and `lib` of the installed JMeter. Apache Ivy
/// finds what they need; it is fetched once. What JMeter has itself is left out.
///
/// # Errors
/// Java is missing, or something cannot be found or written.
pub fn install_plugins(
    repository: &str,
    java: &crate::Java,
    plugins: &[Artifact],
) -> Result<Vec<PathBuf>, InstallError> {
    plugins::install(&Repository::new(repository), java, plugins, &JMeterHome::installed())
}

/// Puts a jar into `lib/ext` of the installed JMeter, and returns its file there.
///
/// # Errors
/// It cannot be read or fetched, is not a jar, has another digest, or has the name of a part of
/// JMeter.
pub fn install_jar(jar: &Jar) -> Result<PathBuf, InstallError> {
    jar::install(jar, &JMeterHome::installed())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// A repository that gives the same body for every request; the thread ends with the test
    /// process.
    fn repository(body: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut head = [0; 4096];
                // One read brings the head of so small a request.
                let _ = stream.read(&mut head);
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(body);
            }
        });
        format!("http://{address}")
    }

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn list(digest: &str) -> String {
        format!("# comment\nlib/a-1.jar\tg.h:a:1\t{digest}\n")
    }

    #[test]
    fn our_list_is_understood() {
        let parts: Vec<_> = parts(PARTS).collect();
        assert!(parts.len() > 80);
        assert!(parts.iter().all(|part| part.digest.len() == 64));
        assert_eq!(parts.iter().filter(|part| part.file == "bin/").count(), 1);
    }

    #[test]
    fn what_is_there_is_not_fetched_again() {
        let home = tempfile::tempdir().expect("a folder");
        let address = repository(b"hello");
        let list = list(HELLO);
        let mut told = Vec::new();
        let first = install_parts(&list, &address, home.path(), |artifact| told.push(artifact.to_string()));
        assert_eq!(first.expect("installed"), Installed { fetched: 1, kept: 0 });
        assert_eq!(told, ["g.h:a:1"]);
        assert_eq!(fs::read(home.path().join("lib/a-1.jar")).expect("a file"), b"hello");
        let second = install_parts(&list, &address, home.path(), |_| ());
        assert_eq!(second.expect("installed"), Installed { fetched: 0, kept: 1 });
    }

    #[test]
    fn a_file_that_was_cut_short_is_fetched_again() {
        let home = tempfile::tempdir().expect("a folder");
        fs::create_dir(home.path().join("lib")).expect("a folder");
        fs::write(home.path().join("lib/a-1.jar"), "hel").expect("a file");
        let installed = install_parts(&list(HELLO), &repository(b"hello"), home.path(), |_| ());
        assert_eq!(installed.expect("installed").fetched, 1);
    }

    #[test]
    fn a_wrong_digest_is_refused_and_leaves_nothing() {
        let home = tempfile::tempdir().expect("a folder");
        let error =
            install_parts(&list(HELLO), &repository(b"hullo"), home.path(), |_| ()).expect_err("refused");
        assert!(matches!(&error, InstallError::Digest(_, wanted, _) if wanted == HELLO), "{error}");
        assert_eq!(fs::read_dir(home.path().join("lib")).expect("a folder").count(), 0);
        assert!(!home.path().join(MARK).exists());
    }

    #[test]
    fn an_archive_gives_only_what_is_below_its_folder() {
        let home = tempfile::tempdir().expect("a folder");
        let archive = home.path().join("a.jar");
        let mut zip = zip::ZipWriter::new(File::create(&archive).expect("a file"));
        for name in ["bin/a.properties", "META-INF/x", "../bin/outside"] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
            zip.write_all(b"x").expect("written");
        }
        zip.finish().expect("an archive");
        unpack(&archive, "bin/", home.path()).expect("unpacked");
        assert!(home.path().join("bin/a.properties").is_file());
        assert!(!home.path().join("META-INF").exists());
        assert!(!home.path().parent().expect("above").join("bin/outside").exists());
    }
}
