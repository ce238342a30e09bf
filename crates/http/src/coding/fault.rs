//! Errors of an encoded body, with the messages of Java's streams.

/// An error in an encoded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It ends before its text does.
    CutOff,
    /// All of the text is there, and of what follows it (RFC 1952 §2.3: sum and size) something is
    /// missing.
    NoTrailer,
    /// It ends before its head does.
    NoHead,
    /// A head of gzip that is none; why.
    Head(&'static str),
    /// Sum or size are those of another text.
    Trailer,
    /// What zlib says.
    Data(String),
    /// Fewer than the two bytes that tell which form of `deflate` it is.
    NoDeflate,
    /// Not Brotli.
    Brotli,
    /// More codings than are decoded.
    TooMany(usize),
}

impl Fault {
    /// Class and message of the exception.
    pub(crate) fn exception(&self) -> (&'static str, Option<String>) {
        const END: &str = "java.io.EOFException";
        const ZIP: &str = "java.util.zip.ZipException";
        match self {
            Self::CutOff => (END, Some("Unexpected end of ZLIB input stream".to_owned())),
            Self::NoTrailer | Self::NoHead => (END, None),
            Self::Head(why) => (ZIP, Some((*why).to_owned())),
            Self::Trailer => (ZIP, Some("Corrupt GZIP trailer".to_owned())),
            Self::Data(words) => (ZIP, Some(words.clone())),
            Self::NoDeflate => (ZIP, Some("Unexpected end of stream".to_owned())),
            Self::Brotli => ("java.io.IOException", Some("Brotli stream decoding failed".to_owned())),
            Self::TooMany(most) => {
                ("java.io.IOException", Some(format!("Content-Encoding names more than {most} codings")))
            }
        }
    }

    /// Java's stream has ended too early while it was read: what JMeter's relaxed modes forgive.
    pub(super) fn is_early_end(&self) -> bool {
        matches!(self, Self::CutOff | Self::NoTrailer)
    }
}
