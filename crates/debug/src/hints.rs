//! What is probably wrong, and what to do. Each hint is a function of a step and of what was
//! before.

use swell_trace::{Action, Check, ElementRef, Exchange, Extraction, Hint, Outcome, Step};

use crate::history::{History, exchanges};

/// A hint about one step.
type OfStep = fn(&Step, &History) -> Option<Hint>;

/// All hints about steps, in the order in which they are shown.
const ALL: [OfStep; 15] = [
    default_was_sent,
    reference_was_sent,
    end_of_data,
    empty_value,
    html_for_json,
    login_redirect,
    not_followed,
    unauthorized,
    secure_cookie,
    no_cookie_manager,
    empty_body,
    invalid_json,
    wrong_content_type,
    wrong_field,
    similar_path,
];

/// The hints about a step.
pub(crate) fn of_step(step: &Step, history: &History) -> Vec<Hint> {
    ALL.iter().filter_map(|hint| hint(step, history)).collect()
}

/// The hints about a failed step of a load run, of which cookies, extractors and bodies are not
/// known.
pub(crate) fn of_kept(step: &Step) -> Vec<Hint> {
    let history = History::default();
    [html_for_json, login_redirect, not_followed].iter().filter_map(|hint| hint(step, &history)).collect()
}

/// The hints that belong to no step.
pub(crate) fn of_run(history: &History) -> Vec<Hint> {
    let mut hints = Vec::new();
    if let Some((step, names)) = history.lost_cookies.first() {
        let names = names.join(", ");
        let text = format!(
            "the response of step {step} set cookies ({names}), but no HTTP Cookie Manager is in scope, so \
             they were not sent again: add one to the Test Plan"
        );
        hints.push(hint("no_cookie_manager", text));
    }
    hints
}

fn hint(code: &'static str, text: String) -> Hint {
    Hint { code, text, element: None }
}

fn hint_for(element: &ElementRef, code: &'static str, text: String) -> Hint {
    Hint { element: Some(element.clone()), ..hint(code, text) }
}

fn status(exchange: &Exchange) -> u16 {
    exchange.response.as_ref().map_or(0, |response| response.status)
}

/// The value of a header of a head.
fn header<'h>(head: &'h str, wanted: &str) -> Option<&'h str> {
    let named = |line: &'h str| line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
    head.lines().find_map(named).map(|(_, value)| value.trim())
}

fn request_header<'e>(exchange: &'e Exchange, name: &str) -> Option<&'e str> {
    header(exchange.request.as_ref()?.head.text()?, name)
}

fn response_header<'e>(exchange: &'e Exchange, name: &str) -> Option<&'e str> {
    header(exchange.response.as_ref()?.head.text()?, name)
}

fn extractions(step: &Step) -> impl Iterator<Item = &Extraction> {
    step.actions.iter().flat_map(|action| &action.extractions)
}

/// A variable with the default value of an extractor was sent.
fn default_was_sent(step: &Step, _: &History) -> Option<Hint> {
    let read = step.reads.iter().find(|read| read.is_default)?;
    let value = read.value.as_deref().unwrap_or_default();
    let by = read.set_by.as_deref().unwrap_or("an extractor");
    let at = read.set_by_step.map(|number| format!(" at step {number}")).unwrap_or_default();
    let text = format!(
        "`{}` = \"{value}\" is the default value of `{by}`, which found nothing{at}: correct its expression",
        read.name
    );
    Some(hint("default_was_sent", text))
}

