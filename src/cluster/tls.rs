//! Encrypted connections to the broker: when there must be one, which authorities are trusted, and why there is none.

use std::path::Path;

use tokio_rustls::rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use super::message::printable;
use crate::config::{ClusterConfig, read_file};

/// Whether no message, the login included, may go to a broker unencrypted. An address asks for it, or an authority is
/// named: whoever names one expects encryption, also where the address is not `tls://`.
pub(super) fn is_required(config: &ClusterConfig) -> bool {
    let mut servers = config.servers.iter();
    config.tls_ca.is_some() || servers.any(crate::config::BrokerAddress::is_encrypted)
}

/// Checks the file of authorities.
///
/// # Errors
/// Why the client could not use it, as a message. The client would find that out only when it connects, and would take
/// a file without certificates for one that trusts nobody.
pub(super) fn check_authorities(path: &Path) -> Result<(), String> {
    let bytes = read_file(path).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|_| "a certificate in it cannot be read".to_owned())?;
    }
    if roots.is_empty() {
        return Err("it holds no certificate in PEM form".to_owned());
    }
    Ok(())
}

/// Why there is no TLS session, and what to do, from the text of the client; `None`: the text is about something else.
///
/// The client has only texts of its errors, which are those of `rustls`.
pub(super) fn fault(text: &str) -> Option<String> {
    let certificate = text.strip_prefix("invalid peer certificate: ");
    let certificate =
        certificate.map(|fault| format!("the broker's certificate {}", of_certificate(fault)));
    certificate.or_else(|| {
        if text.starts_with("received corrupt message") || text == "tls handshake eof" {
            return Some(NO_TLS.to_owned());
        }
        // Only a server that demands certificates of clients sends the first two of these alerts.
        if let Some(alert) = text.strip_prefix("received fatal alert: ") {
            return Some(match alert {
                "CertificateRequired" | "BadCertificate" => CLIENT_CERTIFICATE.to_owned(),
                other => format!(
                    "the broker refuses the TLS session: {}; {CHECK_TLS}",
                    printable(other, 100)
                ),
            });
        }
        let error = text.strip_prefix("TLS error: ")?;
        let Some(unread) = error.strip_prefix("could not load platform certs: ") else {
            return Some(format!("no TLS session: {}; {CHECK_TLS}", printable(error, 200)));
        };
        Some(format!(
            "the certificates of the system cannot be read ({}); name the file of the broker's authority in \
             cluster.tls_ca",
            printable(unread, 200)
        ))
    })
}

/// What is wrong with a certificate.
fn of_certificate(fault: &str) -> String {
    if let Some(rest) = fault.strip_prefix("certificate not valid for name \"") {
        let name = rest.split('"').next().unwrap_or_default();
        let name = printable(name, 100);
        return format!(
            "is not for {name}; in cluster.servers write a name that the certificate contains"
        );
    }
    let words = if fault.starts_with("UnknownIssuer") {
        "is signed by an authority that is not known; name the file of that authority in cluster.tls_ca"
    } else if fault.starts_with("certificate expired") {
        "has expired, or the clock of this machine is wrong"
    } else if fault.starts_with("certificate not valid yet") {
        "is not valid yet, or the clock of this machine is wrong"
    } else if fault.contains("CaUsedAsEndEntity") {
        // `openssl req -x509` makes such a certificate by default.
        "is the certificate of an authority, and a server cannot use that; make one with \
         `basicConstraints=critical,CA:FALSE`"
    } else {
        return format!("is not accepted: {}; give it another one", printable(fault, 200));
    };
    words.to_owned()
}

const CHECK_TLS: &str = "check the block `tls` of the broker's configuration, and its certificate";
const NO_TLS: &str = "the broker does not speak TLS on this port; set up `tls` in its configuration, or, to do without \
                      encryption, use nats:// and no cluster.tls_ca";
const CLIENT_CERTIFICATE: &str = "the broker demands a certificate of its clients, which kyomi does not support; remove \
                                  `verify` from the block `tls` of its configuration";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_rustls::rustls::{
        AlertDescription, CertificateError, Error, InvalidMessage,
        pki_types::{ServerName, UnixTime},
    };

    use super::*;
    use crate::config::Config;

    #[test]
    fn the_texts_of_the_client_are_known() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let expected = ServerName::try_from("a.example").unwrap();
        let wrong_name = CertificateError::NotValidForNameContext {
            expected,
            presented: vec!["\u{1b}[31m".to_owned()],
        };
        let expired = CertificateError::ExpiredContext { time: at(2), not_after: at(1) };
        let early = CertificateError::NotValidYetContext { time: at(1), not_before: at(2) };
        for (error, words) in [
            (CertificateError::UnknownIssuer.into(), "cluster.tls_ca"),
            (wrong_name.into(), "is not for a.example;"),
            (expired.into(), "has expired"),
            (early.into(), "is not valid yet"),
            (CertificateError::Revoked.into(), "is not accepted: Revoked; give it another one"),
            (Error::InvalidMessage(InvalidMessage::InvalidContentType), "does not speak TLS"),
            (Error::AlertReceived(AlertDescription::CertificateRequired), "kyomi does not support"),
            (Error::AlertReceived(AlertDescription::BadCertificate), "kyomi does not support"),
            (
                Error::AlertReceived(AlertDescription::ProtocolVersion),
                "session: ProtocolVersion; check",
            ),
        ] {
            let text = fault(&error.to_string()).unwrap_or_else(|| panic!("{error}"));
            assert!(text.contains(words) && !text.contains('\u{1b}'), "{text}");
        }
        let unread = fault("TLS error: could not load platform certs: no\u{1b} file").unwrap();
        assert!(unread.contains("(no file); name the file of the"), "{unread}");
        let other = fault("TLS error: some\u{1b} fault").unwrap();
        assert!(other.contains("no TLS session: some fault; check the block"), "{other}");
        assert_eq!(fault("Connection refused (os error 111)"), None);
    }

    #[test]
    fn encryption_is_required_by_an_address_or_an_authority() {
        for (keys, required) in [
            ("servers = [\"nats://a\"]", false),
            ("servers = [\"nats://a\", \"tls://b\"]", true),
            ("servers = [\"nats://a\"]\ntls_ca = \"ca.pem\"", true),
        ] {
            let text = format!("[cluster]\n{keys}");
            let config = Config::from_text("test", &text, [], &[]).unwrap().config;
            assert_eq!(is_required(&config.cluster.unwrap()), required, "{keys}");
        }
    }
}
