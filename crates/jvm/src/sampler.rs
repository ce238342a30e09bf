//! The next sampler, as scripts see it (`swell.jvm.Requests` on the Java side).

use crate::JvmFault;
use crate::message::{Reader, Write};

/// An argument of an HTTP request (`HTTPArgument`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Argument<'a> {
    /// Name.
    pub name: &'a str,
    /// Value.
    pub value: &'a str,
    /// It is percent-encoded when sent.
    pub encode: bool,
    /// There is an equals sign even if the value is empty.
    pub use_equals: bool,
    /// Content type of its part of a multipart body.
    pub content_type: &'a str,
}

/// A file that it sends (`HTTPFileArg`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct File<'a> {
    /// Path.
    pub path: &'a str,
    /// Name of the parameter.
    pub name: &'a str,
    /// Content type.
    pub content_type: &'a str,
}

/// A cookie of its Cookie Manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cookie<'a> {
    /// Name.
    pub name: &'a str,
    /// Value.
    pub value: &'a str,
    /// Domain.
    pub domain: &'a str,
    /// Path.
    pub path: &'a str,
    /// It is sent by HTTPS alone.
    pub secure: bool,
    /// Its domain was said.
    pub domain_given: bool,
    /// Its path was said.
    pub path_given: bool,
}

/// The text before the headers of a manager that a script created.
const OTHER_HEADERS: u8 = 2;

/// A sampler: the data for JMeter's object of that class, or a script's changes to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampler<'a> {
    /// JMeter's class, as `org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy`.
    pub class: &'a str,
    /// Name of the element.
    pub name: &'a str,
    /// Plain properties by JMeter's names (`HTTPSampler.path`), as text.
    pub properties: Vec<(&'a str, &'a str)>,
    /// Arguments of an HTTP request.
    pub arguments: Vec<Argument<'a>>,
    /// Its files.
    pub files: Vec<File<'a>>,
    /// Its headers, all header managers merged; none if it has none.
    pub headers: Option<Vec<(&'a str, &'a str)>>,
    /// A script gave it another header manager.
    pub has_other_headers: bool,
    /// The cookies of its Cookie Manager; none if it has no manager.
    pub cookies: Option<Vec<Cookie<'a>>>,
}

impl<'a> Sampler<'a> {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.string(self.class);
        out.string(self.name);
        write_pairs(out, &self.properties);
        out.count(self.arguments.len());
        for argument in &self.arguments {
            out.string(argument.name);
            out.string(argument.value);
            out.u8(u8::from(argument.encode) | u8::from(argument.use_equals) << 1);
            out.string(argument.content_type);
        }
        out.count(self.files.len());
        for file in &self.files {
            for text in [file.path, file.name, file.content_type] {
                out.string(text);
            }
        }
        out.u8(u8::from(self.headers.is_some()));
        if let Some(headers) = &self.headers {
            write_pairs(out, headers);
        }
        out.u8(u8::from(self.cookies.is_some()));
        if let Some(cookies) = &self.cookies {
            out.count(cookies.len());
            for cookie in cookies {
                write_cookie(out, cookie);
            }
        }
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, JvmFault> {
        let (class, name) = read_pair(reader)?;
        let properties = reader.list(read_pair)?;
        let arguments = reader.list(read_argument)?;
        let files = reader.list(read_file)?;
        let has_headers = reader.u8()?;
        let headers = if has_headers == 0 { None } else { Some(reader.list(read_pair)?) };
        Ok(Self {
            class,
            name,
            properties,
            arguments,
            files,
            headers,
            has_other_headers: has_headers == OTHER_HEADERS,
            cookies: if reader.u8()? == 0 { None } else { Some(reader.list(read_cookie)?) },
        })
    }
}

fn write_cookie(out: &mut Vec<u8>, cookie: &Cookie<'_>) {
    for text in [cookie.name, cookie.value, cookie.domain, cookie.path] {
        out.string(text);
    }
    let flags = [cookie.path_given, cookie.domain_given, cookie.secure];
    out.u8(flags.iter().fold(0, |bits, flag| bits << 1 | u8::from(*flag)));
}

fn read_cookie<'a>(reader: &mut Reader<'a>) -> Result<Cookie<'a>, JvmFault> {
    let (name, value) = read_pair(reader)?;
    let (domain, path) = read_pair(reader)?;
    let flags = reader.u8()?;
    let [secure, domain_given, path_given] = [1, 2, 4].map(|bit| flags & bit != 0);
    Ok(Cookie { name, value, domain, path, secure, domain_given, path_given })
}

fn write_pairs(out: &mut Vec<u8>, pairs: &[(&str, &str)]) {
    out.count(pairs.len());
    for (name, value) in pairs {
        out.string(name);
        out.string(value);
    }
}

fn read_pair<'a>(reader: &mut Reader<'a>) -> Result<(&'a str, &'a str), JvmFault> {
    Ok((reader.string()?, reader.string()?))
}

fn read_file<'a>(reader: &mut Reader<'a>) -> Result<File<'a>, JvmFault> {
    let (path, name) = read_pair(reader)?;
    Ok(File { path, name, content_type: reader.string()? })
}

fn read_argument<'a>(reader: &mut Reader<'a>) -> Result<Argument<'a>, JvmFault> {
    let (name, value) = read_pair(reader)?;
    let flags = reader.u8()?;
    let content_type = reader.string()?;
    Ok(Argument { name, value, encode: flags & 1 != 0, use_equals: flags & 2 != 0, content_type })
}
