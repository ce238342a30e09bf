//! Files and the parts of a form that a sampler sends (`HTTPSamplerBase.getUseMultipart`).

use std::rc::Rc;

use swell_expr::Context;

use crate::compile;
use crate::files::FileRef;

/// A file, evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePart {
    pub(crate) path: Rc<str>,
    /// Name of the parameter.
    pub(crate) name: Rc<str>,
    pub(crate) mime: Rc<str>,
    /// The file, once it was looked up.
    pub(crate) file: Option<FileRef>,
}

/// What a sampler says of files and parts, evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Upload {
    multipart: bool,
    pub(crate) browser: bool,
    pub(crate) files: Vec<FilePart>,
    /// Content types of the parameters.
    pub(crate) types: Vec<Rc<str>>,
}

/// Evaluates what a sampler says of files and parts.
pub(super) fn upload(spec: &compile::Upload, cx: &mut Context) -> Upload {
    let files = spec.files.iter().map(|file| FilePart {
        path: file.path.eval_value(cx),
        name: file.name.eval_value(cx),
        mime: file.mime.eval_value(cx),
        file: None,
    });
    let files = files.collect();
    Upload {
        multipart: spec.multipart.get(cx),
        browser: spec.browser.get(cx),
        files,
        types: spec.types.iter().map(|text| text.eval_value(cx)).collect(),
    }
}

impl Upload {
    /// The file that is the body, where there are no parameters.
    pub(super) fn body(&self) -> Option<&FilePart> {
        match self.files.as_slice() {
            [file] if !file.path.is_empty() && file.name.is_empty() => Some(file),
            _ => None,
        }
    }

    /// The body is a form of parts.
    pub(super) fn is_multipart(&self) -> bool {
        let all = !self.files.is_empty() && self.files.iter().all(|file| !file.path.is_empty());
        self.multipart || all && self.body().is_none()
    }

    /// `Content-Type` that the first file gives to a body without parts.
    pub(super) fn mime(&self) -> Option<Rc<str>> {
        self.files.first().map(|file| file.mime.clone()).filter(|mime| !mime.is_empty())
    }
}
