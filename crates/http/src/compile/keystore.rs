//! The Keystore Configuration element, and the key store of the run.

use std::sync::{Arc, OnceLock};

use swell_api::CompileContext;
use swell_connect::keystore::{self, KeyStore};
use swell_connect::{ClientKeys, NamedKey};
use swell_expr::{Context, Level, Template, Value};
use swell_plan::{Element, Node, Severity};

use crate::failure::Failure;

/// The client keys that a sampler uses for targets that request one.
pub(crate) struct ClientKeySpec {
    store: KeyStore,
    /// Name of the variable that holds the alias.
    variable: Option<Template>,
    /// Places of the first and last key, counted from 0.
    start: Template,
    end: Template,
    defaults: (usize, Option<usize>),
}

type Loaded = OnceLock<Result<Option<KeyStore>, String>>;

impl ClientKeySpec {
    /// None where the run has no key store.
    pub(super) fn new(node: Option<&Node>, sampler: &Element, compile: &CompileContext) -> Option<Box<Self>> {
        let loaded: Arc<Loaded> = compile.expr.shared.get("http key store", Loaded::default);
        let loaded = loaded.get_or_init(|| load(compile));
        let element = node.map_or(sampler, |node| &node.element);
        let store = match loaded {
            Ok(Some(store)) => store.clone(),
            Ok(None) => {
                if let Some(node) = node {
                    let what = "no key store: javax.net.ssl.keyStore is not set";
                    let hint = "-Djavax.net.ssl.keyStore=FILE -Djavax.net.ssl.keyStorePassword=PASSWORD";
                    note_once(compile, &node.element, Severity::Warning, what, Some(hint));
                }
                return None;
            }
            Err(why) => {
                let severity = if node.is_some() { Severity::Error } else { Severity::Warning };
                note_once(compile, element, severity, why, None);
                return None;
            }
        };
        let text = |name: &str| match node {
            Some(node) => compile.template(&node.element, name, ""),
            None => Template::constant_text(""),
        };
        let variable = text("clientCertAliasVarName");
        let number = |name: &str, default: i64| compile.props.number(name, default);
        Some(Box::new(Self {
            store,
            variable: (variable.constant() != Some("")).then_some(variable),
            start: text("startIndex"),
            end: text("endIndex"),
            defaults: (
                usize::try_from(number("https.keyStoreStartIndex", 0)).unwrap_or(0),
                usize::try_from(number("https.keyStoreEndIndex", -1)).ok(),
            ),
        }))
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &Template> {
        self.variable.iter().chain([&self.start, &self.end])
    }

    /// The alias that the variable holds; none where keys take turns.
    pub(crate) fn alias(&self, cx: &mut Context) -> Option<Alias> {
        let name = self.variable.as_ref()?.eval_value(cx);
        let found = cx.vars.get(&name).filter(|alias| !alias.is_empty()).cloned();
        Some(Alias { name, found })
    }

    /// The keys for connections of now on.
    pub(crate) fn keys(&self, cx: &mut Context, alias: Option<&Alias>) -> ClientKeys {
        let number = |text: &Template, cx: &mut Context| text.eval(cx).trim().parse::<i64>().ok();
        let start = number(&self.start, cx).and_then(|n| usize::try_from(n).ok()).unwrap_or(self.defaults.0);
        let end = number(&self.end, cx).map_or(self.defaults.1, |n| usize::try_from(n).ok());
        let Some(alias) = alias else {
            return ClientKeys::Turns { keys: self.store.between(start, end), turn: self.store.turn.clone() };
        };
        let key = alias.found.as_ref().and_then(|alias| self.store.named(alias, start, end)).cloned();
        if key.is_none() {
            cx.host.log(Level::Error, &alias.missing());
        }
        ClientKeys::Named(Arc::new(NamedKey::new(key)))
    }
}

/// Property: the file of the key, where `javax.net.ssl.keyStore` is a file of certificates in PEM
/// form without it.
const PEM_KEY: &str = "swell.http.key";

/// The store that `javax.net.ssl.keyStore` names; none if it names none, which is the usual case.
///
/// # Errors
/// It cannot be read; as text.
fn load(compile: &CompileContext) -> Result<Option<KeyStore>, String> {
    let property = |name: &str| compile.props.get(name).filter(|text| !text.is_empty());
    let Some(file) = property("javax.net.ssl.keyStore") else { return Ok(None) };
    let wrong = |why: String| format!("cannot read the key store `{file}`: {why}");
    let read = |file: &str| compile.host.read_file(file.as_ref());
    let bytes = read(&file).map_err(|error| wrong(error.to_string()))?;
    if !keystore::is_pem(&bytes) {
        let password = property("javax.net.ssl.keyStorePassword").unwrap_or_default();
        return KeyStore::of_java(&bytes, &password).map(Some).map_err(wrong);
    }
    let key = match property(PEM_KEY) {
        Some(other) => read(&other).map_err(|error| wrong(format!("its key `{other}`: {error}")))?,
        None => bytes.clone(),
    };
    KeyStore::of_pem(&bytes, &key).map(Some).map_err(wrong)
}

/// An alias from a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    name: Value,
    found: Option<Value>,
}

impl Alias {
    fn missing(&self) -> String {
        match &self.found {
            None => format!("No var called '{}' found", self.name),
            Some(alias) => format!("No PrivateKey found for alias:'{alias}'"),
        }
    }

    /// What a handshake fails with that asks for a key that is not there.
    pub(crate) fn failure(&self) -> Failure {
        Failure::new("javax.net.ssl.SSLException", self.missing())
    }
}

pub(super) fn note_once(
    compile: &CompileContext,
    element: &Element,
    severity: Severity,
    what: &str,
    hint: Option<&str>,
) {
    let known = compile.diagnostics.borrow().iter().any(|known| known.message == what);
    if !known {
        compile.note(severity, element, None, what.to_owned(), hint);
    }
}
