//! The text of a systemd unit.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// What the service runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `kyomi play`.
    Play,
    /// `kyomi serve`.
    Serve,
}

impl Command {
    const fn word(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Serve => "serve",
        }
    }
}

/// A systemd unit that runs kyomi; [`Unit::text`] writes it. It never contains a password.
#[derive(Debug, Clone)]
pub struct Unit {
    /// What it runs.
    pub command: Command,
    /// Name without `.service`: letters, digits and `_ . - @ :`.
    pub name: String,
    /// The user it runs as.
    pub user: String,
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// The configuration, as an absolute path.
    pub config: PathBuf,
    /// The working directory, which the service may write to.
    pub working_dir: PathBuf,
    /// Other folders that it may write to, as absolute paths.
    pub writable: Vec<PathBuf>,
    /// Whether the password comes from a file that only root can read, instead of the configuration.
    pub needs_password: bool,
    /// Whether it runs external engines, which may need devices or generate code.
    pub runs_engines: bool,
    /// The longest time from its start until it is ready.
    pub start_limit: Duration,
}

/// A name or path that a unit cannot contain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The name of the unit.
    #[error("{0:?} is no name of a unit; 1 to 200 of A-Z a-z 0-9 _ . - @ : are right")]
    Name(String),
    /// The name of the user.
    #[error("{0:?} is no name of a user; 1 to 32 of A-Z a-z 0-9 _ . - are right")]
    User(String),
    /// A path.
    #[error("{}: a unit cannot contain this path; it must be absolute, UTF-8 and without control characters", .0.display())]
    Path(PathBuf),
}

impl Unit {
    /// The text of the file.
    ///
    /// # Errors
    /// A name or a path cannot be written into a unit.
    pub fn text(&self) -> Result<String, UnitError> {
        check_name(&self.name, 200, b"_.-@:").map_err(UnitError::Name)?;
        check_name(&self.user, 32, b"_.-").map_err(UnitError::User)?;
        let (program, config) = (quoted(&self.program)?, quoted(&self.config)?);
        let directory = path_text(&self.working_dir)?.replace('%', "%%");
        let mut writable = quoted(&self.working_dir)?;
        for path in &self.writable {
            writable.push(' ');
            writable.push_str(&quoted(path)?);
        }
        let restrictions = if self.runs_engines { RELAXED } else { STRICT };
        Ok([
            self.instructions(&config),
            self.unit_section(),
            self.service_section(&program, &config, &directory),
            RESTART_AND_STOP.to_owned(),
            format!("ProtectSystem=strict\nReadWritePaths={writable}\n"),
            PROTECTION.to_owned(),
            restrictions.to_owned(),
            INSTALL_SECTION.to_owned(),
        ]
        .concat())
    }

    /// Comments that say how the unit is installed, watched and stopped.
    fn instructions(&self, config: &str) -> String {
        let (name, user) = (&self.name, &self.user);
        let config_as_typed = config.replace("%%", "%").replace("$$", "$");
        let password_steps = self.password_steps();
        let (flag, ending) = match self.command {
            Command::Play => ("", STOP_NOTE_PLAY),
            Command::Serve => (" --serve", STOP_NOTE_SERVE),
        };
        format!(
            "\
# Written by `kyomi service`. To install it, as root:
#   kyomi service --config {config_as_typed} --user {user} --name {name}{flag} > /etc/systemd/system/{name}.service
{password_steps}#   systemctl daemon-reload
#   systemctl enable --now {name}          # now, and whenever the machine starts
# Phase, and the log:
#   systemctl status {name}
#   journalctl --unit {name} --follow
{ending}
"
        )
    }

    fn unit_section(&self) -> String {
        let (name, role) = (
            &self.name,
            match self.command {
                Command::Play => "client",
                Command::Serve => "server",
            },
        );
        format!(
            "\
[Unit]
Description=kyomi, computer-shogi {role} ({name})
Documentation=man:kyomi(1)
Wants=network-online.target
After=network-online.target
# Never give up: the line may be down for hours.
StartLimitIntervalSec=0

"
        )
    }

    /// The section `[Service]` up to its watchdog.
    fn service_section(&self, program: &str, config: &str, directory: &str) -> String {
        let (user, word) = (&self.user, self.command.word());
        let password = self.password_lines();
        let start_limit = self.start_limit.as_secs();
        format!(
            "\
[Service]
Type=notify
NotifyAccess=main
User={user}
WorkingDirectory={directory}
ExecStart={program} {word} --config {config}
{password}TimeoutStartSec={start_limit}s
WatchdogSec=60s

"
        )
    }

    /// The steps that bring the password to the service.
    fn password_steps(&self) -> String {
        if !self.needs_password {
            return String::new();
        }
        format!(
            "\
#   mkdir -p /etc/kyomi
#   (umask 077; cat > {file})              # type the password, Enter, Ctrl-D
",
            file = self.password_file()
        )
    }

    /// The lines of the unit that give the password to the service.
    fn password_lines(&self) -> String {
        if !self.needs_password {
            return String::new();
        }
        format!(
            "\
# Only root reads the file; the service gets a copy that only it can read.
LoadCredential=password:{file}
Environment=KYOMI_SERVER_PASSWORD_FILE=%d/password
# Before systemd 250 instead: a file with the line KYOMI_SERVER_PASSWORD=..., readable by root only.
#EnvironmentFile=/etc/kyomi/{name}.env
",
            file = self.password_file(),
            name = self.name
        )
    }

