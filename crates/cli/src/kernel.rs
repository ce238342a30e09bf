//! Whether the kernel is new enough.

/// The oldest kernel that Swell is tested on: major and minor number.
const OLDEST: (u32, u32) = (5, 4);

/// The release of the running kernel, such as `6.1.0-18-amd64`.
pub(crate) fn release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// Whether a release is older than what Swell supports. One that cannot be read is not.
pub(crate) fn is_too_old(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().ok());
    let major = numbers.next().flatten();
    let minor = numbers.next().flatten();
    major.zip(minor).is_some_and(|version| version < OLDEST)
}

/// What a run says on a kernel that is too old.
pub(crate) fn warning() -> Option<String> {
    let release = release();
    is_too_old(&release).then(|| {
        format!(
            "Linux {release} is older than {}, the oldest kernel that Swell supports: commands can fail, and times can be less accurate",
            oldest()
        )
    })
}

/// The oldest supported kernel.
pub(crate) fn oldest() -> String {
    format!("{}.{}", OLDEST.0, OLDEST.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_their_numbers() {
        let old = ["2.6.60", "4.18.0-553.el8_10.x86_64", "5.3.18-lp152", "5.3"].map(is_too_old);
        assert_eq!(old, [true; 4]);
        let new = ["5.4.0-generic", "5.10.0", "6.1.0-18-amd64", "10.0", "custom", ""].map(is_too_old);
        assert_eq!(new, [false; 6]);
    }
}
