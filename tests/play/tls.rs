//! The server line over TLS: a proxy of the test decrypts it, with a certificate made here.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime::Runtime,
    sync::watch,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

use super::support::{moves_of, script_engine};
use crate::common::connection::Desk;
use crate::common::folder::Folder;

/// Decrypts connections and passes them on.
struct Proxy {
    address: SocketAddr,
    /// The certificate in PEM form, which is its own authority.
    certificate: String,
    cuts: watch::Sender<()>,
    _runtime: Runtime,
}

impl Proxy {
    /// A server named `name` in its certificate, in front of this port.
    fn start(name: &str, port: u16) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let settings = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(settings));
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (cuts, cut) = watch::channel(());
        runtime.spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { return };
                let (acceptor, mut cut) = (acceptor.clone(), cut.clone());
                cut.mark_unchanged();
                tokio::spawn(async move {
                    let Ok(mut client) = acceptor.accept(client).await else { return };
                    let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        // Dropped as they are, without an end of the TLS session.
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Self { address, certificate: made.cert.pem(), cuts, _runtime: runtime }
    }

    /// A configuration of the desk, through this proxy.
    fn config(&self, folder: &Folder, desk: &Desk, engine: &str, more: &str) -> String {
        folder.write("ca.pem", &self.certificate);
        with_tls(&desk.config(1, engine), desk.port(), self.address.port(), more)
    }
}

fn with_tls(config: &str, from: u16, to: u16, more: &str) -> String {
    config.replace(&format!("port = {from}\n"), &format!("port = {to}\ntls = true\n{more}"))
}

const OUR_AUTHORITY: &str = "tls_ca = \"ca.pem\"\n";

#[test]
fn a_game_over_tls_survives_a_cut_connection() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let proxy = Proxy::start("127.0.0.1", desk.port());
    let engine = script_engine("usinewgame) set -- 7g7f 2g2f;; go*) echo bestmove $1; shift;;");
    let running = folder.play(&proxy.config(&folder, &desk, &engine, OUR_AUTHORITY));
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T2");
    folder.await_log("ply=1");
    proxy.cuts.send(()).unwrap();
    drop(peer);
    let mut peer = desk.welcome();
    peer.continue_with("g1", '+', &["+7776FU,T2", "-3334FU,T1"], "");
    assert_eq!(peer.line(), "+2726FU");
    peer.send("+2726FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black"]);
    assert_eq!(moves_of(&folder.games(".csa")[0]), ["+7776FU", "-3334FU", "+2726FU"]);
}

#[test]
fn a_certificate_that_proves_nothing_is_one_clear_error() {
    for (name, more, words) in [
        ("other.example", OUR_AUTHORITY, "certificate is not for 127.0.0.1"),
        ("127.0.0.1", "", "signed by an authority that is not known"),
        ("127.0.0.1", "tls_ca = \"kyomi.toml\"\n", "no certificate in PEM form"),
        ("127.0.0.1", "tls_ca = \"nowhere.pem\"\n", "server.tls_ca: nowhere.pem"),
    ] {
        let (folder, desk) = (Folder::new(), Desk::open());
        let proxy = Proxy::start(name, desk.port());
        let config = proxy.config(&folder, &desk, "kind = \"random\"", more);
        let finished = folder.play(&config).finish().exited(1);
        assert!(finished.error().contains(words), "{}", finished.error());
        assert!(!finished.stderr.contains("secret"), "{}", finished.stderr);
    }
}

#[test]
fn a_server_without_tls_gets_no_password() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let config = with_tls(&desk.config(1, "kind = \"random\""), desk.port(), desk.port(), "");
    let running = folder.play(&config);
    let mut peer = desk.accept();
    peer.send("LOGIN:incorrect");
    let heard = peer.rest();
    assert!(!String::from_utf8_lossy(&heard).contains("secret"));
    let finished = running.finish().exited(1);
    assert!(finished.error().contains("does not speak TLS"), "{}", finished.error());
}

#[test]
fn check_names_the_encryption() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let proxy = Proxy::start("127.0.0.1", desk.port());
    folder.write("my.toml", proxy.config(&folder, &desk, "kind = \"random\"", OUR_AUTHORITY));
    let answering = std::thread::spawn(move || {
        let mut peer = desk.welcome();
        while peer.line_or_end().is_some_and(|line| line != "LOGOUT") {
            peer.send("");
        }
    });
    let finished = folder.run(&["check", "--config", "my.toml"]).exited(0);
    answering.join().unwrap();
    let server = finished.stdout.lines().find(|line| line.starts_with("server: ok: ")).unwrap();
    assert!(server.contains("TLSv1.3"), "{server}");
}
