//! Runs the command of `[notify]`.

use std::{env, process::Stdio};

use tokio::{io::AsyncWriteExt, process::Command, time::timeout};

use super::{
    delivery::{DELIVERY_LIMIT, DeliveryError},
    message::Message,
};

/// Runs the program with its arguments, without a shell. The text is in `KYOMI_TEXT` and on standard input, the kind of the
/// message in `KYOMI_EVENT`.
pub(super) async fn run(command: &[String], message: &Message) -> Result<(), DeliveryError> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // Our settings include passwords.
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().to_ascii_uppercase().starts_with("KYOMI_") {
            command.env_remove(name);
        }
    }
    command.env("KYOMI_EVENT", message.event()).env("KYOMI_TEXT", message.text());
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(|error| DeliveryError::Start(error.kind()))?;
    #[cfg(unix)]
    let group = Group(child.id());
    let ending = async {
        if let Some(mut stdin) = child.stdin.take() {
            // A command that does not read its input is fine.
            let _ = stdin.write_all(format!("{}\n", message.text()).as_bytes()).await;
        }
        child.wait().await
    };
    match timeout(DELIVERY_LIMIT, ending).await {
        Ok(Ok(status)) if status.success() => {
            #[cfg(unix)]
            group.spare();
            Ok(())
        }
        Ok(Ok(status)) => Err(DeliveryError::Exit(status.code())),
        Ok(Err(error)) => Err(DeliveryError::Start(error.kind())),
        Err(_) => Err(DeliveryError::Late),
    }
}

/// The processes that a command has started; they are killed with it.
#[cfg(unix)]
struct Group(Option<u32>);

#[cfg(unix)]
impl Group {
    /// The command has ended well: what it leaves running is meant.
    fn spare(mut self) {
        self.0 = None;
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        let pid = self.0.and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}
