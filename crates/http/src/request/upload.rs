//! Files and form parts that a sampler sends (`HTTPSamplerBase.getUseMultipart`).

use std::rc::Rc;

use swell_api::RequestFile;
use swell_expr::Context;

use crate::compile;
use crate::files::FileRef;
use crate::set::{self, ScriptSettings};

/// An evaluated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePart {
    pub(crate) path: Rc<str>,
    /// Name of the parameter.
    pub(crate) name: Rc<str>,
    pub(crate) mime: Rc<str>,
    /// The file, once it was looked up.
    pub(crate) file: Option<FileRef>,
}

/// The sampler's evaluated files and parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Upload {
    pub(super) multipart: bool,
    pub(crate) browser: bool,
    pub(crate) files: Vec<FilePart>,
    /// Content types of the parameters.
    pub(crate) types: Vec<Rc<str>>,
    /// The content type of the body does not name its charset, as JMeter 6.0 leaves it out.
    pub(super) without_charset: bool,
}

/// Evaluates what a sampler says of files and parts.
pub(super) fn evaluate(spec: &compile::Upload, cx: &mut Context) -> Upload {
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
        without_charset: spec.without_charset,
    }
}

/// `HTTPArgument.content_type` of a parameter that says none.
pub(super) const TEXT: &str = "text/plain";

/// The files, and the content type of each of `parameters` parameters, as scripts see them.
pub(super) fn shown(upload: Option<&Upload>, parameters: usize) -> (Vec<RequestFile>, Vec<String>) {
    let file = |file: &FilePart| RequestFile {
        path: file.path.to_string(),
        name: file.name.to_string(),
        content_type: file.mime.to_string(),
    };
    let files = upload.iter().flat_map(|upload| &upload.files).map(file).collect();
    let types = (0..parameters).map(|place| {
        let known: Option<&Rc<str>> = upload.and_then(|upload| upload.types.get(place));
        known.map_or(TEXT, |kind| kind).to_owned()
    });
    (files, types.collect())
}

/// Takes over what a script made of that.
pub(super) fn take_over(upload: &mut Option<Upload>, files: Vec<RequestFile>, types: Vec<Rc<str>>) {
    if upload.is_none() && files.is_empty() {
        return;
    }
    let file = |file: RequestFile| FilePart {
        path: file.path.into(),
        name: file.name.into(),
        mime: file.content_type.into(),
        file: None,
    };
    let upload = upload.get_or_insert_default();
    upload.files = files.into_iter().map(file).collect();
    upload.types = types;
}

/// What is sent in parts, instead of what that was.
pub(super) fn apply_settings(set: &ScriptSettings, upload: &mut Option<Upload>) {
    let multipart = set.flag(set::MULTIPART);
    let browser = set.flag(set::BROWSER);
    if multipart.is_some() || browser.is_some() {
        let upload = upload.get_or_insert_default();
        upload.multipart = multipart.unwrap_or(upload.multipart);
        upload.browser = browser.unwrap_or(upload.browser);
    }
}

impl Upload {
    /// The file that is the body, if there are no parameters.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &[(&str, &str)]) -> ScriptSettings {
        ScriptSettings::new(
            settings.iter().map(|(name, text)| ((*name).into(), (*text).to_owned())).collect(),
        )
    }

    #[test]
    fn a_form_of_parts_is_set_where_there_was_none() {
        let mut upload = None;
        apply_settings(&set(&[(set::KEEP_ALIVE, "true")]), &mut upload);
        assert_eq!(upload, None);
        apply_settings(&set(&[(set::MULTIPART, "True")]), &mut upload);
        assert!(upload.as_ref().is_some_and(Upload::is_multipart));
        apply_settings(&set(&[(set::MULTIPART, "")]), &mut upload);
        assert!(upload.is_some_and(|upload| !upload.is_multipart()));
    }
}
