//! What the bot answers: cargo test.

use crate::answer;
use crate::pb::{Ask, Call, Card, Phase, Suit, Trick, View};

/// What a player with good hearts may hold, and a hand to pass on.
const GOOD: [Card; 5] = [Card::Jh, Card::Jd, Card::Ah, Card::Card9s, Card::Card9c];
const WEAK: [Card; 5] = [Card::Card9h, Card::Card9d, Card::Ts, Card::Card9s, Card::Card9c];

fn numbers<T: Copy + Into<i32>>(values: &[T]) -> Vec<i32> {
    values.iter().map(|&value| value.into()).collect()
}

/// Numbers that look drawn by lot, the same each time.
fn lot(seed: &mut u64, most: u64) -> i32 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*seed >> 33) % most) as i32
}

#[test]
fn every_answer_is_legal() {
    let seed = &mut 1;
    for id in 0..10_000 {
        let hand: Vec<i32> = (0..=lot(seed, 7)).map(|_| 1 + lot(seed, 33)).collect();
        let mut view = View { phase: lot(seed, 12), trump: lot(seed, 5), hand: hand.clone(), ..Default::default() };
        let mut ask = Ask { id, ..Default::default() };
        if lot(seed, 2) == 0 {
            ask.legal_cards = hand[..=lot(seed, hand.len() as u64) as usize].to_vec();
            view.tricks = vec![Trick { cards: vec![1 + lot(seed, 33)], ..Default::default() }];
        } else {
            ask.legal_calls = (0..=lot(seed, 4)).map(|_| 1 + lot(seed, 25)).collect(); // two are of a later version
        }
        ask.view = Some(view);
        let given = answer(&ask);
        assert_eq!(given.ask, id);
        assert!(ask.legal_cards.contains(&given.card) != ask.legal_calls.contains(&given.call), "{given:?} to {ask:?}");
    }
}

#[test]
fn a_good_hand_orders_and_a_bad_one_passes() {
    for (hand, call) in [(GOOD, Call::Order), (WEAK, Call::Pass)] {
        let view =
            View { phase: Phase::Auction.into(), hand: numbers(&hand), turned_card: Card::Qh.into(), ..Default::default() };
        let ask = Ask { view: Some(view), legal_calls: numbers(&[Call::Pass, Call::Order]), ..Default::default() };
        assert_eq!(answer(&ask).call, call as i32, "{hand:?}");
    }
}

#[test]
fn a_trick_is_taken_cheaply() {
    let trick = Trick { leader: 2, cards: numbers(&[Card::Card9h, Card::Qh]), ..Default::default() };
    let (phase, trump) = (Phase::Play.into(), Suit::Hearts.into());
    let view = View { phase, seat: 1, trump, hand: numbers(&GOOD), tricks: vec![trick], ..Default::default() };
    let ask = Ask { view: Some(view), legal_cards: numbers(&GOOD[..3]), ..Default::default() };
    assert_eq!(answer(&ask).card, Card::Ah as i32);
}
