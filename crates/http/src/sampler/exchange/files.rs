//! Bodies with files.

use swell_connect::Stream;

use crate::failure::Failure;
use crate::request::Request;

/// Sends a request up to the end of its last file. How many bytes that were, and the bytes that are left to send.
///
/// # Errors
/// A file cannot be read, and then nothing is sent; or the connection breaks.
pub(crate) async fn send_with_files<'b>(
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