/// A variable that has no value was read, so the reference itself was sent.
fn reference_was_sent(step: &Step, history: &History) -> Option<Hint> {
    let read = step.reads.iter().find(|read| read.value.is_none())?;
    let name = &read.name;
    let missed = history.missed.iter().rev().find(|(_, _, variable)| variable == name);
    if let Some((at, element, _)) = missed {
        let text = format!(
            "`{name}` has no value, so `${{{name}}}` itself was sent: `{}` (line {}) found nothing at step {at}",
            element.name, element.line
        );
        return Some(hint_for(element, "reference_was_sent", text));
    }
    if let Some((_, element)) = history.setters.iter().find(|(variable, _)| variable == name) {
        let text = format!(
            "`{name}` has no value, so `${{{name}}}` itself was sent: `{}` (line {}) sets it, but has not run \
             before this step; check its place in the plan ({})",
            element.name, element.line, element.path
        );
        return Some(hint_for(element, "reference_was_sent", text));
    }
    let known = history.set.iter().map(String::as_str).chain(step.variables.iter().map(|(name, _)| &**name));
    let known = known.chain(history.setters.iter().map(|(name, _)| &**name));
    let near = nearest(name, known);
    let advice = match near {
        Some(near) => format!("did you mean `${{{near}}}`?"),
        None => "nothing in the plan sets it".to_owned(),
    };
    let text = format!("`{name}` has no value, so `${{{name}}}` itself was sent: {advice}");
    Some(hint("reference_was_sent", text))
}

/// The name that is most similar.
fn nearest<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let score = |name: &str| strsim::normalized_damerau_levenshtein(wanted, name);
    let best = known.map(|name| (score(name), name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.5 && best.1 != wanted).then_some(best.1)
}

/// A data file has ended.
fn end_of_data(step: &Step, history: &History) -> Option<Hint> {
    let read = step.reads.iter().find(|read| read.value.as_deref() == Some("<EOF>"))?;
    let element = history.ended_data.last();
    let name = element.map_or("a CSV Data Set", |element| &element.name);
    let text = format!(
        "`{}` = \"<EOF>\": the file of `{name}` has no more lines; set Recycle on EOF, stop the thread on EOF, \
         or add lines",
        read.name
    );
    Some(Hint { code: "end_of_data", text, element: element.cloned() })
}

/// An extractor found a match and took an empty text from it.
fn empty_value(step: &Step, _: &History) -> Option<Hint> {
    // A group that the expression does not have is "null", as in JMeter.
    let is_empty = |found: &&Extraction| match found.taken.as_deref() {
        Some("") => true,
        Some("null") => found.language == "regex",
        _ => false,
    };
    let of = step.actions.iter().find_map(|action| Some((action, action.extractions.iter().find(is_empty)?)));
    let (Action { element, .. }, Extraction { variable, language, .. }) = of?;
    let why = if *language == "regex" {
        "check the group in its template: `$1$` is the first group"
    } else {
        "check what its expression selects"
    };
    let text = format!("`{}` found a match, but `{variable}` is empty: {why}", element.name);
    Some(hint_for(element, "empty_value", text))
}

/// A page came where JSON was expected.
fn html_for_json(step: &Step, _: &History) -> Option<Hint> {
    let sample = step.sample.as_ref()?;
    let is_page = sample.content_type.starts_with("text/html")
        || sample.body.text().is_some_and(|body| {
            body.trim_start().starts_with("<!") || body.trim_start().starts_with("<html")
        });
    let accepts = |exchange: &Exchange| {
        request_header(exchange, "accept").is_some_and(|value| value.starts_with("application/json"))
    };
    let reads_json = extractions(step).any(|found| found.language == "json" && found.taken.is_none());
    let expects = reads_json || sample.exchanges.iter().any(accepts);
    (is_page && expects).then(|| {
        let text = "the response is an HTML page, but JSON was expected: check URL and login".to_owned();
        hint("html_for_json", text)
    })
}

/// The server sends to a login page.
fn login_redirect(step: &Step, _: &History) -> Option<Hint> {
    const SIGNS: [&str; 5] = ["login", "signin", "sign-in", "/auth", "sso"];
    let found = exchanges(step).find_map(|exchange| {
        let location = response_header(exchange, "location").filter(|_| status(exchange) / 100 == 3)?;
        let lower = location.to_ascii_lowercase();
        let was_there = exchange.url.to_ascii_lowercase();
        SIGNS.iter().any(|sign| lower.contains(sign) && !was_there.contains(sign)).then_some(location)
    })?;
    let text = format!(
        "the server redirects to a login page ({found}): the session is missing; check the cookies or the token of \
         the request"
    );
    Some(hint("login_redirect", text))
}

