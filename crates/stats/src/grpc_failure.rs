//! Failed calls of gRPC, by the codes and messages of `vn.zalopay.benchmark.GRPCSampler`.

use crate::FailureKind;

/// The response code of a call that failed; its message begins with the status.
pub const GRPC_FAILED_CODE: &str = " 500";

/// The response code of a call that was not made.
pub const GRPC_NOT_MADE_CODE: &str = " 400";

/// What is written before the reason why a call was not made
/// (`GrpcSamplerConstant.CLIENT_EXCEPTION_MSG`, which has no reason).
pub const GRPC_NOT_MADE: &str = " GRPCSampler parsing exception: ";

/// What is written before the reason why there is no connection.
pub const GRPC_NO_CONNECTION: &str = "io exception: ";

/// The kind of a failed call; none if code and message are of another sampler.
pub(crate) fn kind(code: &str, message: &str) -> Option<FailureKind> {
    let otherwise = match code {
        GRPC_NOT_MADE_CODE if message.starts_with(GRPC_NOT_MADE) => FailureKind::Request,
        GRPC_FAILED_CODE if has_status(message) => FailureKind::Status,
        _ => return None,
    };
    let Some((_, why)) = message.split_once(GRPC_NO_CONNECTION) else { return Some(otherwise) };
    let starts = [
        ("Connection refused", FailureKind::Refused),
        ("Connection timed out", FailureKind::ConnectTimeout),
        ("unknown host: ", FailureKind::NameNotFound),
        ("TLS handshake: ", FailureKind::Tls),
        ("No route to host", FailureKind::Unreachable),
        ("Network is unreachable", FailureKind::Unreachable),
        ("Connection reset", FailureKind::Reset),
    ];
    let found = starts.iter().find(|(start, _)| why.starts_with(start));
    Some(found.map_or(otherwise, |(_, kind)| *kind))
}

/// Whether a message begins with the number and the name of a status, as ` 14 UNAVAILABLE`.
fn has_status(message: &str) -> bool {
    let mut parts = message.strip_prefix(' ').unwrap_or_default().splitn(2, ' ');
    let number = parts.next().unwrap_or_default();
    let name = parts.next().unwrap_or_default();
    number.parse::<u8>().is_ok() && name.starts_with(|first: char| first.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_calls_have_the_kind_of_their_reason() {
        let refused = "14 UNAVAILABLE: io exception: Connection refused: h:1";
        for (code, message, wanted) in [
            (" 500", " 5 NOT_FOUND".to_owned(), Some(FailureKind::Status)),
            (
                " 500",
                " 4 DEADLINE_EXCEEDED: deadline exceeded after 1s".to_owned(),
                Some(FailureKind::Status),
            ),
            (" 500", format!(" {refused}"), Some(FailureKind::Refused)),
            (" 500", " 14 UNAVAILABLE: io exception: odd".to_owned(), Some(FailureKind::Status)),
            (" 400", format!("{GRPC_NOT_MADE}field `a`: expected string"), Some(FailureKind::Request)),
            (" 400", format!("{GRPC_NOT_MADE}server reflection: {refused}"), Some(FailureKind::Refused)),
            (" 500", "Test failed: text".to_owned(), None),
            ("500", " 5 NOT_FOUND".to_owned(), None),
        ] {
            assert_eq!(kind(code, &message), wanted, "{code}{message}");
        }
    }
}
