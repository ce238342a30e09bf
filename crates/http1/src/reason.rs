//! Reason phrases.

/// The reason phrase of a status, by the registry of HTTP status codes (IANA, RFC 9110 §16.2);
/// `Unknown` for one that is not registered.
pub fn reason(status: u16) -> &'static str {
    match status {
        100..=199 => interim(status),
        200..=299 => success(status),
        300..=399 => redirection(status),
        400..=499 => client_error(status),
        500..=599 => server_error(status),
        _ => UNKNOWN,
    }
}

const UNKNOWN: &str = "Unknown";

fn interim(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        101 => "Switching Protocols",
        102 => "Processing",
        103 => "Early Hints",
        _ => UNKNOWN,
    }
}

fn success(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        207 => "Multi-Status",
        208 => "Already Reported",
        226 => "IM Used",
        _ => UNKNOWN,
    }
}

fn redirection(status: u16) -> &'static str {
    match status {
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        305 => "Use Proxy",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        _ => UNKNOWN,
    }
}

fn client_error(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        // Reserved by the registry, and in use (RFC 2324).
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        423 => "Locked",
        424 => "Failed Dependency",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        _ => UNKNOWN,
    }
}

fn server_error(status: u16) -> &'static str {
    match status {
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        506 => "Variant Also Negotiates",
        507 => "Insufficient Storage",
        508 => "Loop Detected",
        510 => "Not Extended",
        511 => "Network Authentication Required",
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_registered_status_has_its_phrase_and_others_are_unknown() {
        let registered = (0..1000).filter(|status| reason(*status) != UNKNOWN);
        let registered: Vec<u16> = registered.collect();
        let wanted = [100..=103, 200..=208, 226..=226, 300..=305, 307..=308, 400..=418, 421..=426, 428..=429];
        let wanted = wanted.into_iter().chain([431..=431, 451..=451, 500..=508, 510..=511]);
        assert_eq!(registered, wanted.flatten().collect::<Vec<_>>());
        assert_eq!((reason(426), reason(101)), ("Upgrade Required", "Switching Protocols"));
    }
}
