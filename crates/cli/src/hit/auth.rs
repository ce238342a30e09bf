//! Basic authentication: as a header where each request goes to the site that was named, else by an
//! Authorization Manager, which says it to no other site.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use swell_import::elements::{auth_manager, authorization, literal};
use swell_plan::Element;

use super::urls::{Address, Credentials};
use crate::args::HitArgs;
use crate::exit::Failure;

/// How all requests say who they are.
pub(super) enum Auth {
    /// Not at all.
    None,
    /// By the value of `Authorization`.
    Header(String),
    /// By an Authorization Manager.
    Manager(Element),
}

impl Auth {
    /// What `-u` and the URLs say.
    ///
    /// # Errors
    /// `-u` without a colon.
    pub(super) fn of(args: &HitArgs, addresses: &[Address]) -> Result<Self, Failure> {
        let user = args.request.user.as_deref().map(given).transpose()?;
        let in_urls = addresses.iter().any(|address| address.credentials.is_some());
        Ok(match user {
            Some(Credentials { user, password }) if !in_urls && !args.request.follow => {
                Self::Header(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
            }
            None if !in_urls => Self::None,
            user => Self::Manager(manager(addresses, user.as_ref())),
        })
    }
}

fn given(text: &str) -> Result<Credentials, Failure> {
    let Some((user, password)) = text.split_once(':') else {
        return Err(
            Failure::settings("-u has no password").hint("write -u USER:PASSWORD; it may be empty, -u USER:")
        );
    };
    Ok(Credentials { user: user.to_owned(), password: password.to_owned() })
}

/// Each URL, and its whole site for what that redirects to on itself; the first that fits counts.
fn manager(addresses: &[Address], user: Option<&Credentials>) -> Element {
    let said =
        || addresses.iter().filter_map(|address| Some((address, address.credentials.as_ref().or(user)?)));
    let urls = said().map(|(address, credentials)| {
        entry(&format!("{}{}", address.origin(), literal(&address.path())), credentials)
    });
    let sites = said().map(|(address, credentials)| entry(&format!("{}/", address.origin()), credentials));
    auth_manager("Authorization", urls.chain(sites))
}

fn entry(url: &str, Credentials { user, password }: &Credentials) -> Element {
    authorization(url, &literal(user), &literal(password), false)
}
