// What the bot answers: make test.
#define main bot_main  // the bot's own, which is not run here
#include "bot.cc"
#undef main

#include <array>
#include <initializer_list>
#include <iostream>
#include <random>

namespace {

int failures = 0;

void expect(bool truth, const std::string& what) {
  if (!truth) std::cerr << "failed: " << what << '\n', failures++;
}

const std::array GOOD{CARD_JH, CARD_JD, CARD_AH, CARD_9S, CARD_9C}, WEAK{CARD_9H, CARD_9D, CARD_TS, CARD_9S, CARD_9C};

View with_hand(const std::array<Card, 5>& hand, Phase phase) {
  View view;
  view.set_phase(phase);
  for (Card card : hand) view.add_hand(card);
  return view;
}

double order(const std::array<Card, 5>& hand) {
  View view = with_hand(hand, PHASE_AUCTION);
  view.set_turned_card(CARD_QH);
  return value(CALL_ORDER, view) - value(CALL_PASS, view);
}

int card_to(std::initializer_list<Card> played) {
  View view = with_hand(GOOD, PHASE_PLAY);
  view.set_seat(1);
  view.set_trump(SUIT_HEARTS);
  Trick& trick = *view.add_tricks();
  trick.set_leader(2);
  for (Card card : played) trick.add_cards(card);
  Cards legal;
  for (Card card : {CARD_JH, CARD_JD, CARD_AH}) legal.Add(card);
  return card_for(view, legal);
}

View any_view(std::mt19937& lot) {
  const auto below = [&](int most) { return int(lot() % most); };
  View view;
  view.set_phase(Phase(below(12)));  // one is of a later version
  view.set_trump(Suit(below(5)));
  for (int count = 1 + below(8); count > 0; count--) view.add_hand(Card(1 + below(33)));
  if (below(2)) view.add_tricks()->add_cards(Card(1 + below(33)));
  return view;
}

}  // namespace

int main() {
  expect(order(GOOD) > 0, "a good hand orders");
  expect(order(WEAK) < 0, "a bad hand passes");
  expect(card_to({CARD_9H, CARD_QH}) == CARD_AH, "a trick is taken cheaply");
  std::mt19937 lot(1);
  for (int count = 0; count < 10000; count++) {
    const View view = any_view(lot);
    Cards legal = view.hand();
    legal.Truncate(1 + int(lot() % legal.size()));
    const int card = card_for(view, legal);
    expect(std::ranges::count(legal, card), "every card is legal: " + std::to_string(card) + " with " + view.ShortDebugString());
  }
  if (!failures) std::cout << "ok\n";
  return failures != 0;
}
