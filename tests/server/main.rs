//! The local server over real sockets.

mod games;
mod support;
