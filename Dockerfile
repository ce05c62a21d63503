# kyomi in a container: docs/play.md says how to use it. No password belongs into an image: give it at run time.

FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
# Cargo features, for example: docker build --build-arg FEATURES=cluster
ARG FEATURES=
RUN cargo build --release --locked --bin kyomi --features "$FEATURES"

FROM debian:bookworm-slim
# Log, records and your configuration; a volume, so that they outlive the container.
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin kyomi \
    && install -d -o kyomi -g kyomi -m 0750 /data
# The public authorities, for tls:// to a broker with a certificate of one of them.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/target/release/kyomi /usr/local/bin/kyomi
COPY --from=build /src/config /usr/share/kyomi/config
COPY --from=build /src/LICENSE-MIT /src/LICENSE-APACHE /usr/share/doc/kyomi/
USER kyomi
WORKDIR /data
VOLUME /data
EXPOSE 4081
# The first SIGINT finishes the running game. `docker stop` waits 10 s only: give it a longer --timeout.
STOPSIGNAL SIGINT
ENTRYPOINT ["kyomi"]
CMD ["serve", "--config", "/usr/share/kyomi/config/lan-server.toml"]
