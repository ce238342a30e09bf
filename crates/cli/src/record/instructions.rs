//! How clients use the proxy and trust its certificate.

use std::fmt::Write as _;
use std::net::SocketAddr;

use swell_record::Authority;

/// What to look at when nothing was recorded.
pub(super) const NOTHING: &str = "does the client use the proxy, and is its host among those of --host?";

/// For `swell record ca`.
pub(super) fn of_authority(authority: &Authority) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{}, until {}", authority.name(), authority.until());
    let _ = writeln!(out, "{}\n", authority.certificate_file().display());
    out + &clients("http://127.0.0.1:8888", "127.0.0.1", 8888, authority)
        + "\nRemove it from the client's trust store after recording.\n"
}

/// For `swell record --proxy`.
pub(super) fn of_clients(address: SocketAddr, authority: &Authority) -> String {
    let host = address.ip().to_string();
    let mut out = format!("proxy for HTTP and HTTPS: http://{address}\n");
    let file = authority.certificate_file();
    let _ = writeln!(out, "certificate to trust: {} (until {})", file.display(), authority.until());
    out + &clients(&format!("http://{address}"), &host, address.port(), authority)
}

fn clients(url: &str, host: &str, port: u16, authority: &Authority) -> String {
    let file = authority.certificate_file();
    let file = file.display();
    format!(
        "\
  curl     curl --proxy {url} --cacert {file} https://...
  Firefox  Settings > Network Settings: manual proxy {host} port {port}, also for HTTPS;
           Settings > Certificates > View Certificates > Authorities > Import
  Java     keytool -importcert -noprompt -alias swell-record -storetype PKCS12 -storepass changeit \\
             -keystore recorder.p12 -file {file}
           java -Dhttp.proxyHost={host} -Dhttp.proxyPort={port} -Dhttps.proxyHost={host} \\
             -Dhttps.proxyPort={port} -Djavax.net.ssl.trustStore=recorder.p12 ...
  Node     NODE_EXTRA_CA_CERTS={file} NODE_USE_ENV_PROXY=1 HTTPS_PROXY={url} node ...
  Python   REQUESTS_CA_BUNDLE={file} HTTPS_PROXY={url} HTTP_PROXY={url} python ...
  phone    --proxy with an address of your network and --allow-remote; set it as the proxy of the
           Wi-Fi, open http://ADDRESS:PORT/ca.pem, and install the certificate
"
    )
}
