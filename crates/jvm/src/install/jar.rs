//! Single jars that are in no repository: from a file, or from a URL with a digest.

use std::fmt;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::error::InstallError;
use super::fetch::{self, LARGEST, Repository};
use super::parts::{PARTS, Part, parts};

/// The source of a jar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JarSource {
    /// A file.
    File(PathBuf),
    /// An address of HTTP or HTTPS.
    Address(String),
}

/// A jar to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jar {
    /// Where it comes from.
    pub source: JarSource,
    /// Its SHA-256 in small hexadecimal digits; an address needs one.
    pub digest: Option<String>,
}

/// A text that does not name a jar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JarError(String);

impl fmt::Display for JarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a jar: use a file or URL that ends with .jar, such as ./my.jar or https://example.com/my-1.0.jar",
            self.0
        )
    }
}

impl std::error::Error for JarError {}

impl JarSource {
    /// Whether a text is meant as a jar, and not as an artifact of a repository.
    pub fn is_meant(text: &str) -> bool {
        is_address(text) || text.contains('/') || has_jar_name(text)
    }

    /// The name of its file.
    fn file_name(&self) -> &str {
        match self {
            Self::File(path) => path.file_name().and_then(|name| name.to_str()).unwrap_or_default(),
            Self::Address(address) => name_in(address),
        }
    }
}

impl FromStr for JarSource {
    type Err = JarError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let source =
            if is_address(text) { Self::Address(text.to_owned()) } else { Self::File(PathBuf::from(text)) };
        let name = source.file_name();
        // The name becomes a file among JMeter's jars.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        let is_fit = has_jar_name(name) && !name.starts_with('.') && name.chars().all(is_plain);
        if is_fit { Ok(source) } else { Err(JarError(text.to_owned())) }
    }
}

impl fmt::Display for JarSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn has_jar_name(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"))
}

/// The last part of an address' path.
fn name_in(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map_or("", |(_, path)| path.rsplit('/').next().unwrap_or_default())
}

/// Puts a jar into `lib/ext` of a JMeter.
pub(super) fn install(jar: &Jar, home: &Path) -> Result<PathBuf, InstallError> {
    let refused = |reason: String| InstallError::Jar(jar.source.to_string(), reason);
    let name = jar.source.file_name();
    let is_part = |part: Part<'_>| part.file.rsplit('/').next() == Some(name);
    if parts(PARTS).any(is_part) {
        return Err(refused(format!("JMeter has its own jar `{name}`, which is not replaced")));
    }
    if jar.digest.is_none() && matches!(jar.source, JarSource::Address(_)) {
        return Err(refused("a URL needs the SHA-256 digest of its jar: add `--sha256 DIGEST`".to_owned()));
    }
    let bytes = match &jar.source {
        JarSource::File(path) => read(path).map_err(|error| refused(error.to_string()))?,
        JarSource::Address(address) => Repository::new("").fetch_address(address)?,
    };
    let found = fetch::digest_of(&bytes);
    if let Some(wanted) = jar.digest.as_ref().filter(|wanted| **wanted != found) {
        return Err(refused(format!("its SHA-256 is {found}, expected {wanted}")));
    }
    if let Err(reason) = classes_in(&bytes) {
        return Err(refused(reason));
    }
    let file = home.join("lib/ext").join(name);
    fetch::write_whole(&file, &mut bytes.as_slice())?;
    Ok(file)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)? as u64;
    if length > LARGEST {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}

/// Whether these bytes are an archive with anything in it.
fn classes_in(bytes: &[u8]) -> Result<(), String> {
    match zip::ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) if !archive.is_empty() => Ok(()),
        Ok(_) => Err("it is an empty archive".to_owned()),
        Err(error) => Err(format!("it is not a jar: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;

    use super::*;

    fn archive() -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("a/B.class", zip::write::SimpleFileOptions::default()).expect("an entry");
        zip.write_all(b"x").expect("written");
        zip.finish().expect("an archive").into_inner()
    }

    /// A server that gives the same body for each request; the thread ends with the test process.
    fn server(body: Vec<u8>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                // One read brings the head of so small a request.
                let _ = stream.read(&mut [0; 4096]);
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(&body);
            }
        });
        format!("http://{address}/releases/my-1.0.jar?download=1")
    }

    fn jar(source: &str, digest: Option<&str>) -> Jar {
        Jar { source: source.parse().expect("a jar"), digest: digest.map(str::to_owned) }
    }

    #[test]
    fn jars_are_told_from_artifacts() {
        for (text, is_meant) in [
            ("kg.apc:jmeter-plugins-dummy:0.4", false),
            ("./my.jar", true),
            ("my.jar", true),
            ("https://example.com/my.jar", true),
        ] {
            assert_eq!(JarSource::is_meant(text), is_meant, "{text}");
        }
        for bad in
            ["./my.zip", "https://example.com/", "https://my.jar", "http://h/a b.jar", "d/.jar", "x/.a.jar"]
        {
            assert!(bad.parse::<JarSource>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_jar_of_an_address_is_installed_where_its_digest_is_right() {
        let home = tempfile::tempdir().expect("a folder");
        let address = server(archive());
        let right = fetch::digest_of(&archive());
        let file = install(&jar(&address, Some(&right)), home.path()).expect("installed");
        assert_eq!(file, home.path().join("lib/ext/my-1.0.jar"));
        assert_eq!(std::fs::read(&file).expect("a file"), archive());
        let wrong = right.replace(|c: char| c.is_ascii_digit(), "0");
        let empty = tempfile::tempdir().expect("a folder");
        let error = install(&jar(&address, Some(&wrong)), empty.path()).expect_err("refused").to_string();
        assert!(error.contains(&right) && error.contains(&wrong), "{error}");
        let error = install(&jar(&address, None), empty.path()).expect_err("refused").to_string();
        assert!(error.contains("--sha256"), "{error}");
        assert!(!empty.path().join("lib").exists());
    }

    #[test]
    fn a_file_needs_no_digest_and_must_be_a_jar() {
        let home = tempfile::tempdir().expect("a folder");
        let file = |name: &str, bytes: &[u8]| {
            let file = home.path().join(name);
            std::fs::write(&file, bytes).expect("written");
            file.display().to_string()
        };
        let fine = file("own.jar", &archive());
        assert!(install(&jar(&fine, None), home.path()).expect("installed").is_file());
        let refused =
            |source: &str| install(&jar(source, None), home.path()).expect_err("refused").to_string();
        let error = refused(&file("page.jar", b"<html>not found</html>"));
        assert!(error.contains("page.jar") && error.contains("it is not a jar"), "{error}");
        let error = refused(&home.path().join("no.jar").display().to_string());
        assert!(error.contains("No such file"), "{error}");
        let error = refused(&file("ApacheJMeter_core.jar", &archive()));
        assert!(error.contains("is not replaced"), "{error}");
    }
}
