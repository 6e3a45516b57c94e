//! A Euchre bot on bare gRPC. It names trumps and bids by how strong its cards are together, leads aces and the highest trump, takes
//! a trick with the lowest card that does it, and else plays its lowest.

#[cfg(test)]
mod tests;

use std::{env, error::Error, fs, time::Duration};

use pb::{Answer, Ask, Call, Card, Hello, Phase, PlayRequest, View, referee_service_client::RefereeServiceClient};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request, Status};

mod pb {
    tonic::include_proto!("euchre.v1");
}

/// How a broken connection ends a stream; every other status is the referee's word, and final. The referee itself never cancels.
const LOST: [Code; 5] = [Code::Unavailable, Code::Internal, Code::Unknown, Code::Cancelled, Code::ResourceExhausted];

/// The rank counted from the seven, 0, and 8 more in the suit led, 16 more in trumps; bowers and joker are above them all.
fn strength(card: i32, trump: i32, led: i32) -> i32 {
    let (suit, rank) = ((card + 7) / 8, (card + 7) % 8);
    match card {
        _ if card == Card::Joker as i32 => 34,
        _ if card == 8 * trump - 3 => 33,
        _ if card == 8 * (5 - trump) - 3 => 32, // the other jack of the colour
        _ => rank + 16 * i32::from(suit == trump) + 8 * i32::from(suit == led),
    }
}

/// By how much the hand is stronger than a call needs; what is no bid and names no trump needs and gains nothing.
fn gain(view: &View, call: i32) -> i32 {
    let hand = |trump| view.hand.iter().map(|&card| strength(card, trump, 0)).sum::<i32>();
    let best = (1..=4).map(hand).max().unwrap_or_default();
    match Call::try_from(call) {
        Ok(Call::Order) => hand((view.turned_card + 7) / 8 % 5 + view.joker_suit) - 78, // a turned joker stands for a suit
        Ok(Call::Clubs | Call::Diamonds | Call::Hearts | Call::Spades) => hand(call - Call::Clubs as i32 + 1) - 78,
        // A bid of three needs as much; what comes after the bids counts as one that is too high.
        Ok(bid) if bid >= Call::Bid3 && bid <= Call::Alone => best - 78 - 16 * (call - Call::Bid3 as i32),
        _ => 0,
    }
}

/// The call that gains most; or, to lead, an ace or the highest trump; or the lowest card that takes the trick, or else the lowest.
fn answer(ask: &Ask) -> Answer {
    let view = ask.view.clone().unwrap_or_default();
    let call = ask.legal_calls.iter().rev().max_by_key(|&&call| gain(&view, call)); // of equals the first
    let trick = view.tricks.last().filter(|trick| trick.winner.is_none()).map_or(&[][..], |trick| &trick.cards);
    let led = trick.first().map_or(0, |card| (card + 7) / 8);
    let strength = |card: &i32| strength(*card, view.trump, led);
    let best = trick.iter().map(strength).max();
    let leads = |card: &i32| view.phase() == Phase::Play && best.is_none() && matches!(strength(card), 7 | 33..);
    let rank = |card: &i32| (!leads(card), Some(strength(card)) <= best, strength(card));
    let card = ask.legal_cards.iter().min_by_key(|card| rank(card));
    Answer { ask: ask.id, card: *card.unwrap_or(&0), call: *call.unwrap_or(&0), ..Default::default() }
}

fn setting(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} must be set: let the arena start this bot"))
}

/// Where to connect: unix:/path, host:port, or encrypted tls:host:port; pings keep the line open and tell if it is dead.
fn endpoint(address: &str) -> Result<Endpoint, Box<dyn Error>> {
    let plain = if address.starts_with("unix:") { address.into() } else { format!("http://{address}") };
    let url = address.strip_prefix("tls:").map_or(plain, |host| format!("https://{host}"));
    let (ping, pong) = (Duration::from_secs(20), Duration::from_secs(10));
    let endpoint = Endpoint::from_shared(url)?.connect_timeout(pong).http2_keep_alive_interval(ping).keep_alive_timeout(pong);
    if !address.starts_with("tls:") {
        return Ok(endpoint);
    }
    let read = |file: String| fs::read(&file).map_err(|error| format!("{file}: {error}"));
    let mut tls = match env::var("EUCHRE_TLS_CA") {
        Ok(file) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(file)?)),
        Err(_) => ClientTlsConfig::new().with_native_roots(),
    };
    if let Ok(file) = env::var("EUCHRE_TLS_CERT") {
        tls = tls.identity(Identity::from_pem(read(file)?, read(setting("EUCHRE_TLS_KEY")?)?));
    }
    Ok(endpoint.tls_config(tls)?)
}

/// Plays on one stream until the referee says goodbye; any word from it makes `attempt` the first again.
async fn play(endpoint: &Endpoint, bearer: &tonic::metadata::AsciiMetadataValue, attempt: &mut u32) -> Result<(), Status> {
    let channel = endpoint.connect().await.map_err(|error| Status::unavailable(format!("{error:?}")))?;
    let (sender, outbox) = tokio::sync::mpsc::unbounded_channel();
    let send = |request| sender.send(request).unwrap_or_default(); // the inbox tells if the stream is closed, and why
    let hello = Hello { agent: "sample (rust)".into(), protocol: 1, ..Default::default() };
    send(PlayRequest { hello: Some(hello), answers: vec![] });
    let mut request = Request::new(UnboundedReceiverStream::new(outbox));
    request.metadata_mut().insert("authorization", bearer.clone());
    let mut inbox = RefereeServiceClient::new(channel).play(request).await?.into_inner();
    while let Some(message) = inbox.message().await? {
        *attempt = 0;
        if message.goodbye {
            return Ok(());
        }
        if !message.asks.is_empty() {
            send(PlayRequest { hello: None, answers: message.asks.iter().map(answer).collect() });
        }
    }
    Err(Status::unavailable("the referee closed the stream"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let endpoint = endpoint(&setting("EUCHRE_REFEREE")?)?;
    let bearer = format!("Bearer {}", setting("EUCHRE_TOKEN")?).parse()?;
    let mut attempt = 0;
    loop {
        // Gives up after 130 attempts in vain, which take ten minutes or more.
        let Err(status) = play(&endpoint, &bearer, &mut attempt).await else { return Ok(()) };
        if !LOST.contains(&status.code()) || attempt == 130 {
            return Err(status.into());
        }
        eprintln!("lost the referee, trying again: {status}");
        tokio::time::sleep(Duration::from_millis(80 << attempt.min(6))).await; // to 5 s at last
        attempt += 1;
    }
}
