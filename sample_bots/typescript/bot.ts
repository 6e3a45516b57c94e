// A Euchre bot on bare gRPC: simple sound rules for every variant, and nothing to remember between two asks.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { Answer } from "./generated/euchre/v1/Answer.js";
import type { Ask__Output as Ask } from "./generated/euchre/v1/Ask.js";
import { Call, type Call__Output as AnyCall } from "./generated/euchre/v1/Call.js";
import { Card, type Card__Output as AnyCard } from "./generated/euchre/v1/Card.js";
import { Phase } from "./generated/euchre/v1/Phase.js";
import type { PlayResponse__Output as PlayResponse } from "./generated/euchre/v1/PlayResponse.js";
import type { View__Output as View } from "./generated/euchre/v1/View.js";
import type { ProtoGrpcType } from "./generated/referee.js";

const [JACK, ACE, TRUMP, BOWER] = [4, 7, 8, 18]; // ranks count from the seven, 0; trumps are stronger by 8, bowers 18 and more
const LOST = [grpc.status.UNAVAILABLE, grpc.status.INTERNAL, grpc.status.UNKNOWN, grpc.status.RESOURCE_EXHAUSTED];

const most = <T>(items: readonly T[], value: (item: T) => number): T => items.reduce((a, b) => (value(b) > value(a) ? b : a));

// Suits count from 1; the two of a colour add up to 5.
function suit(card: number, trump: number): number {
  const printed = card === Card.CARD_JOKER ? trump : Math.ceil(card / 8);
  return (card - 1) % 8 === JACK && printed === 5 - trump ? trump : printed;
}

function strength(card: number, trump: number): number {
  if (card === Card.CARD_JOKER) return BOWER + 2;
  const rank = (card - 1) % 8;
  if (suit(card, trump) !== trump) return rank;
  return rank !== JACK ? TRUMP + rank : Math.ceil(card / 8) === trump ? BOWER + 1 : BOWER;
}

// Roughly the tricks that a hand takes: bowers for sure, other trumps and plain aces more often than not.
function worth(hand: readonly number[], trump: number): number {
  return hand.map((card) => strength(card, trump)).reduce((sum, each) => sum + (each >= BOWER ? 1 : each >= ACE ? 0.6 : 0), 0);
}

const bestSuit = (hand: readonly number[]) => most([1, 2, 3, 4], (trump) => worth(hand, trump));

// How much better than passing a call looks.
function value(call: AnyCall, view: View): number {
  const { hand, trump, seat, dealer, turnedCard, jokerSuit } = view;
  const tricks = worth(hand, bestSuit(hand)) + (view.taken.length === 4 ? hand.length / 8 : 0); // a partner helps
  if (call >= Call.CALL_CLUBS && call <= Call.CALL_SPADES) return worth(hand, call - Call.CALL_CLUBS + 1) - 2.5;
  if (call >= Call.CALL_BID_3 && call <= Call.CALL_BID_11) return tricks - (call - Call.CALL_BID_3 + 3);
  if (call === Call.CALL_ORDER) return worth(dealer === seat ? [...hand, turnedCard] : hand, suit(turnedCard, jokerSuit)) - 2.5;
  if (call === Call.CALL_ASK || call === Call.CALL_MOON) return tricks - hand.length - 0.3;
  if (call === Call.CALL_ALONE) return worth(hand, trump) - 4;
  return call === Call.CALL_SWAP ? 2 - tricks : call === Call.CALL_CLAIM ? 1 : call > Call.CALL_NO ? -99 : 0;
}

function play(view: View, legal: readonly AnyCard[]): AnyCard {
  const { trump, seat } = view;
  const lowest = most(legal, (card) => -strength(card, trump));
  const trick = view.tricks.at(-1);
  if (!trick?.cards.length || trick.winner !== undefined) {
    return legal.find((card) => strength(card, trump) === ACE || strength(card, trump) >= BOWER) ?? lowest;
  }
  const canWin = [trump, suit(trick.cards[0], trump)];
  const power = (card: number) => (canWin.includes(suit(card, trump)) ? strength(card, trump) : -1);
  const best = most(trick.cards, power);
  const winners = legal.filter((card) => power(card) > power(best));
  const winner = trick.leader + trick.cards.indexOf(best);
  const partnerWins = view.taken.length === 4 && view.out.length === 0 && winner % 4 === (seat + 2) % 4;
  return winners.length === 0 || partnerWins ? lowest : most(winners, (card) => -power(card));
}

function answer({ id, view, legalCards, legalCalls }: Ask): Answer {
  if (legalCalls.length > 0) return { ask: id, call: most(legalCalls, (call) => value(call, view!)) };
  if (view!.phase === Phase.PHASE_PLAY) return { ask: id, card: play(view!, legalCards) };
  return { ask: id, card: most(legalCards, (card) => -strength(card, view!.trump || bestSuit(view!.hand))) };
}

const { EUCHRE_REFEREE: address, EUCHRE_TOKEN: token } = process.env;
if (!address || !token) throw new Error("EUCHRE_REFEREE and EUCHRE_TOKEN must be set: let the arena start this bot");
const proto = fileURLToPath(new URL("../../../proto/euchre/v1/referee.proto", import.meta.url));
const definition = loadSync(proto, { includeDirs: [`${proto}/../../..`], defaults: true });
const { RefereeService } = (grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType).euchre.v1;

// One stream after another until goodbye, with growing pauses while nothing is heard.
for (let pause = 50, playing = true; playing; pause = Math.min(2 * pause, 2000)) {
  const client = new RefereeService(address, grpc.credentials.createInsecure(), { "grpc.keepalive_time_ms": 20_000 });
  try {
    const stream = client.play(grpc.Metadata.fromHttp2Headers({ authorization: `Bearer ${token}` }));
    stream.write({ hello: { protocol: 1, agent: "sample (typescript)" } });
    for await (const message of stream as AsyncIterable<PlayResponse>) {
      pause = 50;
      if (message.asks.length > 0) stream.write({ answers: message.asks.map(answer) });
      playing = !message.goodbye;
      if (!playing) stream.end();
    }
  } catch (error) {
    if (playing && !LOST.includes((error as grpc.ServiceError).code)) throw error;
  }
  client.close();
  if (playing) await sleep(pause);
}
