//! The sampler that is going to run, as scripts see it (`swell.jvm.Requests` on the Java side).

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

/// A sampler: what JMeter's object of that class is made from, and what a script left of it.
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
    /// Its headers, all header managers merged.
    pub headers: Vec<(&'a str, &'a str)>,
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
        write_pairs(out, &self.headers);
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, JvmFault> {
        Ok(Self {
            class: reader.string()?,
            name: reader.string()?,
            properties: reader.list(read_pair)?,
            arguments: reader.list(read_argument)?,
            headers: reader.list(read_pair)?,
        })
    }
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

fn read_argument<'a>(reader: &mut Reader<'a>) -> Result<Argument<'a>, JvmFault> {
    let (name, value) = read_pair(reader)?;
    let flags = reader.u8()?;
    let content_type = reader.string()?;
    Ok(Argument { name, value, encode: flags & 1 != 0, use_equals: flags & 2 != 0, content_type })
}
