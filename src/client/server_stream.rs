//! The connection to a server, with TLS where the configuration asks for it.

use std::{
    io,
    net::SocketAddr,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        CertificateError, ClientConfig, Error as TlsError, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

use crate::config::ServerConfig;

use super::connection::{Socket, connect};

/// A connected stream to a server.
#[derive(Debug)]
pub(super) enum ServerStream {
    Plain(Socket),
    Tls(Box<TlsStream<Socket>>),
    /// The stream of a test, within the process.
    #[cfg(test)]
    Memory(tokio::io::DuplexStream),
}

impl ServerStream {
    /// Connects, and makes a TLS session where the configuration asks for one. `known` as in [`connect`].
    ///
    /// # Errors
    /// As [`connect`]; or there is no TLS session, with a text about the reason and the remedy.
    pub(super) async fn connect(
        server: &ServerConfig,
        known: Option<SocketAddr>,
    ) -> io::Result<Self> {
        let socket = connect(&server.host, server.port, known).await?;
        if !server.tls {
            return Ok(Self::Plain(socket));
        }
        let settings = client_settings(server.tls_ca.as_deref())?;
        let host = server.host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host.clone()).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{host} cannot be in a certificate"),
            )
        })?;
        let connector = TlsConnector::from(Arc::new(settings));
        match timeout(HANDSHAKE_LIMIT, connector.connect(name, socket)).await {
            Ok(Ok(stream)) => Ok(Self::Tls(Box::new(stream))),
            Ok(Err(error)) => Err(io::Error::new(error.kind(), tls_error_text(&error, &host))),
            Err(_) => {
                let text = format!("{NO_TLS} (no answer within {} s)", HANDSHAKE_LIMIT.as_secs());
                Err(io::Error::new(io::ErrorKind::TimedOut, text))
            }
        }
    }

    /// Whether the server is on this machine or in its local network.
    pub(super) fn is_on_local_network(&self) -> bool {
        self.socket().is_some_and(Socket::is_on_local_network)
    }

    /// The server's address.
    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.socket().and_then(Socket::peer)
    }

    /// The version of TLS and its cipher, as text.
    pub(super) fn encryption(&self) -> Option<String> {
        let Self::Tls(stream) = self else { return None };
        let (_, session) = stream.get_ref();
        let version = session.protocol_version().and_then(|it| it.as_str()).unwrap_or("TLS");
        let cipher = session.negotiated_cipher_suite().and_then(|it| it.suite().as_str());
        Some(format!("{} {}", version.replace('_', "."), cipher.unwrap_or_default()))
    }

    /// `None` without a socket, in tests.
    #[cfg_attr(not(test), expect(clippy::unnecessary_wraps, reason = "tests have no socket"))]
    fn socket(&self) -> Option<&Socket> {
        match self {
            Self::Plain(socket) => Some(socket),
            Self::Tls(stream) => Some(stream.get_ref().0),
            #[cfg(test)]
            Self::Memory(_) => None,
        }
    }
}

/// The TLS settings: trusts the certificates of the file, or those of the public authorities if there is no file.
fn client_settings(authorities: Option<&Path>) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let fault = |text: String| {
                let text = format!("server.tls_ca: {}: {text}", path.display());
                io::Error::new(io::ErrorKind::InvalidInput, text)
            };
            let certificates =
                CertificateDer::pem_file_iter(path).map_err(|error| fault(error.to_string()))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| fault(error.to_string()))?;
                roots.add(certificate).map_err(|error| fault(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(fault("it holds no certificate in PEM form".to_owned()));
            }
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Why there is no TLS session, and what to do.
fn tls_error_text(error: &io::Error, host: &str) -> String {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<TlsError>());
    match cause {
        Some(TlsError::InvalidCertificate(fault)) => match fault {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!("the server's certificate is not for {host}; write the name in it as server.host")
            }
            CertificateError::UnknownIssuer => {
                "the server's certificate is signed by an authority that is not known; name the file of that \
                 authority in server.tls_ca"
                    .to_owned()
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired, or the clock of this machine is wrong".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate is not valid yet, or the clock of this machine is wrong".to_owned()
            }
            // `openssl req -x509` makes such a certificate by default.
            other if other.to_string().contains("CaUsedAsEndEntity") => {
                "the server's certificate is that of an authority, which cannot be its own; make one with \
                 `basicConstraints=critical,CA:FALSE`"
                    .to_owned()
            }
            other => format!("the server's certificate is not accepted: {other}"),
        },
        Some(TlsError::InvalidMessage(_)) => NO_TLS.to_owned(),
        Some(other) => format!("no TLS session: {other}"),
        None if error.kind() == io::ErrorKind::UnexpectedEof => NO_TLS.to_owned(),
        None => format!("no TLS session: {error}"),
    }
}

const NO_TLS: &str =
    "the server does not speak TLS on this port; correct server.port, or set server.tls = false";

/// The longest wait for a TLS session.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

impl AsyncRead for ServerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(socket) => Pin::new(socket).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
            #[cfg(test)]
            Self::Memory(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for ServerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Plain(socket) => Pin::new(socket).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
            #[cfg(test)]
            Self::Memory(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(socket) => Pin::new(socket).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
            #[cfg(test)]
            Self::Memory(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(socket) => Pin::new(socket).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
            #[cfg(test)]
            Self::Memory(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
