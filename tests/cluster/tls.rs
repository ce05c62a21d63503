//! Encrypted connections to a real server: who reaches it, and what is said and sent where none comes about.
//!
//! The passwords of the tests contain `hush`, so that neither an output nor a line of the network may contain it.

use std::{
    io::{BufRead as _, BufReader, Read},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};

use crate::{
    broker::{Broker, COORDINATOR_PASSWORD, PATIENCE, WORKER_PASSWORD},
    common::folder::Folder,
    listener::Listener,
};

const SAMPLE: &str = include_str!("../../config/nats-server.conf");

/// Writes an authority (`ca.pem`), another one (`other.pem`), and the certificate of a server with this name.
fn write_certificates(folder: &Folder, name: &str) {
    let authority = authority("the authority");
    folder.write("ca.pem", authority.pem());
    folder.write("other.pem", self::authority("another one").pem());
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    folder.write("broker.pem", params.signed_by(&key, &authority).unwrap().pem());
    folder.write("broker.key", key.serialize_pem());
}

/// Writes the certificate of a server named `localhost` that is signed by itself, as `docs/machines.md` makes it.
fn write_own_certificate(folder: &Folder, is_ca: IsCa) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.is_ca = is_ca;
    folder.write("broker.pem", params.self_signed(&key).unwrap().pem());
    folder.write("broker.key", key.serialize_pem());
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// The sample configuration with its block `tls`, and these lines in that block. The certificates are in the folder.
fn encrypted(folder: &Folder, more: &str) -> Option<Broker> {
    let block = "# tls {\n#   cert_file: \"/etc/nats/broker.pem\"\n#   key_file: \"/etc/nats/broker.key\"\n# }\n";
    assert!(SAMPLE.contains(block), "the sample has another block");
    let place = folder.path().display();
    let block_here =
        block.replace("# ", "").replace('#', "").replace("/etc/nats", &place.to_string());
    let block_here = block_here.replace('}', &format!("{more}\n}}"));
    folder.write("broker.conf", SAMPLE.replace(block, &block_here));
    Broker::start(&["-c", folder.path().join("broker.conf").to_str().unwrap()])
}

/// An encrypted broker at `localhost`, and a listener through which clients reach it.
fn behind_listener(folder: &Folder) -> Option<(Broker, Listener)> {
    write_certificates(folder, "localhost");
    let broker = encrypted(folder, "")?;
    let line = Listener::in_front_of(broker.port());
    Some((broker, line))
}

/// Runs `kyomi check` as the coordinator with this broker.
fn check(folder: &Folder, servers: &str, more: &[&str]) -> Checked {
    let servers = format!("cluster.servers={servers}");
    let fixed = ["check", "--set", "cluster.user=coordinator", "--set", "engine.hash=16MiB"];
    let mut command = folder.kyomi(&[&fixed[..], &["--set", &servers], more].concat());
    command.env("KYOMI_CLUSTER_PASSWORD", COORDINATOR_PASSWORD);
    Checked::of(command.output().unwrap())
}

/// What `kyomi check` has printed.
struct Checked {
    code: Option<i32>,
    output: String,
    errors: String,
}

impl Checked {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (code, output, errors) =
            (output.status.code(), text(output.stdout), text(output.stderr));
        assert!(!output.contains("hush") && !errors.contains("hush"), "{output}{errors}");
        Self { code, output, errors }
    }

    /// The one line about the broker.
    #[track_caller]
    fn broker(&self) -> &str {
        let mut lines = self.output.lines().filter(|line| line.starts_with("broker: "));
        let line = lines.next().unwrap_or_else(|| panic!("{}{}", self.output, self.errors));
        assert_eq!(lines.next(), None);
        eprintln!("{line}");
        line
    }

    /// The broker is not reached, for a reason with these words.
    #[track_caller]
    fn failed(&self, words: &[&str]) {
        let line = self.broker();
        assert!(line.starts_with("broker: failed: "), "{line}");
        for words in words {
            assert!(line.contains(words), "{words}: {line}");
        }
        assert_eq!(self.code, Some(1), "{}{}", self.output, self.errors);
    }
}

/// A running `kyomi worker`, killed with this value.
struct Worker {
    child: Child,
    lines: mpsc::Receiver<String>,
    errors: mpsc::Receiver<String>,
}

