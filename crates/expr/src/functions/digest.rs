//! `__digest(algorithm, text, salt, upper case, variable)` (JMeter's `DigestEncodeFunction`).

use ::digest::DynDigest;
use data_encoding::HEXLOWER;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;

struct Digest {
    algorithm: Template,
    text: Template,
    salt: Option<Template>,
    upper: Option<Template>,
    target: Target,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let algorithm = args.required();
    let text = args.required();
    let salt = args.optional();
    let upper = args.optional();
    Box::new(Digest { algorithm, text, salt, upper, target: args.target(scope) })
}

impl Function for Digest {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let algorithm = self.algorithm.text(cx);
        let text = self.text.text(cx);
        let salt = self.salt.as_ref().map(|salt| salt.text(cx));
        let parts = [text.as_bytes(), salt.as_deref().unwrap_or("").as_bytes()];
        let Some(mut digest) = hex_digest(&algorithm, &parts) else {
            cx.host.log(Level::Error, &format!("__digest: unknown algorithm `{}`", &*algorithm));
            // Java appends its null to the text.
            out.push_str("null");
            return Ok(());
        };
        if self.upper.as_ref().is_some_and(|upper| upper.text(cx).eq_ignore_ascii_case("true")) {
            digest.make_ascii_uppercase();
        }
        out.push_str(&digest);
        self.target.put(cx, &digest);
        Ok(())
    }
}

/// The digest of all parts in lower-case hexadecimal digits. Names are Java's, in any case.
pub(crate) fn hex_digest(algorithm: &str, parts: &[&[u8]]) -> Option<String> {
    let mut hasher: Box<dyn DynDigest> = match &*algorithm.to_ascii_uppercase() {
        "MD2" => Box::new(md2::Md2::default()),
        "MD5" => Box::new(md5::Md5::default()),
        "SHA" | "SHA1" | "SHA-1" => Box::new(sha1::Sha1::default()),
        "SHA224" | "SHA-224" => Box::new(sha2::Sha224::default()),
        "SHA256" | "SHA-256" => Box::new(sha2::Sha256::default()),
        "SHA384" | "SHA-384" => Box::new(sha2::Sha384::default()),
        "SHA512" | "SHA-512" => Box::new(sha2::Sha512::default()),
        "SHA-512/224" => Box::new(sha2::Sha512_224::default()),
        "SHA-512/256" => Box::new(sha2::Sha512_256::default()),
        "SHA3-224" => Box::new(sha3::Sha3_224::default()),
        "SHA3-256" => Box::new(sha3::Sha3_256::default()),
        "SHA3-384" => Box::new(sha3::Sha3_384::default()),
        "SHA3-512" => Box::new(sha3::Sha3_512::default()),
        _ => return None,
    };
    for part in parts {
        hasher.update(part);
    }
    Some(HEXLOWER.encode(&hasher.finalize()))
}
