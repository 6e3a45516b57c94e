//! A Euchre bot on bare gRPC: one stream to the referee, and simple rules for what to answer.

mod rules;

use std::{env, time::Duration};

use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Request, Status, transport::Endpoint};

pub mod pb {
    tonic::include_proto!("euchre.v1");
}

/// The pauses before the next attempt to connect.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(3);
/// How a broken connection ends a stream; every other status is the referee's word, and final.
const LOST: [Code; 4] = [Code::Unavailable, Code::Internal, Code::Unknown, Code::ResourceExhausted];

/// Plays on one stream until the referee says goodbye; `heard` becomes true as soon as it says anything.
async fn play(endpoint: &Endpoint, token: &str, heard: &mut bool) -> Result<(), Status> {
    let channel = endpoint.connect().await.map_err(|error| Status::unavailable(format!("{error:?}")))?;
    let (sender, outbox) = tokio::sync::mpsc::unbounded_channel();
    let send = |request| sender.send(request).map_err(|_| Status::unavailable("the stream is closed"));
    send(pb::PlayRequest {
        hello: Some(pb::Hello { agent: "sample (rust)".into(), protocol: 1, ..Default::default() }),
        answers: vec![],
    })?;
    let mut request = Request::new(UnboundedReceiverStream::new(outbox));
    let bearer = format!("Bearer {token}").parse().map_err(|_| Status::unauthenticated("EUCHRE_TOKEN is not a token"))?;
    request.metadata_mut().insert("authorization", bearer);
    let mut inbox = pb::referee_service_client::RefereeServiceClient::new(channel).play(request).await?.into_inner();
    while let Some(message) = inbox.message().await? {
        *heard = true;
        if !message.asks.is_empty() {
            send(pb::PlayRequest { hello: None, answers: message.asks.iter().map(rules::answer).collect() })?;
        }
        if message.goodbye {
            return Ok(());
        }
    }
    Err(Status::unavailable("the referee closed the stream"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (address, token) = (env::var("EUCHRE_REFEREE")?, env::var("EUCHRE_TOKEN")?);
    let local = address.starts_with("unix:");
    let endpoint = Endpoint::from_shared(if local { address } else { format!("http://{address}") })?;
    let mut pause = SHORTEST;
    loop {
        let mut heard = false;
        let Err(status) = play(&endpoint, &token, &mut heard).await else { return Ok(()) };
        if !LOST.contains(&status.code()) {
            return Err(status.into());
        }
        eprintln!("lost the referee: {status}");
        pause = if heard { SHORTEST } else { LONGEST.min(2 * pause) };
        tokio::time::sleep(pause).await;
    }
}
