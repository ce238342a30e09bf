//! Files on their way into requests.

use std::path::Path;
use std::rc::Rc;

use swell_api::RequestChange;
use swell_connect::Stream;
use swell_expr::Context;

use crate::failure::Failure;
use crate::request::{Request, texts};

use super::{HttpSampler, Made};

impl HttpSampler {
    /// As [`HttpSampler::made`], for a sampler with files, and for one that pre-processors have changed.
    pub(super) async fn made_aside(&self, cx: &mut Context, changes: &[Box<dyn RequestChange>]) -> Rc<Made> {
        let mut texts = texts(&self.spec, cx);
        for change in changes {
            let mut shown = texts.shown();
            change.apply(&mut shown, cx);
            texts.take_over(shown);
        }
        for part in texts.upload.iter_mut().flat_map(|upload| &mut upload.files) {
            part.file =
                Some(self.files.get(self.host.find(Path::new(&*part.path)), self.host.file_limits()).await);
        }
        if changes.is_empty() {
            return self.made_of(&mut self.made.borrow_mut(), cx.props.version(), texts);
        }
        // What a settled sampler made last stands for all its samples.
        Made::of(&self.spec, cx.props.version(), texts)
    }
}

/// Sends a request up to the end of its last file. How many bytes that were, and the bytes that are left to send.
///
/// # Errors
/// A file cannot be read, and then nothing is sent; or the connection breaks.
pub(super) async fn send_with_files<'b>(
    stream: &mut Stream,
    request: &Request,
    bytes: &'b [u8],
) -> Result<(u64, &'b [u8]), Failure> {
    let (mut sent, mut from, head) = (0, 0, request.head_len(bytes));
    for (_, file) in &*request.files {
        file.content()?;
    }
    stream.set_deadline(None);
    for (at, file) in &*request.files {
        for piece in [&bytes[from..head + at], file.content()?] {
            stream.send_all(piece).await.map_err(|error| Failure::exchange(&error))?;
            sent += piece.len() as u64;
        }
        from = head + at;
    }
    Ok((sent, &bytes[from..]))
}