    fn password_file(&self) -> String {
        format!("/etc/kyomi/{}.password", self.name)
    }
}

const STOP_NOTE_PLAY: &str = "\
# `systemctl stop` finishes the running game first. At once, with a resignation: systemctl kill --signal=SIGINT, twice.
";

const STOP_NOTE_SERVE: &str = "\
# `systemctl stop` lets the running games finish. At once: systemctl kill --signal=SIGINT, twice.
";

const RESTART_AND_STOP: &str = "\
# After a crash, a hang or an error: again, after 5 s at first and 5 min at last (systemd 254 or later; always 5 s before).
Restart=on-failure
RestartSec=5s
RestartSteps=8
RestartMaxDelaySec=5min
# Exit code 2: the configuration is wrong, which another start does not mend.
RestartPreventExitStatus=2

# The first SIGINT finishes the game. It goes to kyomi alone, which needs its engine until then.
KillSignal=SIGINT
KillMode=mixed
TimeoutStopSec=2h

LimitNOFILE=65536
# No image of the memory, which holds the password.
LimitCORE=0
UMask=0027

";

/// What the service may not do; it writes to its folders only.
const PROTECTION: &str = "\
ProtectHome=read-only
PrivateTmp=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
";

/// Restrictions for kyomi alone.
const STRICT: &str = "\
PrivateDevices=yes
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
";

/// The same restrictions as comments, since external engines may need what they forbid.
const RELAXED: &str = "\
# If the engine uses no GPU and writes no code while it runs:
#PrivateDevices=yes
#MemoryDenyWriteExecute=yes
#SystemCallArchitectures=native
#SystemCallFilter=@system-service
";

const INSTALL_SECTION: &str = "
[Install]
WantedBy=multi-user.target
";

fn check_name(name: &str, longest: usize, others: &[u8]) -> Result<(), String> {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || others.contains(&byte);
    // Programs read a name that begins with a dash as an option.
    if (1..=longest).contains(&name.len()) && !name.starts_with('-') && name.bytes().all(fine) {
        Ok(())
    } else {
        Err(name.to_owned())
    }
}

fn path_text(path: &Path) -> Result<&str, UnitError> {
    let text = path.to_str().filter(|text| path.is_absolute() && !text.contains(char::is_control));
    text.ok_or_else(|| UnitError::Path(path.to_owned()))
}

/// A path as one word of a command or a list.
fn quoted(path: &Path) -> Result<String, UnitError> {
    let text = path_text(path)?;
    // Specifiers and variables are expanded inside quotes too.
    let text = text.replace('%', "%%").replace('$', "$$");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%$,=".contains(&byte);
    if text.bytes().all(plain) {
        return Ok(text);
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Unit {
        Unit {
            command: Command::Play,
            name: "kyomi".to_owned(),
            user: "shogi".to_owned(),
            program: "/usr/local/bin/kyomi".into(),
            config: "/srv/kyomi/my.toml".into(),
            working_dir: "/srv/kyomi".into(),
            writable: Vec::new(),
            needs_password: true,
            runs_engines: false,
            start_limit: Duration::from_secs(300),
        }
    }

    #[test]
    fn a_password_is_loaded_and_never_written() {
        let text = unit().text().unwrap();
        assert!(text.contains("LoadCredential=password:/etc/kyomi/kyomi.password\n"));
        let text = Unit { needs_password: false, ..unit() }.text().unwrap();
        assert!(!text.to_lowercase().contains("credential"));
    }

    #[test]
    fn paths_are_written_so_that_systemd_reads_them_as_they_are() {
        let odd = Unit {
            config: "/srv/my games/100%/$x\"\\.toml".into(),
            working_dir: "/srv/my games/100%".into(),
            writable: vec!["/var/log/a b".into()],
            ..unit()
        };
        let text = odd.text().unwrap();
        let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        let start = r#"/usr/local/bin/kyomi play --config "/srv/my games/100%%/$$x\"\\.toml""#;
        assert_eq!(line("ExecStart="), start);
        assert_eq!(line("WorkingDirectory="), "/srv/my games/100%%");
        assert_eq!(line("ReadWritePaths="), "\"/srv/my games/100%%\" \"/var/log/a b\"");
    }

    #[test]
    fn what_would_add_lines_or_words_is_refused() {
        for name in ["", "a b", "a\nExecStart=/bin/sh", "-x", "../x", "%n"] {
            let name = || name.to_owned();
            let wrong = Unit { name: name(), ..unit() };
            assert_eq!(wrong.text(), Err(UnitError::Name(name())));
            let wrong = Unit { user: name(), ..unit() };
            assert_eq!(wrong.text(), Err(UnitError::User(name())));
        }
        for path in ["relative", "/a\nUser=root"] {
            let wrong = Unit { config: path.into(), ..unit() };
            assert_eq!(wrong.text(), Err(UnitError::Path(path.into())));
        }
    }

    #[test]
    fn engines_of_others_keep_their_devices() {
        let text = Unit { runs_engines: true, ..unit() }.text().unwrap();
        assert!(text.contains("\n#PrivateDevices=yes\n") && !text.contains("\nPrivateDevices"));
    }
}
