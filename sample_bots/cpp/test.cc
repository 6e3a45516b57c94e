// What the bot answers: make test.
#define main bot_main  // the bot's own, which is not run here
#include "bot.cc"
#undef main

#include <random>

namespace {

int failures = 0;

void expect(bool truth, const std::string& what) {
  if (!truth) std::cerr << "failed: " << what << '\n', failures++;
}

const std::array GOOD{CARD_JH, CARD_JD, CARD_AH, CARD_9S, CARD_9C}, WEAK{CARD_9H, CARD_9D, CARD_TS, CARD_9S, CARD_9C};

Ask with_hand(const std::array<Card, 5>& hand, Phase phase) {
  Ask ask;
  ask.mutable_view()->set_phase(phase);
  for (Card card : hand) ask.mutable_view()->add_hand(card);
  return ask;
}

int call_with(const std::array<Card, 5>& hand) {
  Ask ask = with_hand(hand, PHASE_AUCTION);
  ask.mutable_view()->set_turned_card(CARD_QH);
  ask.add_legal_calls(CALL_PASS);
  ask.add_legal_calls(CALL_ORDER);
  return answer(ask).call();
}

int card_to(std::initializer_list<Card> played) {
  Ask ask = with_hand(GOOD, PHASE_PLAY);
  ask.mutable_view()->set_seat(1);
  ask.mutable_view()->set_trump(SUIT_HEARTS);
  Trick& trick = *ask.mutable_view()->add_tricks();
  trick.set_leader(2);
  for (Card card : played) trick.add_cards(card);
  for (Card card : {CARD_JH, CARD_JD, CARD_AH}) ask.add_legal_cards(card);
  return answer(ask).card();
}

Ask any_ask(std::mt19937& lot) {
  const auto below = [&](int most) { return int(lot() % most); };
  Ask ask;
  View& view = *ask.mutable_view();
  view.set_phase(Phase(below(12)));
  view.set_trump(Suit(below(5)));
  for (int count = 1 + below(8); count > 0; count--) view.add_hand(Card(1 + below(33)));
  if (below(2)) {
    for (int index = below(view.hand_size()); index >= 0; index--) ask.add_legal_cards(view.hand(index));
    view.add_tricks()->add_cards(Card(1 + below(33)));
  } else {
    for (int count = 1 + below(5); count > 0; count--) ask.add_legal_calls(Call(1 + below(25)));  // two are of a later version
  }
  return ask;
}

}  // namespace

int main() {
  expect(call_with(GOOD) == CALL_ORDER, "a good hand orders");
  expect(call_with(WEAK) == CALL_PASS, "a bad hand passes");
  expect(card_to({CARD_9H, CARD_QH}) == CARD_AH, "a trick is taken cheaply");
  std::mt19937 lot(1);
  for (int count = 0; count < 10000; count++) {
    const Ask ask = any_ask(lot);
    const Answer given = answer(ask);
    const bool card = std::count(ask.legal_cards().begin(), ask.legal_cards().end(), given.card());
    const bool call = std::count(ask.legal_calls().begin(), ask.legal_calls().end(), given.call());
    expect(card != call, "every answer is legal: " + given.ShortDebugString() + " to " + ask.ShortDebugString());
  }
  if (!failures) std::cout << "ok\n";
  return failures != 0;
}
