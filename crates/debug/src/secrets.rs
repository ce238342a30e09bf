//! Secrets of a trace, kept out of files.

use swell_report::{is_secret, without_passwords};
use swell_trace::{
    Action, Content, CookieNotes, Event, Exchange, ReadVariable, Sample, Step, VariableChange,
};

const MASK: &str = "***";

/// Headers whose values are secret.
const HEADERS: [&str; 5] = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];

/// The same event with `***` instead of passwords, tokens and cookies.
pub(crate) fn masked(event: &Event) -> Event {
    let mut event = event.clone();
    match &mut event {
        Event::Step(step) => mask_step(step),
        Event::Transaction(transaction) => {
            transaction.actions.iter_mut().for_each(mask_action);
            mask_sample(&mut transaction.sample);
        }
        Event::Iteration(iteration) => mask_pairs(&mut iteration.variables),
        Event::Data(data) => mask_action(&mut data.action),
        Event::Decision(decision) => mask_reads(&mut decision.reads),
        Event::Log(line) => mask_text(&mut line.text),
        Event::Start(_) | Event::UserEnd(_) | Event::End(_) => {}
    }
    event
}

fn mask_step(step: &mut Step) {
    mask_pairs(&mut step.variables);
    mask_reads(&mut step.reads);
    step.actions.iter_mut().for_each(mask_action);
    step.sample.iter_mut().for_each(mask_sample);
    step.exchanges.iter_mut().for_each(mask_exchange);
}

fn mask_action(action: &mut Action) {
    mask_changes(&mut action.variables);
    for change in action.properties.iter_mut().filter(|change| is_secret(&change.name)) {
        mask_option(&mut change.before);
        mask_option(&mut change.after);
    }
    action.output.iter_mut().for_each(|line| mask_text(&mut line.text));
    for found in action.extractions.iter_mut().filter(|found| is_secret(&found.variable)) {
        mask_option(&mut found.taken);
        found.values.fill(MASK.to_owned());
    }
}

fn mask_sample(sample: &mut Sample) {
    sample.response_headers = headers(&sample.response_headers);
    mask_content(&mut sample.body, response_body);
    sample.url = sample.url.take().map(|url| without_passwords(&url).into_owned());
    sample.exchanges.iter_mut().for_each(mask_exchange);
    sample.children.iter_mut().for_each(mask_sample);
}

fn mask_exchange(exchange: &mut Exchange) {
    exchange.url = without_passwords(&exchange.url).into_owned();
    if let Some(request) = &mut exchange.request {
        mask_content(&mut request.head, headers);
        mask_content(&mut request.body, form);
    }
    if let Some(response) = &mut exchange.response {
        mask_content(&mut response.head, headers);
    }
    let CookieNotes { sent, stored, .. } = &mut exchange.cookies;
    *sent = sent.as_deref().map(cookies);
    for cookie in stored {
        MASK.clone_into(&mut cookie.value);
    }
}

fn mask_content(content: &mut Content, with: impl Fn(&str) -> String) {
    if let Some(text) = content.text() {
        let whole = !content.is_cut();
        content.bytes = with(text).into_bytes();
        if whole {
            content.size = content.bytes.len() as u64;
        }
    }
}

/// A head without the values of secret headers.
fn headers(head: &str) -> String {
    let line = |line: &str| {
        let body = line.trim_end_matches(['\r', '\n']);
        let end = &line[body.len()..];
        match body.split_once(':') {
            Some((name, value))
                if HEADERS.contains(&name.to_ascii_lowercase().as_str()) || is_secret(name) =>
            {
                let value = value.trim_start();
                let shown = if name.to_ascii_lowercase().ends_with("cookie") {
                    cookies(value)
                } else {
                    // The scheme says what kind of secret it is.
                    match value.split_once(' ') {
                        Some((scheme, _)) => format!("{scheme} {MASK}"),
                        None => MASK.to_owned(),
                    }
                };
                format!("{name}: {shown}{end}")
            }
            _ => format!("{}{end}", without_passwords(body)),
        }
    };
    head.split_inclusive('\n').map(line).collect()
}

/// `name=value; name=value` without values; attributes of a cookie stay.
fn cookies(text: &str) -> String {
    const ATTRIBUTES: [&str; 7] = ["path", "domain", "expires", "max-age", "samesite", "version", "priority"];
    let part = |part: &str| match part.split_once('=') {
        Some((name, _)) if !ATTRIBUTES.contains(&name.trim().to_ascii_lowercase().as_str()) => {
            format!("{name}={MASK}")
        }
        _ => part.to_owned(),
    };
    text.split(';').map(part).collect::<Vec<_>>().join(";")
}

/// A form or JSON without the values of secret names.
fn form(body: &str) -> String {
    json_fields(&without_passwords(&format!("?{body}"))[1..])
}

/// The body of a response without the values of secret names in JSON and in URLs.
fn response_body(body: &str) -> String {
    json_fields(&without_passwords(body))
}

