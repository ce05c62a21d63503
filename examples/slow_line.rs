//! A bad network between clients and a server: a TCP proxy that delays each packet by a random time, and cuts connections
//! at random.
//!
//! `cargo run --release --example slow_line -- 127.0.0.1:5081 127.0.0.1:4081 300 60` listens on port 5081, connects to
//! port 4081, delays each packet by up to 300 ms in both directions together, and cuts a connection after up to 60 s.
//! Without the last number nothing is cut.

use std::{env, error::Error, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::sleep,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [listen, server, longest_ms, rest @ ..] = arguments.as_slice() else {
        return Err("slow_line LISTEN SERVER LONGEST_DELAY_MS [CUT_WITHIN_S]".into());
    };
    let longest = Duration::from_millis(longest_ms.parse()?) / 2;
    let cut_within: Option<f64> = rest.first().map(|seconds| seconds.parse()).transpose()?;
    let listener = TcpListener::bind(listen).await?;
    loop {
        let (client, _) = listener.accept().await?;
        let server = server.clone();
        tokio::spawn(async move {
            let Ok(server) = TcpStream::connect(&server).await else { return };
            drop((client.set_nodelay(true), server.set_nodelay(true)));
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            let life = cut_within.map(|seconds| Duration::from_secs_f64(seconds * fastrand::f64()));
            tokio::select! {
                () = async {
                    tokio::join!(
                        pass_on(from_client, to_server, longest),
                        pass_on(from_server, to_client, longest),
                    );
                } => {}
                () = async {
                    match life {
                        Some(life) => sleep(life).await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        });
    }
}

/// Copies until the end of the stream, each packet after a delay.
async fn pass_on(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    longest: Duration,
) {
    let mut buffer = [0; 4096];
    while let Ok(length) = from.read(&mut buffer).await
        && length > 0
    {
        sleep(longest.mul_f64(fastrand::f64())).await;
        if to.write_all(&buffer[..length]).await.is_err() {
            break;
        }
    }
    drop(to.shutdown().await);
}
