//! Versions of HTML as bits (`org.w3c.tidy.Dict.VERS_*`). A page begins with all of them, and each element and attribute leaves
//! those that have it.

pub(super) const UNKNOWN: i32 = 0;
pub(super) const HTML20: i32 = 1;
pub(super) const HTML32: i32 = 2;
pub(super) const HTML40_STRICT: i32 = 4;
pub(super) const HTML40_LOOSE: i32 = 8;
pub(super) const FRAMESET: i32 = 16;
pub(super) const XML: i32 = 32;
pub(super) const NETSCAPE: i32 = 64;
pub(super) const MICROSOFT: i32 = 128;
pub(super) const SUN: i32 = 256;
pub(super) const XHTML11: i32 = 1024;
pub(super) const BASIC: i32 = 2048;
pub(super) const PROPRIETARY: i32 = NETSCAPE | MICROSOFT | SUN;
pub(super) const HTML40: i32 = HTML40_STRICT | HTML40_LOOSE | FRAMESET;
pub(super) const LOOSE: i32 = HTML32 | HTML40_LOOSE | FRAMESET;
pub(super) const IFRAME: i32 = HTML40_LOOSE | FRAMESET;
pub(super) const FROM32: i32 = HTML40_STRICT | LOOSE;
pub(super) const EVENTS: i32 = HTML40 | XHTML11;
pub(super) const ALL: i32 = HTML20 | HTML32 | HTML40 | XHTML11 | BASIC;

/// The versions by the names that a DOCTYPE gives them. The first is looked for in IETF's identifiers only.
pub(super) const NAMED: [(&str, &str, i32); 11] = [
    ("HTML 4.01", "XHTML 1.0 Strict", HTML40_STRICT),
    ("HTML 4.01 Transitional", "XHTML 1.0 Transitional", HTML40_LOOSE),
    ("HTML 4.01 Frameset", "XHTML 1.0 Frameset", FRAMESET),
    ("HTML 4.0", "XHTML 1.0 Strict", HTML40_STRICT),
    ("HTML 4.0 Transitional", "XHTML 1.0 Transitional", HTML40_LOOSE),
    ("HTML 4.0 Frameset", "XHTML 1.0 Frameset", FRAMESET),
    ("HTML 3.2", "XHTML 1.0 Transitional", HTML32),
    ("HTML 3.2 Final", "XHTML 1.0 Transitional", HTML32),
    ("HTML 3.2 Draft", "XHTML 1.0 Transitional", HTML32),
    ("HTML 2.0", "XHTML 1.0 Strict", HTML20),
    ("HTML 4.01", "XHTML 1.1", XHTML11),
];
