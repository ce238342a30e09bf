//! Asks a server for the descriptors of a method.

use swell_connect::Session;
use swell_grpc::{Code, Descriptors, ReflectionQuery, Status, reflection, write_message};
use swell_http2::Fields;
use swell_http2::client::{Request, Scheme};

use super::call::{CallError, CallInput, Keeps, Received, call};
use super::failure::{NoCall, of_session};
use super::request::CallHead;

/// Bytes of the longest answer.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Where questions go.
pub(super) struct Server<'a> {
    pub(super) scheme: Scheme,
    pub(super) authority: &'a [u8],
    /// Fields of the questions: metadata may have credentials.
    pub(super) fields: &'a Fields,
    pub(super) ends_at_ns: i64,
}

/// Asks for all that the method needs, by the newer version of the protocol, or else by the older
/// one.
///
/// # Errors
/// The server does not know the method, or has no reflection.
pub(super) async fn reflect(
    session: &Session,
    server: &Server<'_>,
    method: &str,
) -> Result<Descriptors, NoCall> {
    let [newer, older] = reflection::PATHS;
    match ask_all(session, server, method, newer).await? {
        Err(status) if status.code == Code::Unimplemented => {
            match ask_all(session, server, method, older).await? {
                Err(status) => Err(NoCall(format!("the server has no reflection: {status}"))),
                Ok(found) => Ok(found),
            }
        }
        Err(status) => Err(NoCall(format!("server reflection: {status}"))),
        Ok(found) => Ok(found),
    }
}

/// The inner error is a status of the server.
async fn ask_all(
    session: &Session,
    server: &Server<'_>,
    method: &str,
    path: &str,
) -> Result<Result<Descriptors, Status>, NoCall> {
    let mut query = ReflectionQuery::new(method)?;
    while let Some(question) = query.question() {
        match ask(session, server, path, &question).await? {
            Ok(answer) => query.take(&answer)?,
            Err(status) => return Ok(Err(status)),
        }
    }
    Ok(Ok(query.finish()?))
}

async fn ask(
    session: &Session,
    server: &Server<'_>,
    path: &str,
    question: &[u8],
) -> Result<Result<Vec<u8>, Status>, NoCall> {
    let mut body = Vec::new();
    write_message(question, &mut body);
    let input = CallInput {
        head: CallHead::Once(Request {
            method: b"POST",
            scheme: server.scheme,
            authority: server.authority,
            path: path.as_bytes(),
            path_repeats: true,
            constant: server.fields,
            own: b"",
        }),
        body: &body,
        is_streaming: true,
        messages_max: 0,
        message_bytes_max: ANSWER_BYTES_MAX,
        keeps: Keeps { messages: 1, bytes: ANSWER_BYTES_MAX },
        ends_at_ns: server.ends_at_ns,
    };
    let mut received = Received::default();
    let status = match call(session, &input, &mut received).await {
        Ok(status) | Err(CallError::Invalid(status)) => status,
        Err(CallError::Session(error)) => {
            return Err(NoCall(format!("server reflection: {}", of_session(&error))));
        }
        Err(CallError::Passed) => return Err(NoCall("server reflection: no answer in time".to_owned())),
    };
    if status.code != Code::Ok {
        return Ok(Err(status));
    }
    let answer = received.kept.pop().map(|message| message.bytes);
    answer.map(Ok).ok_or_else(|| NoCall("server reflection: no answer".to_owned()))
}
