//! A login with correlation: form, hidden field, token, cookie, and an API that asks for them.
//!
//! Nothing is remembered: a token holds the user's name and a check value over it, so any number of
//! users can log in.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use swell_http1::server::{Refusal, RequestHead, header};

use crate::delay::random;
use crate::wire::{Body, Response, decode, value};

use super::cookies::sent;
use super::work::number;
use super::{Outcome, RouteRequest, RouteState, Work};

/// The one password that is not accepted, so that failures can be tried.
const WRONG: &str = "wrong";
const ITEMS: u64 = 100;

/// `GET /login`: a form with a hidden field. `POST /login`: `user` and `password` as form or JSON,
/// for JSON with a token, or with `?form=html` for a page that hides it. A POST that brings the
/// field `_csrf` must bring the one of the form.
pub(crate) fn login(ask: &RouteRequest<'_>) -> Outcome {
    if ask.head.method != "POST" {
        return Ok(Work::now(form(ask.state)));
    }
    let html = value(ask.head.query, "form") == Some("html");
    Ok(Work::from_body(move |body, state| enter(body, state, html)))
}

fn form(state: &RouteState) -> Response {
    let csrf = sealed_form(state, state.forms.fetch_add(1, Ordering::Relaxed));
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><title>Log in</title>\n<form method=\"post\" action=\"/login\">\n\
         <input type=\"hidden\" name=\"_csrf\" value=\"{csrf}\">\n\
         <input name=\"user\">\n<input name=\"password\" type=\"password\">\n<button>Log in</button>\n</form>\n</html>\n"
    );
    Response::new(200, "text/html", page.into_bytes()).header("Cache-Control", "no-store")
}

fn enter(body: &Body, state: &RouteState, html: bool) -> Outcome {
    let field = |name| field(body, name);
    let user = field("user").or_else(|| field("username")).filter(|user| !user.is_empty());
    let user = user.ok_or_else(|| {
        Refusal::bad(
            "missing user in the body; send user=…&password=… or the \
            equivalent JSON",
        )
    })?;
    let password = field("password").unwrap_or_default();
    if field("_csrf").is_some_and(|csrf| !is_sealed_form(state, &csrf)) {
        return Err(Refusal::new(403, "_csrf is not the value of a form from GET /login"));
    }
    if password.is_empty() || password == WRONG {
        return Err(Refusal::new(
            401,
            "wrong password: any password is accepted except an empty one \
            and \"wrong\"",
        ));
    }
    let token = token_of(state, &user);
    let cookie = format!("session={token}; Path=/; HttpOnly");
    let response = if html { welcome(&token) } else { granted(&user, &token) };
    Ok(Work::now(response.header("Set-Cookie", &cookie).header("Cache-Control", "no-store")))
}

fn granted(user: &str, token: &str) -> Response {
    Response::json(&json!({ "user": user, "token": token, "expires_in": 3600 }))
}

fn welcome(token: &str) -> Response {
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><title>Welcome</title>\n\
         <input type=\"hidden\" name=\"token\" value=\"{token}\">\n<a href=\"/api/items\">Items</a>\n</html>\n"
    );
    Response::new(200, "text/html", page.into_bytes())
}

/// A field of a form or of a JSON object.
fn field(body: &Body, name: &str) -> Option<String> {
    if body.bytes.trim_ascii_start().first() == Some(&b'{') {
        let document: Value = serde_json::from_slice(&body.bytes).ok()?;
        return document.get(name)?.as_str().map(String::from);
    }
    let form = std::str::from_utf8(&body.bytes).ok()?;
    value(form, name).map(|value| decode(value).into_owned())
}

fn token_of(state: &RouteState, user: &str) -> String {
    format!("{}-{:016x}", HEXLOWER.encode(user.as_bytes()), seal(state, user))
}

/// The user whose token it is.
fn user_of(state: &RouteState, token: &str) -> Option<String> {
    let (digits, _) = token.split_once('-')?;
    let user = String::from_utf8(HEXLOWER.decode(digits.as_bytes()).ok()?).ok()?;
    (token_of(state, &user) == token).then_some(user)
}

fn sealed_form(state: &RouteState, number: u64) -> String {
    format!("{number:x}-{:016x}", seal(state, number))
}

fn is_sealed_form(state: &RouteState, csrf: &str) -> bool {
    let number = csrf.split_once('-').and_then(|(number, _)| u64::from_str_radix(number, 16).ok());
    number.is_some_and(|number| sealed_form(state, number) == csrf)
}

/// A check value that only this target makes. It keeps out mistakes, not attackers.
fn seal(state: &RouteState, of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.options.seed.hash(&mut hasher);
    of.hash(&mut hasher);
    random(hasher.finish())
}

/// `/api/items?page=0&size=10` and `/api/items/7`, for the bearer of a token or its cookie.
pub(crate) fn api(ask: &RouteRequest<'_>) -> Outcome {
    let Some(user) = visitor(ask.head, ask.state) else { return Ok(Work::now(unauthorized())) };
    match ask.rest.split_once('/').unwrap_or((ask.rest, "")) {
        ("items", "") => items(ask, &user),
        ("items", id) => match number("id", id, u64::MAX)? {
            id @ 1..=ITEMS => Ok(Work::now(Response::json(&item(id)))),
            id => Err(Refusal::new(404, format!("item {id} not found; there are items 1 to {ITEMS}"))),
        },
        _ => Err(Refusal::new(404, "the API has /api/items and /api/items/1")),
    }
}

fn unauthorized() -> Response {
    let refusal =
        Refusal::new(401, "send Authorization: Bearer with the token of POST /login, or its cookie");
    Response::from(&refusal).header("WWW-Authenticate", "Bearer realm=\"site under test\"")
}

fn visitor(head: &RequestHead<'_>, state: &RouteState) -> Option<String> {
    let authorization =
        header(head.headers, "authorization").and_then(|value| std::str::from_utf8(value).ok());
    let bearer = authorization.and_then(|value| value.split_once(' '));
    let bearer =
        bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
    let session = || sent(head).find(|(name, _)| *name == "session").map(|(_, value)| value);
    user_of(state, bearer.or_else(session)?)
}

fn items(ask: &RouteRequest<'_>, user: &str) -> Outcome {
    let page = ask.number("page", 0, ITEMS)?;
    let size = ask.number("size", 10, ITEMS)?;
    let first = (page * size).min(ITEMS);
    let list: Vec<Value> = (first + 1..=(first + size).min(ITEMS)).map(item).collect();
    Ok(Work::now(Response::json(&json!({ "user": user, "total": ITEMS, "page": page, "items": list }))))
}

fn item(id: u64) -> Value {
    let price = (random(id) % 10_000) as f64 / 100.0;
    json!({ "id": id, "name": format!("Item {id}"), "price": price, "in_stock": !id.is_multiple_of(7) })
}