/// A text without the values of `"name": "value"` and `"name": 12` whose name is secret, also where
/// it is JSON in a text of JSON, as `\"name\": \"value\"`.
fn json_fields(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(colon) = rest.find(':') {
        let quoted = rest[..colon].trim_end().strip_suffix('"').unwrap_or_default();
        let before = quoted.trim_end_matches('\\');
        let name = before.rfind('"').map_or("", |quote| &before[quote + 1..]);
        let value = rest[colon + 1..].trim_start();
        // The quotes have as many backslashes as the text is deep in others.
        let quote = format!("{}\"", &quoted[before.len()..]);
        let length = if is_secret(name) { scalar_len(value, &quote) } else { 0 };
        out.push_str(&rest[..rest.len() - value.len()]);
        if length > 0 {
            out.extend([&*quote, MASK, &*quote]);
        }
        rest = &value[length..];
    }
    out.push_str(rest);
    out
}

/// The length of a string with such quotes, or of a number, that begins a text of JSON; 0 of
/// anything else.
fn scalar_len(json: &str, quote: &str) -> usize {
    let Some(text) = json.strip_prefix(quote) else {
        let is_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        return json.find(|c| !is_number(c)).unwrap_or(json.len());
    };
    let escapes = quote.len() - 1;
    let mut before = 0_usize;
    for (at, c) in text.char_indices() {
        // Each pair of backslashes is one of the text.
        if c == '"' && (if escapes == 0 { before.is_multiple_of(2) } else { before == escapes }) {
            return quote.len() + at + 1;
        }
        if c == '"' && before < escapes {
            // The text around it ends: this one was cut.
            return quote.len() + at - before;
        }
        before = if c == '\\' { before + 1 } else { 0 };
    }
    // A string that was cut is a secret to its end.
    json.len()
}

fn mask_pairs(pairs: &mut [(String, String)]) {
    for (name, value) in pairs {
        if is_secret(name) {
            MASK.clone_into(value);
        } else {
            mask_text(value);
        }
    }
}

fn mask_changes(changes: &mut [VariableChange]) {
    for change in changes {
        if is_secret(&change.name) {
            mask_option(&mut change.before);
            mask_option(&mut change.after);
        }
    }
}

fn mask_reads(reads: &mut [ReadVariable]) {
    for read in reads.iter_mut().filter(|read| is_secret(&read.name)) {
        mask_option(&mut read.value);
    }
}

fn mask_option(value: &mut Option<String>) {
    if let Some(value) = value {
        MASK.clone_into(value);
    }
}

fn mask_text(text: &mut String) {
    *text = without_passwords(text).into_owned();
}

#[cfg(test)]
mod tests {
    use swell_trace::{DataRead, ElementRef, PropertyChange, Request, Role, Transaction};

    use super::*;

    #[test]
    fn requests_without_a_sample_and_actions_outside_of_steps_hide_what_is_secret() {
        let head = Content::new(b"GET / HTTP/1.1\r\nAuthorization: Bearer s3cret\r\n\r\n", 99);
        let request = Some(Request { head, ..Request::default() });
        let exchanges = vec![Exchange { request, ..Exchange::default() }];
        let mut action = Action::new(ElementRef::default(), Role::Assertion);
        let after = Some("s3cret".to_owned());
        action.properties = vec![PropertyChange { name: "password".into(), before: None, after }];
        let user = String::new();
        let group = String::new();
        let transaction = Transaction {
            user: user.clone(),
            group: group.clone(),
            steps: Vec::new(),
            actions: vec![action.clone()],
            sample: Sample::default(),
        };
        let events = [
            Event::Step(Box::new(Step { exchanges, ..Step::default() })),
            Event::Transaction(Box::new(transaction)),
            Event::Data(DataRead { user, group, action }),
        ];
        for event in events {
            let shown = format!("{:?}", masked(&event));
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }

    #[test]
    fn heads_bodies_and_cookies_hide_what_is_secret() {
        let head =
            "GET /a?token=x&b=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer abc\r\nCookie: s=1; t=2\r\n\r\n";
        assert_eq!(
            headers(head),
            "GET /a?token=***&b=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ***\r\nCookie: s=***; t=***\r\n\r\n"
        );
        assert_eq!(headers("Set-Cookie: s=1; Path=/; Secure\n"), "Set-Cookie: s=***; Path=/; Secure\n");
        assert_eq!(form("user=a&password=b&x=1"), "user=a&password=***&x=1");
        assert_eq!(form(r#"{"user":"a","password": "b","n":1}"#), r#"{"user":"a","password": "***","n":1}"#);
    }

    #[test]
    fn tokens_in_bodies_of_responses_are_hidden() {
        for (body, shown) in [
            (r#"{"access_token":"a\"b\\","n":1}"#, r#"{"access_token":"***","n":1}"#),
            (
                r#"{"a":{"token" : "x"},"refresh-token":12,"tokens":[1]}"#,
                r#"{"a":{"token" : "***"},"refresh-token":"***","tokens":[1]}"#,
            ),
            (r#"{"token": null, "id_token": "cut of"#, r#"{"token": null, "id_token": "***""#),
            ("<a href=\"/next?session=1&token=x\">", "<a href=\"/next?session=1&token=***\">"),
            ("no secret: here", "no secret: here"),
            (
                r#"{"data":"{\"user\":\"a\",\"password\": \"b\\\"c\",\"pin\":1,\"token\":12}"}"#,
                r#"{"data":"{\"user\":\"a\",\"password\": \"***\",\"pin\":1,\"token\":\"***\"}"}"#,
            ),
            (r#"{"data":"\"token\": \"cut"}"#, r#"{"data":"\"token\": \"***\""}"#),
        ] {
            assert_eq!(response_body(body), shown);
        }
    }
}
