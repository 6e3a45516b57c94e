// A Euchre bot on bare gRPC: simple sound rules for every variant, and nothing to remember between two asks.
import { readFileSync } from "node:fs";
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

const [JACK, ACE] = [4, 7]; // ranks count from the seven, 0
const LOST = [grpc.status.UNAVAILABLE, grpc.status.INTERNAL, grpc.status.UNKNOWN, grpc.status.RESOURCE_EXHAUSTED];

const most = <T>(items: readonly T[], value: (item: T) => number): T => items.reduce((a, b) => (value(b) > value(a) ? b : a));

const rank = (card: number) => (card - 1) % 8;

// Suits count from 1; the two of a colour add up to 5.
function suit(card: number, trump: number): number {
  const printed = card === Card.CARD_JOKER ? trump : Math.ceil(card / 8);
  return rank(card) === JACK && printed === 5 - trump ? trump : printed;
}

// Who takes a trick: trumps stand above the suit that was led, and that above the rest.
function strength(card: number, trump: number, led: number): number {
  if (suit(card, trump) !== trump) return suit(card, trump) === led ? rank(card) : rank(card) - 10;
  return card === Card.CARD_JOKER ? 30 : rank(card) !== JACK ? 10 + rank(card) : Math.ceil(card / 8) === trump ? 29 : 28;
}

// Trumps and aces, most of which take a trick.
function worth(hand: readonly number[], trump: number): number {
  return hand.filter((card) => suit(card, trump) === trump || rank(card) === ACE).length;
}

// How much better than passing a call looks. "Ask" and "moon" follow the bids, and count as higher ones.
function value(call: AnyCall, { hand, trump, seat, dealer, turnedCard, jokerSuit }: View): number {
  const tricks = 0.8 * Math.max(...[1, 2, 3, 4].map((trump) => worth(hand, trump)));
  if (call === Call.CALL_ORDER) return worth(hand, suit(turnedCard, jokerSuit)) + (dealer === seat ? 1 : 0) - 3.5;
  if (call >= Call.CALL_CLUBS && call <= Call.CALL_SPADES) return worth(hand, call - Call.CALL_CLUBS + 1) - 3.5;
  if (call >= Call.CALL_BID_3 && call <= Call.CALL_MOON) return tricks - (call - Call.CALL_BID_3 + 3);
  return call === Call.CALL_ALONE ? worth(hand, trump) - 3.5 : 0;
}

// Leads the strongest card; takes a trick as cheaply as possible, unless it is the partner's; or else plays the weakest.
function cardFor({ phase, trump, tricks, taken, out }: View, legal: readonly AnyCard[]): AnyCard {
  const last = tricks.at(-1);
  const trick = last && last.winner === undefined ? last.cards : [];
  const power = (card: number) => strength(card, trump, suit(trick[0] ?? 0, trump));
  if (phase === Phase.PHASE_PLAY && trick.length === 0) return most(legal, power);
  const best = trick.length === 0 ? 99 : Math.max(...trick.map(power));
  const partners = trick.length > 1 && taken.length === 4 && out.length === 0 && power(trick.at(-2)!) === best;
  return most(legal, (card) => (power(card) > best && !partners ? 99 : 0) - power(card));
}

function answer({ id, view, legalCards, legalCalls }: Ask): Answer {
  if (legalCards.length > 0) return { ask: id, card: cardFor(view!, legalCards) };
  return { ask: id, call: most(legalCalls, (call) => value(call, view!)) };
}

// What the file that a variable names holds.
function contents(variable: string): Buffer | null {
  const path = process.env[variable];
  return path ? readFileSync(path) : null;
}

const { EUCHRE_REFEREE: address, EUCHRE_TOKEN: token } = process.env;
if (!address || !token) throw new Error("EUCHRE_REFEREE and EUCHRE_TOKEN must be set: let the arena start this bot");
const credentials = address.startsWith("tls:")
  ? grpc.credentials.createSsl(contents("EUCHRE_TLS_CA"), contents("EUCHRE_TLS_KEY"), contents("EUCHRE_TLS_CERT"))
  : grpc.credentials.createInsecure();
const proto = fileURLToPath(new URL("../../../proto/euchre/v1/referee.proto", import.meta.url));
const definition = loadSync(proto, { includeDirs: [`${proto}/../../..`], defaults: true });
const { RefereeService } = (grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType).euchre.v1;

// One stream after another until goodbye, or until 200 in a row, in ten minutes or more, have heard nothing.
for (let attempt = 0; attempt < 200; attempt++) {
  const client = new RefereeService(address.replace(/^tls:/, ""), credentials, { "grpc.keepalive_time_ms": 20_000 });
  const stream = client.play(grpc.Metadata.fromHttp2Headers({ authorization: `Bearer ${token}` }));
  stream.write({ hello: { protocol: 1, agent: "sample (typescript)" } });
  try {
    for await (const message of stream as AsyncIterable<PlayResponse>) {
      if (message.goodbye) process.exit(0);
      if (message.asks.length > 0) stream.write({ answers: message.asks.map(answer) });
      attempt = 0;
    }
  } catch (error) {
    if (!LOST.includes((error as grpc.ServiceError).code)) throw error;
    console.error(`lost the referee: ${(error as Error).message}`);
  }
  client.close();
  await sleep(100 * 2 ** Math.min(attempt, 5)); // 0.1 to 3.2 s
}
throw new Error(`no referee answers at ${address}`);
