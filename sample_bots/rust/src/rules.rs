use crate::pb::{Answer, Ask, Call, Card, Phase, View};

/// The best of what is legal.
pub fn answer(ask: &Ask) -> Answer {
    let view = ask.view.clone().unwrap_or_default();
    let card = best(&ask.legal_cards, |card| card_score(&view, card));
    let call = best(&ask.legal_calls, |call| call_score(&view, call));
    Answer { ask: ask.id, card, call, ..Default::default() }
}

/// The first of those with the highest score; of none, 0. Values are numbers here, so that unknown ones are no trouble.
fn best(legal: &[i32], score: impl Fn(i32) -> i32) -> i32 {
    legal.iter().copied().rev().max_by_key(|&each| score(each)).unwrap_or_default()
}

/// The suit printed on a card, 0 for the joker.
fn suit_of(card: i32) -> i32 {
    (card + 7) / 8 % 5
}

/// How high a card stands: from 58 for bowers and joker, from 40 for a trump, from 20 for the suit led, 7 for another ace.
fn power(card: i32, trump: i32, led: i32) -> i32 {
    match ((card + 7) % 8, suit_of(card)) {
        _ if card == Card::Joker as i32 => 60,
        (4, suit) if suit == trump => 59,
        (4, suit) if suit + trump == 5 => 58, // the other jack of the colour
        (rank, suit) if suit == trump => 40 + rank,
        (rank, suit) if suit == led => 20 + rank,
        (rank, _) => rank,
    }
}

/// About how many tenths of a trick a hand is good for with a trump suit.
fn worth(hand: &[i32], trump: i32) -> i32 {
    let tenths = |&card: &i32| match power(card, trump, 0) {
        58.. => 10,
        7 | 40.. => 6,
        _ => 0,
    };
    hand.iter().map(tenths).sum()
}

/// How much better a call is than to pass, which is 0.
fn call_score(view: &View, call: i32) -> i32 {
    let most = (1..=4).map(|suit| worth(&view.hand, suit)).max().unwrap_or_default();
    match Call::try_from(call) {
        // If it is the joker that is turned, it stands for a suit.
        Ok(Call::Order) => worth(&view.hand, suit_of(view.turned_card) + view.joker_suit) - 25,
        Ok(Call::Clubs | Call::Diamonds | Call::Hearts | Call::Spades) => worth(&view.hand, call - Call::Clubs as i32 + 1) - 25,
        Ok(Call::Swap) => 20 - most,
        Ok(Call::Alone) => worth(&view.hand, view.trump) - 40,
        // The lowest bid that the hand is good for; "ask" and "moon" are next to never.
        _ if (Call::Bid3 as i32..=Call::Moon as i32).contains(&call) => {
            let bid = call - Call::Bid3 as i32 + 3;
            (most + 5 - 10 * bid).min(20 - bid)
        }
        _ => 0,
    }
}

/// How good it is to play or part with a card: the lowest that takes the trick, else the lowest.
fn card_score(view: &View, card: i32) -> i32 {
    let trick = view.tricks.last().filter(|trick| trick.winner.is_none()).map_or(&[][..], |trick| &trick.cards);
    let led = trick.first().map_or(0, |&card| suit_of(card));
    let winning = trick.iter().map(|&card| power(card, view.trump, led)).max();
    match (power(card, view.trump, led), winning) {
        (p @ (7 | 59..), None) if view.phase() == Phase::Play => p, // leads aces and the highest trumps
        (p, Some(winning)) if p > winning => 100 - p,
        (p, _) => -p,
    }
}
