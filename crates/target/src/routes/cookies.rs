//! Cookies shown, set and deleted (RFC 6265).

use serde_json::json;
use swell_http1::server::{Refusal, RequestHead};

use crate::wire::{Response, decode, pairs};

use super::json::object;
use super::redirects::to;
use super::{Outcome, RouteRequest, Work};

/// The cookies of a request, in order.
pub(crate) fn sent<'a>(head: &RequestHead<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    head.headers
        .iter()
        .filter(|field| field.name.eq_ignore_ascii_case("cookie"))
        .filter_map(|field| std::str::from_utf8(field.value).ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
}

/// `/cookies`, `/cookies/set?a=1&b=2`, `/cookies/delete?a&b`.
pub(crate) fn cookies(ask: &RouteRequest<'_>) -> Outcome {
    match ask.rest {
        "" => Ok(Work::now(Response::json(&json!({ "cookies": object(sent(ask.head)) })))),
        "set" => set(ask, "; Path=/"),
        "delete" => set(ask, "; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        other => Err(Refusal::bad(format!("unknown path /cookies/{other}: use set or delete"))),
    }
}

fn set(ask: &RouteRequest<'_>, attributes: &str) -> Outcome {
    let mut response = to("/cookies", 302);
    for (name, value) in pairs(ask.head.query) {
        let name = decode(name);
        let value = decode(value);
        if !is_name(&name) || !value.bytes().all(is_value_byte) {
            return Err(Refusal::bad(format!("{name:?}={value:?} is not a valid cookie (RFC 6265 §4.1.1)")));
        }
        response = response.header("Set-Cookie", &format!("{name}={value}{attributes}"));
    }
    Ok(Work::now(response))
}

fn is_name(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
    !name.is_empty() && name.bytes().all(token)
}

fn is_value_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\",;\\".contains(&byte)
}
