//! Runs the command of `[notify]`.

use std::{env, process::Stdio};

use tokio::{io::AsyncWriteExt, process::Command, time::timeout};

use super::{
    delivery::{DELIVERY_LIMIT, DeliveryError},
    message::Message,
};

/// Runs the program with its arguments, without a shell. The text is in `KYOMI_TEXT` and on standard input, the kind of
/// the message in `KYOMI_EVENT`.
pub(super) async fn run(command: &[String], message: &Message) -> Result<(), DeliveryError> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // Our variables may contain passwords.
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
            group.keep_running();
            Ok(())
        }
        Ok(Ok(status)) => Err(DeliveryError::Exit(status.code())),
        Ok(Err(error)) => Err(DeliveryError::Start(error.kind())),
        Err(_) => Err(DeliveryError::Late),
    }
}

/// The process group of a command; it is killed when this value is dropped.
#[cfg(unix)]
struct Group(Option<u32>);

#[cfg(unix)]
impl Group {
    /// Lets processes that the command has left behind run on: the command succeeded, so they are intended.
    fn keep_running(mut self) {
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
