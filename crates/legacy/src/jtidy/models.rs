//! Where an element may stand, as bits (`org.w3c.tidy.Dict.CM_*`).

/// It has no content.
pub(super) const EMPTY: u32 = 1;
pub(super) const HTML: u32 = 1 << 1;
pub(super) const HEAD: u32 = 1 << 2;
pub(super) const BLOCK: u32 = 1 << 3;
pub(super) const INLINE: u32 = 1 << 4;
pub(super) const LIST: u32 = 1 << 5;
pub(super) const DEFLIST: u32 = 1 << 6;
pub(super) const TABLE: u32 = 1 << 7;
pub(super) const ROWGRP: u32 = 1 << 8;
pub(super) const ROW: u32 = 1 << 9;
/// A part of a form.
pub(super) const FIELD: u32 = 1 << 10;
pub(super) const OBJECT: u32 = 1 << 11;
pub(super) const PARAM: u32 = 1 << 12;
pub(super) const FRAMES: u32 = 1 << 13;
pub(super) const HEADING: u32 = 1 << 14;
/// Its end tag may be missing.
pub(super) const OPT: u32 = 1 << 15;
pub(super) const IMG: u32 = 1 << 16;
/// Block or inline, as it comes.
pub(super) const MIXED: u32 = 1 << 17;
pub(super) const OBSOLETE: u32 = 1 << 19;
