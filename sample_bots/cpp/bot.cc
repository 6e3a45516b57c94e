// A Euchre bot on bare gRPC: simple sound rules for every variant, and nothing to remember between two asks.
#include <err.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "euchre/v1/referee.grpc.pb.h"

using namespace euchre::v1;
using Cards = google::protobuf::RepeatedField<int>;

constexpr int JACK = 4, ACE = 7;  // ranks count from the seven, 0
constexpr auto LOST = {grpc::OK, grpc::UNAVAILABLE, grpc::INTERNAL, grpc::UNKNOWN, grpc::RESOURCE_EXHAUSTED};

int most(const auto& items, auto value) { return *std::ranges::max_element(items, {}, value); }

int rank(int card) { return (card - 1) % 8; }

// Suits count from 1; the two of a colour add up to 5.
int suit(int card, int trump) {
  const int printed = card == CARD_JOKER ? trump : (card + 7) / 8;
  return rank(card) == JACK && printed == 5 - trump ? trump : printed;
}

// Who takes a trick: trumps stand above the suit that was led, and that above the rest.
int strength(int card, int trump, int led) {
  if (suit(card, trump) != trump) return suit(card, trump) == led ? rank(card) : rank(card) - 10;
  return card == CARD_JOKER ? 30 : rank(card) != JACK ? 10 + rank(card) : (card + 7) / 8 == trump ? 29 : 28;
}

// Trumps and aces, most of which take a trick.
int worth(const Cards& hand, int trump) {
  return std::ranges::count_if(hand, [&](int card) { return suit(card, trump) == trump || rank(card) == ACE; });
}

// How much better than passing a call looks. "Ask" and "moon" follow the bids, and count as higher ones.
double value(int call, const View& view) {
  const Cards& hand = view.hand();
  const double tricks = 0.8 * std::max({worth(hand, 1), worth(hand, 2), worth(hand, 3), worth(hand, 4)});
  if (call == CALL_ORDER) return worth(hand, suit(view.turned_card(), view.joker_suit())) + (view.dealer() == view.seat()) - 3.5;
  if (call >= CALL_CLUBS && call <= CALL_SPADES) return worth(hand, call - CALL_CLUBS + 1) - 3.5;
  if (call >= CALL_BID_3 && call <= CALL_MOON) return tricks - (call - CALL_BID_3 + 3);
  return call == CALL_ALONE ? worth(hand, view.trump()) - 3.5 : 0;
}

// Leads the strongest card; takes a trick as cheaply as possible, unless it is the partner's; or else plays the weakest.
int card_for(const View& view, const Cards& legal) {
  const Trick last = view.tricks().empty() ? Trick() : *view.tricks().rbegin();
  const Cards trick = last.has_winner() ? Cards() : last.cards();
  const int trump = view.trump(), led = trick.empty() ? 0 : suit(trick[0], trump);
  const auto power = [&](int card) { return strength(card, trump, led); };
  if (view.phase() == PHASE_PLAY && trick.empty()) return most(legal, power);
  const int best = trick.empty() ? 99 : power(most(trick, power)), ally = trick.size() < 2 ? -99 : power(trick[trick.size() - 2]);
  const bool ours = ally == best && view.taken_size() == 4 && view.out().empty();
  return most(legal, [&](int card) { return (power(card) > best && !ours ? 99 : 0) - power(card); });
}

// What the file that a variable names holds.
std::string contents(const char* variable) {
  const char* path = std::getenv(variable);
  std::ifstream file(path ? path : "/dev/null");
  if (!file) err(1, "%s", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main() {
  const char *address = std::getenv("EUCHRE_REFEREE"), *token = std::getenv("EUCHRE_TOKEN");
  if (!address || !token) errx(1, "EUCHRE_REFEREE and EUCHRE_TOKEN must be set: let the arena start this bot");
  const bool encrypted = std::string_view(address).starts_with("tls:");
  const auto credentials = !encrypted ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(
      {contents("EUCHRE_TLS_CA"), contents("EUCHRE_TLS_KEY"), contents("EUCHRE_TLS_CERT")});
  grpc::ChannelArguments options;
  options.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20000);
  options.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (int attempt = 0; attempt < 200; ++attempt) {  // in a row that hear nothing: ten minutes, or more
    const auto channel = grpc::CreateCustomChannel(address + (encrypted ? 4 : 0), credentials, options);
    const auto referee = RefereeService::NewStub(channel);
    grpc::ClientContext context;
    context.AddMetadata("authorization", std::string("Bearer ") + token);
    const auto stream = referee->Play(&context);
    PlayRequest request;
    request.mutable_hello()->set_protocol(1);
    stream->Write(request);
    for (PlayResponse message; stream->Read(&message); attempt = 0) {
      if (message.goodbye()) return 0;
      request.Clear();
      for (const Ask& ask : message.asks()) {
        Answer* answer = request.add_answers();
        answer->set_ask(ask.id());
        if (!ask.legal_cards().empty()) answer->set_card(Card(card_for(ask.view(), ask.legal_cards())));
        else answer->set_call(Call(most(ask.legal_calls(), [&](int call) { return value(call, ask.view()); })));
      }
      if (!message.asks().empty()) stream->Write(request);
    }
    const grpc::Status status = stream->Finish();
    if (!std::ranges::count(LOST, status.error_code())) errx(1, "%s", status.error_message().c_str());
    warnx("lost the referee: %s", status.error_message().c_str());
    std::this_thread::sleep_for(std::chrono::milliseconds(100 << std::min(attempt, 5)));  // 0.1 to 3.2 s
  }
  errx(1, "no referee answers at %s", address);
}
