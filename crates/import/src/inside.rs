//! Paths that a foreign file names.

/// A path that a foreign file names, if it stays in the folder of the plan; with `/` between its
/// parts.
///
/// # Errors
/// Why it does not: it is absolute, has `..`, a drive, or a character that no file name should
/// have.
pub fn inside_path(path: &str) -> Result<String, &'static str> {
    if path.is_empty() {
        return Err("the file has no name");
    }
    if path.contains(|c: char| c.is_control()) {
        return Err("its name has a control character");
    }
    let path = path.replace('\\', "/");
    let is_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.starts_with('/') || path.starts_with('~') || is_drive {
        return Err("files are taken from the folder of the plan only: write a relative path");
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err("files are taken from the folder of the plan only: a path with `..` leaves it");
    }
    if parts.is_empty() {
        return Err("it is a folder");
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::inside_path;

    #[test]
    fn only_paths_inside_the_folder_are_taken() {
        for (path, wanted) in [
            ("a.json", Some("a.json")),
            ("./b//c.txt", Some("b/c.txt")),
            ("b\\c.txt", Some("b/c.txt")),
            ("..a/b..", Some("..a/b..")),
            ("", None),
            (".", None),
            ("/etc/passwd", None),
            ("C:\\x", None),
            ("~/x", None),
            ("a/../../b", None),
            ("a\\..\\b", None),
            ("a\nb", None),
        ] {
            assert_eq!(inside_path(path).ok().as_deref(), wanted, "{path}");
        }
    }
}
