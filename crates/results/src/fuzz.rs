//! Access to the code that makes file names from server data, for the fuzz targets in `fuzz/`.

/// What Save Responses puts behind the dot of a file name for a content type.
pub fn suffix(content_type: &str) -> String {
    crate::response_saver::suffix(content_type)
}