impl Worker {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let fixed = ["worker", "--name", "attic", "--set", "cluster.user=worker"];
        let mut command = folder.kyomi(&[&fixed, arguments].concat());
        command.env("KYOMI_CLUSTER_PASSWORD", WORKER_PASSWORD);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let errors = lines_of(child.stderr.take().unwrap());
        Self { child, lines, errors }
    }

    /// The next line of its standard output.
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line of the worker")
    }

    /// Asks it to end. Returns its exit code, and its errors but for the line about the signal.
    fn end(&mut self) -> (Option<i32>, Vec<String>) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        let errors = self.errors.iter().filter(|line| !line.contains("signal to")).collect();
        (code, errors)
    }
}

/// Reads lines until the output ends.
fn lines_of(output: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    lines
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

const OUR_AUTHORITY: [&str; 2] = ["--set", "cluster.tls_ca=ca.pem"];

#[test]
fn a_worker_and_the_machine_that_plays_meet_at_an_encrypted_broker() {
    let folder = Folder::new();
    let Some((mut broker, line)) = behind_listener(&folder) else { return };
    let url = format!("tls://localhost:{}", line.port());
    let small = ["--threads", "1", "--hash", "16MiB", &url];
    let mut worker = Worker::start(&folder, &[&OUR_AUTHORITY[..], &small].concat());
    assert!(worker.line().starts_with("ready attic threads 1 "));
    let connected = format!("connected {url} room kyomi");
    assert_eq!(worker.line(), connected);
    let found = check(&folder, &url, &OUR_AUTHORITY);
    assert!(found.broker().starts_with(&format!("broker: ok: {url}: connected, encrypted; ")));
    assert!(found.output.contains("worker: ok: attic: "), "{}", found.output);
    assert_eq!(found.code, Some(0), "{}{}", found.output, found.errors);
    // After a restart of the broker it is there again.
    broker.kill();
    broker.restart();
    assert_eq!(worker.line(), connected);
    assert_eq!(worker.end().0, Some(0));
    line.heard_no_login();
}

#[test]
fn a_worker_does_the_jobs_of_an_encrypted_broker() {
    let folder = Folder::new();
    write_certificates(&folder, "localhost");
    let Some(broker) = encrypted(&folder, "") else { return };
    let url = format!("tls://localhost:{}", broker.port());
    let worker = Worker::start(&folder, &[&OUR_AUTHORITY[..], &["--jobs", "1", &url]].concat());
    assert!(worker.line().starts_with("ready attic jobs 1 "));
    let servers = format!("cluster.servers={url}");
    let players = ["match", "--a", "builtin", "--b", "builtin hash=4", "--tc", "nodes=50"];
    let rest = ["--games", "2", "--max-moves", "20", "--out", "match", "--room", "kyomi"];
    let sets = ["--set", &servers, "--set", "cluster.user=coordinator"];
    let mut command = folder.kyomi(&[&players[..], &rest, &sets, &OUR_AUTHORITY].concat());
    command.env("KYOMI_CLUSTER_PASSWORD", COORDINATOR_PASSWORD);
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(worker.line(), format!("connected {url} room kyomi"));
}

#[test]
fn a_certificate_that_proves_nothing_is_one_clear_line_and_no_password_is_sent() {
    let folder = Folder::new();
    let Some((_broker, line)) = behind_listener(&folder) else { return };
    let unknown = ["signed by an authority that is not known", "in cluster.tls_ca"];
    for (address, more, words) in [
        ("tls://localhost", &[][..], &unknown[..]),
        ("tls://localhost", &["--set", "cluster.tls_ca=other.pem"], &unknown),
        ("tls://127.0.0.1", &OUR_AUTHORITY, &["certificate is not for 127.0.0.1"]),
        // An address that does not ask for encryption: the broker does, and its certificate counts in the same way.
        ("nats://localhost", &[], &unknown),
    ] {
        check(&folder, &format!("{address}:{}", line.port()), more).failed(words);
    }
    line.heard_no_login();
}

#[test]
fn a_worker_tries_a_broker_that_it_does_not_trust_again_with_one_warning() {
    let folder = Folder::new();
    let Some((_broker, line)) = behind_listener(&folder) else { return };
    let url = format!("tls://localhost:{}", line.port());
    let mut worker = Worker::start(&folder, &["--jobs", "1", &url]);
    line.await_connections(4);
    let (code, errors) = worker.end();
    assert_eq!((code, errors.len()), (Some(0), 1), "{errors:?}");
    assert!(errors[0].contains("in cluster.tls_ca; trying again"), "{errors:?}");
    assert!(!errors[0].contains("hush") && !line.heard().contains("hush"));
}

#[test]
fn a_broker_that_demands_encryption_gets_it_at_an_address_that_does_not_ask_for_it() {
    let folder = Folder::new();
    let Some((_broker, line)) = behind_listener(&folder) else { return };
    let url = format!("nats://localhost:{}", line.port());
    let found = check(&folder, &url, &OUR_AUTHORITY);
    assert!(found.broker().contains(": connected, encrypted; "), "{}", found.output);
    line.heard_no_login();
}

#[test]
fn a_broker_without_encryption_gets_no_password_where_encryption_is_asked_for() {
    let folder = Folder::new();
    write_certificates(&folder, "localhost");
    let line = Listener::without_tls();
    let (tls, nats) =
        (format!("tls://localhost:{}", line.port()), format!("nats://localhost:{}", line.port()));
    let words = ["the broker does not speak TLS"];
    check(&folder, &tls, &[]).failed(&words);
    check(&folder, &tls, &OUR_AUTHORITY).failed(&words);
    // Whoever names an authority expects encryption.
    check(&folder, &nats, &OUR_AUTHORITY).failed(&words);
    line.heard_no_login();

    let line = Listener::without_tls();
    let servers = format!("cluster.servers=nats://localhost:{} tls://localhost:9", line.port());
    let mut worker = Worker::start(&folder, &["--jobs", "1", "--set", &servers]);
    // The other address refuses connections. They are tried in any order.
    while !worker.errors.recv_timeout(PATIENCE).expect("the reason").contains(words[0]) {}
    worker.end();
    line.heard_no_login();

    let line = Listener::without_tls();
    let url = format!("tls://localhost:{}", line.port());
    let mut worker = Worker::start(&folder, &["--jobs", "1", &url]);
    line.await_connections(4);
    let (code, errors) = worker.end();
    assert_eq!((code, errors.len()), (Some(0), 1), "{errors:?}");
    assert!(errors[0].contains(words[0]) && !errors[0].contains("hush"), "{errors:?}");
    line.heard_no_login();

    // The real server closes the connection.
    let Some(broker) = Broker::start(&[]) else { return };
    check(&folder, &format!("tls://localhost:{}", broker.port()), &[]).failed(&words);
}

#[test]
fn a_file_of_authorities_that_cannot_be_used_is_named_before_anything_is_sent() {
    let folder = Folder::new();
    folder.write("empty.pem", "no certificate");
    folder.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let line = Listener::without_tls();
    let url = format!("tls://localhost:{}", line.port());
    for (file, words) in [
        ("nowhere.pem", "cluster.tls_ca: nowhere.pem: "),
        ("empty.pem", "no certificate in PEM form"),
        ("broken.pem", "cluster.tls_ca: broken.pem: "),
    ] {
        let set = format!("cluster.tls_ca={file}");
        check(&folder, &url, &["--set", &set]).failed(&[words]);
        let arguments = ["worker", "--jobs", "1", "--set", &set, &url];
        let (_, error) = folder.run_with_code(&arguments, 2);
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(line.connections(), 0);
}

#[test]
fn a_certificate_that_the_broker_signed_itself_is_trusted_if_it_is_named_and_is_no_authority() {
    let folder = Folder::new();
    for (is_ca, words) in [
        (IsCa::ExplicitNoCa, "broker: ok: "),
        (IsCa::Ca(BasicConstraints::Unconstrained), "is the certificate of an authority"),
    ] {
        write_own_certificate(&folder, is_ca);
        let Some(broker) = encrypted(&folder, "") else { return };
        let url = format!("tls://localhost:{}", broker.port());
        let found = check(&folder, &url, &["--set", "cluster.tls_ca=broker.pem"]);
        assert!(found.broker().contains(words), "{}{}", found.output, found.errors);
    }
}

#[test]
fn a_broker_that_demands_certificates_of_its_clients_is_not_supported() {
    let folder = Folder::new();
    write_certificates(&folder, "localhost");
    let authorities =
        format!("  ca_file: \"{}\"\n  verify: true", folder.path().join("ca.pem").display());
    let Some(broker) = encrypted(&folder, &authorities) else { return };
    let url = format!("tls://localhost:{}", broker.port());
    let worker = Worker::start(&folder, &[&OUR_AUTHORITY[..], &["--jobs", "1", &url]].concat());
    // If the broker closes the connection before the login is written, that is the reason at first.
    let words = "demands a certificate of its clients, which kyomi does not support";
    while !worker.errors.recv_timeout(PATIENCE).expect("the reason").contains(words) {}
}
