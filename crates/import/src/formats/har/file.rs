//! The parts of a HAR file that are read.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

#[derive(Debug, Deserialize)]
pub(super) struct File<'a> {
    #[serde(borrow)]
    pub(super) log: Option<Log<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Log<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) pages: Vec<Page<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) entries: Vec<Entry<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Page<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) title: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry<'a> {
    #[serde(borrow, default)]
    pub(super) pageref: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "startedDateTime")]
    pub(super) started: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "number")]
    pub(super) time: Option<f64>,
    #[serde(borrow, default)]
    pub(super) request: Option<Request<'a>>,
    #[serde(borrow, default)]
    pub(super) response: Option<Response<'a>>,
    #[serde(borrow, default, rename = "_resourceType")]
    pub(super) resource_type: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Request<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) method: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) url: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) headers: Vec<NameValue<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) cookies: Vec<NameValue<'a>>,
    #[serde(borrow, default, rename = "postData")]
    pub(super) post_data: Option<PostData<'a>>,
}

/// A header, a cookie, a parameter.
#[derive(Debug, Deserialize)]
pub(super) struct NameValue<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "some_text")]
    pub(super) value: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "fileName")]
    pub(super) file_name: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "contentType")]
    pub(super) content_type: Option<Cow<'a, str>>,
}

impl NameValue<'_> {
    pub(super) fn value(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PostData<'a> {
    #[serde(borrow, default, rename = "mimeType")]
    pub(super) mime_type: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "some_text")]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) encoding: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) params: Vec<NameValue<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default, deserialize_with = "status")]
    pub(super) status: i64,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) headers: Vec<NameValue<'a>>,
    #[serde(borrow, default)]
    pub(super) content: Option<Content<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Content<'a> {
    #[serde(borrow, default, rename = "mimeType")]
    pub(super) mime_type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) encoding: Option<Cow<'a, str>>,
}

/// A list; null is an empty one.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(from)?.unwrap_or_default())
}

/// What stands for a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Loose<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Bool(bool),
    Number(serde_json::Number),
    Other(serde::de::IgnoredAny),
}

fn some_text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    Ok(match Option::<Loose<'a>>::deserialize(from)? {
        Some(Loose::Text(text)) => Some(text),
        Some(Loose::Bool(is_true)) => Some(Cow::Owned(is_true.to_string())),
        Some(Loose::Number(number)) => Some(Cow::Owned(number.to_string())),
        Some(Loose::Other(_)) | None => None,
    })
}

/// A text; a number or a truth value as one.
fn text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Cow<'a, str>, D::Error> {
    Ok(some_text(from)?.unwrap_or_default())
}

/// A number, or a text with one.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    Ok(some_text(from)?.and_then(|text| text.parse().ok()))
}

fn status<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    Ok(number(from)?.map_or(0, |status| status as i64))
}
