//! Makes Rust of the protocol, with the protoc that Cargo.lock pins.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = tonic_prost_build::Config::new();
    config.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    let (root, main) = (Path::new("../../proto"), Path::new("../../proto/euchre/v1/referee.proto"));
    tonic_prost_build::configure().build_server(false).compile_with_config(config, &[main], &[root])?;
    Ok(())
}
