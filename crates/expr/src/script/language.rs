//! The languages of scripts.

/// The language whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rhino 1.7.14.
    JavaScript,
    /// Commons JEXL 2.1.1.
    Jexl2,
    /// Commons JEXL 3.2.1.
    Jexl3,
    /// Groovy 3.0.20.
    Groovy,
    /// BeanShell 2.0b6.
    BeanShell,
}

impl Language {
    pub(super) fn is_jexl(self) -> bool {
        matches!(self, Self::Jexl2 | Self::Jexl3)
    }

    /// Whether scripts of several statements are understood.
    pub(super) fn has_statements(self) -> bool {
        matches!(self, Self::Groovy | Self::BeanShell)
    }
}
