//! `__FileToString(file, charset, variable)` and `__StringToFile(file, text, append, charset)`
//! (JMeter's `FileToString` and `StringToFile`).

use std::path::Path;

use crate::arguments::{Args, Target};
use crate::charset::Charset;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

const UTF_8: Charset = Charset::Web(encoding_rs::UTF_8);

struct FileToString {
    file: Template,
    charset: Option<Template>,
    target: Target,
}

/// `__FileToString(file, charset, variable)`: the whole file, `**ERR**` where it cannot be read.
pub(crate) fn read(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let file = args.required();
    let charset = args.optional();
    Box::new(FileToString { file, charset, target: args.target(scope) })
}

impl Function for FileToString {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        let file = self.file.text(cx);
        let name = self.charset.as_ref().map(|name| trim(&name.text(cx)).to_owned()).unwrap_or_default();
        match cx.read_shared(Path::new(&*file)) {
            // The charset of a file that cannot be read is never looked up.
            Ok(bytes) => add_text(bytes, named_charset(&name).ok_or_else(|| no_charset(name))?, out),
            Err(reason) => {
                cx.host.log(Level::Warn, &format!("Could not read file: {} {reason}", &*file));
                out.push_str("**ERR**");
            }
        }
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

/// Adds the text of a file. Where that is all of `out`, the bytes of a large file are not copied.
fn add_text(bytes: Vec<u8>, charset: Charset, out: &mut String) {
    let is_utf_8 = matches!(charset, Charset::Web(encoding) if encoding == encoding_rs::UTF_8);
    if !(is_utf_8 && out.is_empty()) {
        return out.push_str(&charset.decode(&bytes));
    }
    match String::from_utf8(bytes) {
        Ok(text) => *out = text,
        Err(error) => out.push_str(&charset.decode(error.as_bytes())),
    }
}

/// `Charset.forName`: a name may hold letters, digits and some signs, and starts with one of the
/// former.
fn no_charset(name: String) -> CallFailure {
    let is_legal = |(at, c): (usize, char)| c.is_ascii_alphanumeric() || at > 0 && "-+.:_".contains(c);
    if name.chars().enumerate().all(is_legal) {
        return CallFailure::thrown("java.nio.charset.UnsupportedCharsetException", name);
    }
    CallFailure::thrown("java.nio.charset.IllegalCharsetNameException", name)
}

/// No name is UTF-8.
fn named_charset(name: &str) -> Option<Charset> {
    if name.is_empty() { Some(UTF_8) } else { Charset::of(name) }
}

fn charset(template: Option<&Template>, cx: &mut Context) -> Result<Charset, String> {
    let name = template.map(|template| template.text(cx));
    let name = name.as_deref().map(trim).unwrap_or_default();
    named_charset(name).ok_or_else(|| format!("unknown charset `{name}`"))
}

struct StringToFile {
    file: Template,
    text: Template,
    append: Option<Template>,
    charset: Option<Template>,
}

/// `__StringToFile(file, text, append, charset)`: `true`, or `false` where the file cannot be
/// written; what goes wrong on the disk later is only logged. Appends unless told otherwise; `\n`
/// in the text is a line end.
pub(crate) fn write(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let file = args.required();
    let text = args.required();
    Box::new(StringToFile { file, text, append: args.optional(), charset: args.optional() })
}

impl Function for StringToFile {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        match self.write(cx) {
            Ok(written) => out.push_str(if written { "true" } else { "false" }),
            Err(reason) => {
                cx.log(Level::Error, &format!("__StringToFile: {reason}"));
                out.push_str("false");
            }
        }
        Ok(())
    }
}

impl StringToFile {
    /// Whether it could be handed to the writer of the file.
    fn write(&self, cx: &mut Context) -> Result<bool, String> {
        let file = self.file.file_name(cx).trim();
        let text = self.text.text(cx);
        let append = match self.append.as_ref().map(|append| append.text(cx)) {
            Some(word) if !trim(&word).is_empty() => trim(&word).eq_ignore_ascii_case("true"),
            _ => true,
        };
        let charset = charset(self.charset.as_ref(), cx)?;
        if cx.thrown.is_some() {
            return Ok(true);
        }
        if file.text().is_empty() {
            return Err("the file name is empty".to_owned());
        }
        let content = charset.encode(&text.replace(r"\n", "\n"));
        Ok(cx.write_file(&file, content, append, |name, reason| {
            (Level::Error, format!("__StringToFile: {name} cannot be written to: {reason}"))
        }))
    }
}
