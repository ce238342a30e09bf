//! Options of `swell hit` that are for HTTP requests alone.

use crate::args::HitArgs;
use crate::exit::Failure;

/// A protocol that tests one address at a time.
pub(super) struct OtherProtocol<'a> {
    /// What is tested, as in `one WebSocket is tested at a time`.
    pub(super) tests: &'a str,
    /// What options have no effect on.
    pub(super) name: &'a str,
    /// A command line.
    pub(super) example: &'a str,
    /// Which options say what is sent.
    pub(super) sends: &'a str,
    /// Further options without an effect, and whether they were given.
    pub(super) unused: &'a [(bool, &'a str)],
}

impl OtherProtocol<'_> {
    /// Refuses options that have no effect with this protocol.
    ///
    /// # Errors
    /// The first of them, or several URLs.
    pub(super) fn check(&self, args: &HitArgs) -> Result<(), Failure> {
        if args.urls.len() > 1 || args.urls_file.is_some() {
            return Err(Failure::settings(format!("one {} is tested at a time", self.tests))
                .hint(format!("give one URL, as in {}", self.example)));
        }
        let request = &args.request;
        let of_http = [
            (request.method.is_some(), "-X"),
            (!request.form.is_empty(), "--form"),
            (!request.multipart.is_empty(), "--multipart"),
            (request.content_type.is_some(), "-T"),
            (request.user.is_some(), "-u"),
            (request.sse, "--sse"),
        ];
        match of_http.iter().chain(self.unused).find(|(is_given, _)| *is_given) {
            Some((_, option)) => {
                Err(Failure::settings(format!("{option} has no effect on {}", self.name)).hint(self.sends))
            }
            None => Ok(()),
        }
    }
}
