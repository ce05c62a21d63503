//! Drives headless Chromium: opens pages, evaluates scripts, presses keys, looks at what was requested and logged.
//!
//! A [`Browser`] is one process with a profile of its own; each [`Page`] is a tab. All host names lead to this machine.
//! Every wait ends with a panic after [`PATIENCE`].

mod connection;
mod page;

use std::{
    cell::RefCell,
    ffi::OsString,
    process::{Child, Command, Stdio},
    rc::Rc,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::common::folder::Folder;
use connection::Connection;
pub(crate) use page::{Page, View};

/// The longest wait; it is reached only if something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running browser. It ends with this value.
pub(crate) struct Browser {
    child: Child,
    connection: Rc<RefCell<Connection>>,
    _profile: Folder,
}

impl Browser {
    /// Starts a browser; `None`, with a line on standard error, where there is none.
    ///
    /// # Panics
    /// There is none, and `KYOMI_REQUIRE_BROWSER=1` is set.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            let line = "chromium is not installed (KYOMI_BROWSER may name a browser)";
            assert_ne!(std::env::var("KYOMI_REQUIRE_BROWSER").as_deref(), Ok("1"), "{line}");
            eprintln!("skipped: {line}");
            return None;
        };
        let profile = Folder::new();
        let mut command = Command::new("sh");
        // The browser reads from descriptor 3 and writes to 4.
        command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >&2"#]).arg(program);
        command.args(FLAGS).arg(format!("--user-data-dir={}", profile.path().display()));
        let output = [Stdio::piped(), Stdio::piped(), Stdio::null()];
        let [stdin, stdout, stderr] = output;
        let mut child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn().unwrap();
        let to = child.stdin.take().unwrap();
        let from = child.stdout.take().unwrap();
        let connection = Rc::new(RefCell::new(Connection::new(to, from)));
        Some(Self { child, connection, _profile: profile })
    }

    /// Opens a tab with an empty page.
    pub(crate) fn page(&self, view: View) -> Page {
        let target = {
            let mut connection = self.connection.borrow_mut();
            let made = connection.call(None, "Target.createTarget", json!({"url": "about:blank"}));
            made["targetId"].clone()
        };
        Page::attach(Rc::clone(&self.connection), &target, view)
    }

    /// Opens a tab with the page of this address, which may be a file (`file:///…`).
    pub(crate) fn open(&self, url: &str, view: View) -> Page {
        let page = self.page(view);
        page.go(url);
        page
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its other processes end in order only if it is asked to end.
        if let Ok(mut connection) = self.connection.try_borrow_mut() {
            connection.send(None, "Browser.close", &json!({}));
        }
        let since = Instant::now();
        while self.child.try_wait().is_ok_and(|status| status.is_none()) {
            if since.elapsed() > Duration::from_secs(10) {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn program() -> Option<OsString> {
    if let Some(named) = std::env::var_os("KYOMI_BROWSER") {
        return Some(named);
    }
    let paths = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places = std::env::split_paths(&paths).flat_map(|dir| names.map(|name| dir.join(name)));
    places.map(std::path::PathBuf::into_os_string).find(|path| std::path::Path::new(path).is_file())
}

const FLAGS: [&str; 16] = [
    "--headless=new",
    "--remote-debugging-pipe",
    // Tests may run as root and in containers.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--lang=en",
    // Nothing leaves the machine, and a page can be asked for under any name.
    "--host-resolver-rules=MAP * 127.0.0.1",
    "--disable-features=HttpsUpgrades,Translate,MediaRouter,OptimizationHints",
];
