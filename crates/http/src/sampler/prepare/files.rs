//! Requests that are made of files, and requests that pre-processors change.

use std::path::Path;
use std::rc::Rc;

use swell_api::RequestChange;
use swell_expr::Context;

use crate::request::texts;
use crate::sampler::{CachedRequest, HttpSampler};

impl HttpSampler {
    /// As [`HttpSampler::made`], for a sampler with files, and for one that pre-processors have
    /// changed.
    pub(crate) async fn request_off_loop(
        &self,
        cx: &mut Context,
        changes: &[Rc<dyn RequestChange>],
    ) -> Rc<CachedRequest> {
        let mut texts = texts(&self.spec, cx);
        for change in changes {
            let mut shown = texts.shown();
            change.apply(&mut shown, cx);
            texts.take_over(shown);
        }
        for part in texts.upload.iter_mut().flat_map(|upload| &mut upload.files) {
            let path = Path::new(&*part.path);
            let allowed = self.host.may_use(path);
            part.file = Some(self.files.get(self.host.find(path), allowed, self.host.file_limits()).await);
        }
        if changes.is_empty() {
            return self.request_of_texts(&mut self.last_request.borrow_mut(), cx.props.version(), texts);
        }
        // The last value of a settled sampler is valid for all its samples.
        CachedRequest::of(&self.spec, cx.props.version(), texts, None)
    }
}