/// A redirect was not followed, and something about the sample failed.
fn not_followed(step: &Step, _: &History) -> Option<Hint> {
    let sample = step.sample.as_ref()?;
    let last = sample.exchanges.last()?;
    let missed = extractions(step).any(|found| found.taken.is_none());
    let is_redirect = matches!(status(last), 301 | 302 | 303 | 307 | 308) && sample.children.is_empty();
    if !is_redirect || (step.outcome != Outcome::Failed && !missed) {
        return None;
    }
    let location = response_header(last, "location").unwrap_or_default();
    let text = format!(
        "the response is a redirect to {location} that is not followed: set Follow Redirects in `{}`",
        step.element.name
    );
    Some(hint_for(&step.element, "not_followed", text))
}

/// The server refuses, and an extractor before found nothing.
fn unauthorized(step: &Step, history: &History) -> Option<Hint> {
    let refused = exchanges(step).find(|exchange| matches!(status(exchange), 401 | 403))?;
    let status = status(refused);
    if let Some((at, element, variable)) = history.missed.last() {
        let text = format!(
            "the server refuses ({status}); `{}` (line {}) found no `{variable}` at step {at}",
            element.name, element.line
        );
        return Some(hint_for(element, "unauthorized", text));
    }
    let has = |name| request_header(refused, name).is_some();
    let advice = match (has("authorization"), refused.cookies.sent.is_some(), refused.cookies.managed) {
        (true, _, _) => "the request had an Authorization header, which was not accepted",
        (_, true, _) => "cookies were sent, but no Authorization header",
        (_, _, false) => {
            "no Authorization header and no cookie was sent, and there is no HTTP Cookie Manager"
        }
        _ => "no Authorization header and no cookie was sent",
    };
    Some(hint("unauthorized", format!("the server refuses ({status}): {advice}")))
}

/// A cookie for HTTPS was not sent over plain HTTP.
fn secure_cookie(step: &Step, _: &History) -> Option<Hint> {
    let found = exchanges(step).find_map(|exchange| {
        let refused = exchange.cookies.not_sent.iter().chain(&exchange.cookies.refused);
        refused.into_iter().find(|cookie| cookie.reason.contains("Secure")).map(|cookie| cookie.name.clone())
    })?;
    let text = format!("cookie `{found}` is marked Secure, so it is not sent over http: use https");
    Some(hint("secure_cookie", text))
}

/// A request failed after responses that set cookies, which no Cookie Manager keeps.
fn no_cookie_manager(step: &Step, history: &History) -> Option<Hint> {
    let is_managed = exchanges(step).any(|exchange| exchange.cookies.managed);
    let (at, names) = history.lost_cookies.first().filter(|_| !is_managed)?;
    (step.outcome == Outcome::Failed).then(|| {
        let names = names.join(", ");
        let text = format!(
            "cookies of step {at} ({names}) were not sent: there is no HTTP Cookie Manager in the scope of `{}`",
            step.element.name
        );
        hint_for(&step.element, "no_cookie_manager", text)
    })
}

/// A request that should have a body has none.
fn empty_body(step: &Step, _: &History) -> Option<Hint> {
    let first = exchanges(step).next()?;
    let has_none = first.request.as_ref()?.body.is_empty();
    let wants = matches!(&*first.method, "POST" | "PUT" | "PATCH");
    (wants && has_none && step.outcome == Outcome::Failed).then(|| {
        let text = format!("the {} request has no body", first.method);
        hint_for(&step.element, "empty_body", text)
    })
}

