//! The parts of a HAR file that are read.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
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

/// A list. Null is an empty one, and so is an object, which Internet Explorer writes for no
/// parameters.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct List<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Vec<T>, A::Error> {
            let mut all = Vec::new();
            while let Some(member) = members.next_element()? {
                all.push(member);
            }
            Ok(all)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Vec<T>, A::Error> {
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Vec::new())
        }

        fn visit_unit<E>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
    }

    from.deserialize_any(List(PhantomData))
}

/// What a text may be instead.
#[derive(Deserialize)]
#[serde(untagged)]
enum Loose<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Bool(bool),
    Number(serde_json::Number),
    Other(IgnoredAny),
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
