//! Bodies with files.

use std::io;

use swell_connect::Stream;

use crate::failure::Failure;
use crate::request::Request;

/// Sends a request up to the end of its last file, without its first `from` bytes, which are sent.
/// How many bytes that were, and the bytes that are left to send.
///
/// # Errors
/// The connection breaks, or a file can no longer be read ([`read_files`]).
pub(crate) async fn send_with_files<'b>(
    stream: &mut Stream,
    request: &Request,
    bytes: &'b [u8],
    mut from: usize,
) -> io::Result<(u64, &'b [u8])> {
    let mut sent = 0;
    let head = request.head_len(bytes);
    stream.set_deadline(None);
    for (at, file) in &*request.files {
        let content = file.content().map_err(|_| io::Error::other("a file can no longer be read"))?;
        for piece in [&bytes[from..head + at], content] {
            stream.send_all(piece).await?;
            sent += piece.len() as u64;
        }
        from = head + at;
    }
    Ok((sent, &bytes[from..]))
}

/// Reads the files of a request, so that nothing is sent where one cannot be read.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn read_files(request: &Request) -> Result<(), Failure> {
    request.files.iter().try_for_each(|(_, file)| file.content().map(drop))
}