/// The body looks like JSON, but is not valid.
fn invalid_json(step: &Step, _: &History) -> Option<Hint> {
    let first = exchanges(step).next()?;
    let body = &first.request.as_ref()?.body;
    let text = body.text().filter(|text| !body.is_cut() && text.trim_start().starts_with(['{', '[']))?;
    let error = serde_json::from_str::<serde_json::Value>(text).err()?;
    let loses = step.written.iter().any(|written| written.text.contains('\\') && written.text.contains("${"));
    let advice = if loses { "; a text with `${}` loses one of two backslashes, so double them" } else { "" };
    let text = format!("the request body is not valid JSON ({error}){advice}");
    Some(hint_for(&step.element, "invalid_json", text))
}

/// The type of the body is not the one that the request names.
fn wrong_content_type(step: &Step, _: &History) -> Option<Hint> {
    let first = exchanges(step).next()?;
    let body = first.request.as_ref()?.body.text().unwrap_or_default().trim_start();
    let named = request_header(first, "content-type").unwrap_or_default();
    let looks = match body.chars().next()? {
        '{' | '[' => "JSON",
        '<' => "XML",
        _ => return None,
    };
    let fits = match looks {
        "JSON" => named.contains("json"),
        _ => named.contains("xml") || named.contains("html"),
    };
    let fails = step.outcome == Outcome::Failed || exchanges(step).any(|exchange| status(exchange) == 415);
    (!fits && fails).then(|| {
        let named = if named.is_empty() { "none".to_owned() } else { format!("`{named}`") };
        let text = format!(
            "the request body is {looks}, but its Content-Type is {named}: set it in an HTTP Header Manager"
        );
        hint_for(&step.element, "wrong_content_type", text)
    })
}

/// An assertion looks at an empty field, or its text is in another one.
fn wrong_field(step: &Step, _: &History) -> Option<Hint> {
    let sample = step.sample.as_ref()?;
    let failed = |check: &&Check| !check.passed && !check.error;
    let (action, check) =
        step.actions.iter().find_map(|action| Some((action, action.checks.iter().find(failed)?)))?;
    let field = check.field.as_deref()?;
    let wanted = check.wanted.as_deref().filter(|wanted| !wanted.is_empty())?;
    let body = sample.body.text().unwrap_or_default();
    let elsewhere = [
        ("response code", &*sample.code),
        ("response message", &*sample.message),
        ("response headers", &*sample.response_headers),
        ("response body", body),
        ("URL", sample.url.as_deref().unwrap_or_default()),
    ];
    let name = &action.element.name;
    let found = elsewhere.into_iter().find(|(other, text)| *other != field && text.contains(wanted));
    let text = match (found, check.got.as_deref()) {
        (Some((other, _)), _) => format!(
            "`{name}` looks at the {field}, but \"{wanted}\" is in the {other}: change its field to test"
        ),
        (None, Some("")) => format!("`{name}` looks at the {field}, which is empty"),
        _ => return None,
    };
    Some(hint_for(&action.element, "wrong_field", text))
}

/// A JSON assertion looks for a path that is not there.
fn similar_path(step: &Step, _: &History) -> Option<Hint> {
    let sample = step.sample.as_ref()?;
    let path_of = |check: &Check| {
        let path = check.field.as_deref()?.strip_prefix("response body at ")?.to_owned();
        let is_missing = check.got.as_deref().is_some_and(|got| got.starts_with("No results for path"));
        (!check.passed && is_missing).then_some(path)
    };
    let found = step
        .actions
        .iter()
        .find_map(|action| Some((&action.element, action.checks.iter().find_map(path_of)?)));
    let (element, path) = found?;
    let near = crate::nearby("json", &path, sample.body.text()?);
    let text = if near.is_empty() {
        format!("`{}` looks for {path}, which the response body does not have", element.name)
    } else {
        format!("`{}` looks for {path}; the response body has: {}", element.name, near.join(", "))
    };
    Some(hint_for(element, "similar_path", text))
}

#[cfg(test)]
mod tests;
