//! The datagram socket of the service manager.

#[cfg(unix)]
pub(super) use unix::NotifySocket;

#[cfg(not(unix))]
pub(super) use nowhere::NotifySocket;

#[cfg(unix)]
mod unix {
    use std::{
        ffi::OsStr,
        io,
        os::unix::{
            ffi::OsStrExt as _,
            net::{SocketAddr, UnixDatagram},
        },
    };

    /// A socket that is connected to the service manager. Sending never waits.
    #[derive(Debug)]
    pub(in crate::service) struct NotifySocket(UnixDatagram);

    impl NotifySocket {
        /// Connects to a `NOTIFY_SOCKET`: a path, or `@` and a name of the abstract namespace of Linux.
        ///
        /// # Errors
        /// There is no such socket, or the name has another form.
        pub(in crate::service) fn connect(name: &OsStr) -> io::Result<Self> {
            let address = match name.as_bytes() {
                [b'/', ..] => SocketAddr::from_pathname(name)?,
                [b'@', abstract_name @ ..] => from_abstract_name(abstract_name)?,
                _ => {
                    let message = "neither a path nor an abstract name";
                    return Err(io::Error::new(io::ErrorKind::Unsupported, message));
                }
            };
            let socket = UnixDatagram::unbound()?;
            socket.connect_addr(&address)?;
            socket.set_nonblocking(true)?;
            Ok(Self(socket))
        }

        /// Sends one message.
        ///
        /// # Errors
        /// The queue of the receiver is full, or it is gone.
        pub(in crate::service) fn send(&self, message: &str) -> io::Result<()> {
            self.0.send(message.as_bytes()).map(drop)
        }
    }

    #[cfg(target_os = "linux")]
    fn from_abstract_name(name: &[u8]) -> io::Result<SocketAddr> {
        use std::os::linux::net::SocketAddrExt as _;
        SocketAddr::from_abstract_name(name)
    }

    #[cfg(not(target_os = "linux"))]
    fn from_abstract_name(_: &[u8]) -> io::Result<SocketAddr> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no abstract names"))
    }
}

#[cfg(not(unix))]
mod nowhere {
    use std::{ffi::OsStr, io};

    /// There is no service manager to talk to.
    #[derive(Debug)]
    pub(in crate::service) enum NotifySocket {}

    impl NotifySocket {
        /// # Errors
        /// Always.
        pub(in crate::service) fn connect(_: &OsStr) -> io::Result<Self> {
            Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets"))
        }

        #[expect(clippy::unused_self, reason = "the twin of a socket that exists")]
        pub(in crate::service) fn send(&self, _: &str) -> io::Result<()> {
            match *self {}
        }
    }
}
