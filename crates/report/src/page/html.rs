//! The files of a page: a report that holds its data, and the shell of the live view.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};
use swell_stats::verdict::Verdict;

use super::{RunPage, SCRIPT, STYLE, StudyPage};
use crate::plain::plain;
use swell_secrets::without_passwords;

/// Packed data of a report at most, in bytes before base64.
const MOST_PACKED: usize = 1_300_000;

const WITHOUT_SCRIPT: &str =
    "This page needs JavaScript to draw its charts. It loads nothing from other sites.";

/// What the live page may load: its own parts and nothing else.
pub const SHELL_SECURITY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The report on a run in one file of less than 2 MB, which needs no network. Passwords in URLs are
/// left out.
pub fn file(page: &RunPage, verdict: Option<&Verdict>) -> String {
    let document = page.document(verdict, false);
    let mut packed = pack(&document);
    let mut coarse = None;
    while packed.len() > MOST_PACKED {
        let Some(next) = coarse.as_ref().unwrap_or(page).coarser() else { break };
        packed = pack(&next.document(verdict, false));
        coarse = Some(next);
    }
    whole(&page.about.title, &document.as_text(), &packed)
}

/// The page of a study or a comparison in one file, which needs no network. Passwords in URLs are
/// left out.
pub fn study_file(page: &StudyPage) -> String {
    whole(&page.title, &page.as_text(), &pack(&page.document()))
}

/// `text`: what is shown where scripts do not run.
fn whole(title: &str, text: &str, packed: &[u8]) -> String {
    let security = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&SCRIPT),
        hash(&STYLE)
    );
    let without_script = format!("<p>{WITHOUT_SCRIPT}</p><pre>{}</pre>", escaped(&without_passwords(text)));
    OneFile { title, security: &security, style: &STYLE, script: &SCRIPT, without_script: &without_script }
        .with(packed)
}

/// A page in one file, which needs no network.
pub(super) struct OneFile<'a> {
    pub(super) title: &'a str,
    /// What it may load.
    pub(super) security: &'a str,
    pub(super) style: &'a str,
    pub(super) script: &'a str,
    /// Markup that is shown where scripts do not run.
    pub(super) without_script: &'a str,
}

impl OneFile<'_> {
    /// The file with its data.
    pub(super) fn with(&self, packed: &[u8]) -> String {
        let Self { title, security, style, script, without_script } = self;
        let room = packed.len() * 4 / 3 + script.len() + style.len() + without_script.len() + 4000;
        let mut out = String::with_capacity(room);
        head(&mut out, title);
        write!(
            out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{security}\">\n<style>{style}</style>\n\
             </head>\n<body>\n<noscript>{without_script}</noscript>\n\
             <div id=\"app\"></div>\n<script type=\"application/octet-stream\" id=\"data\">"
        )
        .expect("a String takes it");
        STANDARD.encode_string(packed, &mut out);
        write!(out, "</script>\n<script>{script}</script>\n</body>\n</html>\n").expect("a String takes it");
        out
    }
}

/// The live page without its data: it asks for script, style and data under these paths.
pub fn live_shell(title: &str) -> String {
    shell(title, "app", WITHOUT_SCRIPT)
}

/// A served page without its data. `parts`: the name of its script and style; `without_script`:
/// what is shown where scripts do not run.
pub(super) fn shell(title: &str, parts: &str, without_script: &str) -> String {
    let mut out = String::new();
    head(&mut out, title);
    write!(
        out,
        "<link rel=\"stylesheet\" href=\"/{parts}.css\">\n</head>\n<body>\n<noscript><p>{without_script}</p></noscript>\n\
         <div id=\"app\"></div>\n<script src=\"/{parts}.js\"></script>\n</body>\n</html>\n"
    )
    .expect("a String takes it");
    out
}

/// The start of a page, up to its title, from which passwords are left out.
pub fn head(out: &mut String, title: &str) {
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    writeln!(out, "<title>{}</title>", escaped(&without_passwords(&plain(title))))
        .expect("a String takes it");
}

/// Text between tags.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn pack(document: &impl Serialize) -> Vec<u8> {
    let json = serde_json::to_string(document).expect("numbers and texts are valid JSON");
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let written = packer.write_all(without_passwords(&json).as_bytes());
    written.and_then(|()| packer.finish()).expect("a Vec takes it")
}

pub(super) fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
