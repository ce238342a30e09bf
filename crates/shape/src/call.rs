//! A call in a load profile.

/// A call with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call<'t> {
    pub(crate) name: &'t str,
    pub(crate) arguments: Vec<&'t str>,
}
