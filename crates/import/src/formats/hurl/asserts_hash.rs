//! Asserts about hashes of the body.

use std::fmt::Write as _;

use crate::model::CheckOf;

use super::Refused;
use super::syntax::{Assert, PredicateKind, QueryKind, Value};

/// The check of a hash of the body; none for other asserts.
pub(super) fn hash_check(assert: &Assert) -> Option<Result<CheckOf, Refused>> {
    let length = match assert.query.kind {
        QueryKind::Md5 => 16,
        QueryKind::Sha256 => 32,
        _ => return None,
    };
    let bytes = match &assert.predicate.kind {
        PredicateKind::Equal(Value::Bytes(bytes)) if !assert.is_not && assert.filters.is_empty() => bytes,
        _ => {
            let reason = "a hash is compared only by `== hex,…;`";
            return Some(Err(Refused::new(assert.predicate.at, reason)));
        }
    };
    if bytes.len() != length {
        let reason = format!("this hash has {length} bytes, not {}", bytes.len());
        return Some(Err(Refused::new(assert.predicate.at, reason)));
    }
    let mut hash = String::new();
    for byte in bytes {
        let _ = write!(hash, "{byte:02x}");
    }
    Some(Ok(match assert.query.kind {
        QueryKind::Md5 => CheckOf::Md5(hash),
        _ => CheckOf::Groovy(format!(
            "java.security.MessageDigest.getInstance('SHA-256').digest(prev.getResponseData()).encodeHex()\
             .toString() == '{hash}'"
        )),
    }))
}
