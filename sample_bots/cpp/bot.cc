// A Euchre bot on bare gRPC: simple sound rules for every variant, and nothing to remember between two asks.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "euchre/v1/referee.grpc.pb.h"

using namespace euchre::v1;
using namespace std::chrono_literals;
using Cards = google::protobuf::RepeatedField<int>;

constexpr int JACK = 4, ACE = 7, TRUMP = 8, BOWER = 18;  // ranks count from the seven, 0; trumps are stronger by 8
constexpr auto LOST = {grpc::OK, grpc::UNAVAILABLE, grpc::INTERNAL, grpc::UNKNOWN, grpc::RESOURCE_EXHAUSTED};

template <typename Items, typename Value>
int most(const Items& items, Value value) {
  return *std::max_element(items.begin(), items.end(), [&](int a, int b) { return value(a) < value(b); });
}

// Suits count from 1; the two of a colour add up to 5.
int suit(int card, int trump) {
  const int printed = card == CARD_JOKER ? trump : (card + 7) / 8;
  return (card - 1) % 8 == JACK && printed == 5 - trump ? trump : printed;
}

int strength(int card, int trump) {
  const int rank = (card - 1) % 8;
  if (card == CARD_JOKER) return BOWER + 2;
  if (suit(card, trump) != trump) return rank;
  return rank != JACK ? TRUMP + rank : (card + 7) / 8 == trump ? BOWER + 1 : BOWER;
}

// Roughly the tricks that a hand takes: bowers for sure, other trumps and plain aces more often than not.
double worth(const Cards& hand, int trump) {
  double tricks = 0;
  for (int card : hand) tricks += strength(card, trump) >= BOWER ? 1 : strength(card, trump) >= ACE ? 0.6 : 0;
  return tricks;
}

int best_suit(const Cards& hand) { return most(std::array{1, 2, 3, 4}, [&](int trump) { return worth(hand, trump); }); }

// How much better than passing a call looks.
double value(int call, const View& view) {
  Cards hand = view.hand();
  const double size = hand.size(), tricks = worth(hand, best_suit(hand)) + (view.taken_size() == 4 ? size / 8 : 0);
  if (call >= CALL_CLUBS && call <= CALL_SPADES) return worth(hand, call - CALL_CLUBS + 1) - 2.5;
  if (call >= CALL_BID_3 && call <= CALL_BID_11) return tricks - (call - CALL_BID_3 + 3);
  if (call == CALL_ORDER && view.dealer() == view.seat()) hand.Add(view.turned_card());
  if (call == CALL_ORDER) return worth(hand, suit(view.turned_card(), view.joker_suit())) - 2.5;
  if (call == CALL_ASK || call == CALL_MOON) return tricks - size - 0.3;
  if (call == CALL_ALONE) return worth(hand, view.trump()) - 4;
  return call == CALL_SWAP ? 2 - tricks : call == CALL_CLAIM ? 1 : call > CALL_NO ? -99 : 0;
}

int card_for(const View& view, const Cards& legal) {
  const int trump = view.trump() ? view.trump() : best_suit(view.hand());
  const int lowest = most(legal, [&](int card) { return -strength(card, trump); });
  if (view.phase() != PHASE_PLAY) return lowest;
  const Trick trick = view.tricks().empty() ? Trick() : *view.tricks().rbegin();
  if (trick.cards().empty() || trick.has_winner()) {
    const int lead = most(legal, [&](int card) { return strength(card, trump) == ACE ? BOWER : strength(card, trump); });
    return strength(lead, trump) == ACE || strength(lead, trump) >= BOWER ? lead : lowest;
  }
  const auto follows = [&](int card) { return suit(card, trump) == trump || suit(card, trump) == suit(trick.cards(0), trump); };
  const auto power = [&](int card) { return follows(card) ? strength(card, trump) : -1; };
  const int best = most(trick.cards(), power);
  const int winner = trick.leader() + (std::find(trick.cards().begin(), trick.cards().end(), best) - trick.cards().begin());
  const bool partner_wins = view.taken_size() == 4 && view.out().empty() && winner % 4 == int(view.seat() + 2) % 4;
  const int cheapest = most(legal, [&](int card) { return power(card) > power(best) ? -power(card) : -99; });
  return partner_wins || power(cheapest) <= power(best) ? lowest : cheapest;
}

Answer answer(const Ask& ask) {
  Answer answer;
  answer.set_ask(ask.id());
  if (!ask.legal_cards().empty()) answer.set_card(Card(card_for(ask.view(), ask.legal_cards())));
  else answer.set_call(Call(most(ask.legal_calls(), [&](int call) { return value(call, ask.view()); })));
  return answer;
}

int main() {
  const char *address = std::getenv("EUCHRE_REFEREE"), *token = std::getenv("EUCHRE_TOKEN");
  if (!address || !token) return std::cerr << "EUCHRE_REFEREE and EUCHRE_TOKEN must be set: let the arena start this bot\n", 1;
  grpc::ChannelArguments options;
  options.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20000);
  options.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  const auto referee = RefereeService::NewStub(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), options));
  for (auto pause = 50ms;; pause = std::min(2 * pause, 2000ms)) {  // growing while nothing is heard
    grpc::ClientContext context;
    context.AddMetadata("authorization", std::string("Bearer ") + token);
    const auto stream = referee->Play(&context);
    PlayRequest request;
    request.mutable_hello()->set_protocol(1);
    stream->Write(request);
    for (PlayResponse message; stream->Read(&message); pause = 50ms) {
      request.Clear();
      for (const Ask& ask : message.asks()) *request.add_answers() = answer(ask);
      if (!message.asks().empty()) stream->Write(request);
      if (message.goodbye()) return 0;
    }
    const grpc::Status status = stream->Finish();
    const bool lost = std::count(LOST.begin(), LOST.end(), status.error_code());
    if (!lost) return std::cerr << status.error_code() << ": " << status.error_message() << '\n', 1;
    std::this_thread::sleep_for(pause);
  }
}
