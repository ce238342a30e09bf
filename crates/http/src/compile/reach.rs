//! Swell's properties for the route to servers: the certificates that samplers trust (JMeter's
//! trust all), and the addresses to connect to instead.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use swell_api::CompileContext;
use swell_connect::Routes;
use swell_plan::{Element, Severity};

/// Property: a file of certificates in PEM form whose servers are trusted, or `machine` for those
/// that this machine trusts; all are where it is empty.
const TRUST: &str = "swell.http.trust";

/// Property: a socket in the file system that all connections go to.
const UNIX_SOCKET: &str = "swell.http.unix_socket";

/// Property: `HOST:PORT:HOST:PORT`, separated by commas (curl's `--connect-to`).
const CONNECT_TO: &str = "swell.http.connect_to";

/// Trusted certificate authorities (DER); `None` if every certificate is trusted.
pub(crate) type Roots = Option<Arc<Vec<Vec<u8>>>>;

type LoadedRoots = OnceLock<Result<Roots, String>>;

/// Reads them once for all workers. What cannot be read refuses the plan: to trust everybody
/// instead would be a lie.
pub(super) fn roots(sampler: &Element, compile: &CompileContext) -> Roots {
    let loaded: Arc<LoadedRoots> = compile.expr.shared.get("http trust", LoadedRoots::default);
    match loaded.get_or_init(|| load(compile)) {
        Ok(roots) => roots.clone(),
        Err(why) => {
            super::keystore::note_once(compile, sampler, Severity::Error, why, None);
            None
        }
    }
}

/// The replaced destinations of connections. An invalid route refuses the plan.
pub(super) fn routes(sampler: &Element, compile: &CompileContext) -> Option<Routes> {
    let property = |name: &str| compile.props.get(name).filter(|text| !text.is_empty());
    let unix = property(UNIX_SOCKET).map(PathBuf::from);
    Routes::parse(unix, &property(CONNECT_TO).unwrap_or_default()).unwrap_or_else(|why| {
        let what = format!("{CONNECT_TO}: {why}");
        super::keystore::note_once(compile, sampler, Severity::Error, &what, None);
        None
    })
}

fn load(compile: &CompileContext) -> Result<Roots, String> {
    let Some(file) = compile.props.get(TRUST).filter(|file| !file.is_empty()) else { return Ok(None) };
    let wrong = |why: String| format!("{TRUST}: cannot read certificates from `{file}`: {why}");
    let roots = if file == "machine" {
        swell_connect::machine_roots()
    } else {
        let text = compile.host.read_file(file.as_ref()).map_err(|error| wrong(error.to_string()))?;
        swell_connect::certificates_of_pem(&text).map_err(|error| wrong(error.to_string()))?
    };
    // Whether they are certificates at all.
    swell_connect::TlsConfig::trust_all()
        .with_roots(&roots)
        .map_err(|_| wrong("it contains no usable certificate in PEM format".to_owned()))?;
    Ok(Some(Arc::new(roots)))
}
