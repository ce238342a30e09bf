//! A door to what makes file names of what a server sends, for the fuzz targets of `fuzz/`: no judgement here.

/// What Save Responses puts behind the dot of a file name for a content type.
pub fn suffix(content_type: &str) -> String {
    crate::response_saver::suffix(content_type)
}
