// Plays the built bot against a referee of a few lines, and looks at what it answers: npm test.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const proto = fileURLToPath(new URL("../../proto", import.meta.url));
const definition = loadSync("euchre/v1/referee.proto", { includeDirs: [proto], enums: String, defaults: true });
const { RefereeService } = grpc.loadPackageDefinition(definition).euchre.v1;

const GOOD = ["CARD_JH", "CARD_JD", "CARD_AH", "CARD_9S", "CARD_9C"];
const WEAK = ["CARD_9H", "CARD_9D", "CARD_TS", "CARD_9S", "CARD_9C"];
const CALLS = ["CALL_PASS", "CALL_ORDER"];

const auction = (hand) => ({ phase: "PHASE_AUCTION", hand, turnedCard: "CARD_QH", taken: [0, 0, 0] });
const play = (hand, cards) => ({ phase: "PHASE_PLAY", seat: 1, trump: "SUIT_HEARTS", hand, tricks: [{ leader: 2, cards }], taken: [0, 0, 0] });

// Starts the bot, asks all at once, says goodbye; returns the answers by the asks' ids.
async function answers(asks) {
  const folder = mkdtempSync(join(tmpdir(), "bot-"));
  const address = `unix:${folder}/referee`;
  const server = new grpc.Server();
  const found = new Map();
  server.addService(RefereeService.service, {
    play(stream) {
      stream.on("data", (message) => {
        if (message.hello) stream.write({ welcome: { protocol: 1 }, asks });
        for (const answer of message.answers) found.set(answer.ask, answer);
        if (found.size === asks.length) stream.write({ goodbye: true });
      });
      stream.on("end", () => stream.end());
    },
  });
  await new Promise((resolve, reject) =>
    server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
  try {
    const env = { ...process.env, EUCHRE_REFEREE: address, EUCHRE_TOKEN: "a-token" };
    const [code] = await once(spawn("node", ["dist/bot.js"], { env, stdio: "inherit" }), "exit");
    assert.equal(code, 0);
    return found;
  } finally {
    server.forceShutdown();
    rmSync(folder, { recursive: true });
  }
}

test("a good hand orders, a bad one passes", async () => {
  const found = await answers([
    { id: 1, view: auction(GOOD), legalCalls: CALLS },
    { id: 2, view: auction(WEAK), legalCalls: CALLS },
  ]);
  assert.equal(found.get(1).call, "CALL_ORDER");
  assert.equal(found.get(2).call, "CALL_PASS");
});

test("a trick is taken cheaply, or left for the lowest card", async () => {
  const found = await answers([
    { id: 1, view: play(GOOD, ["CARD_9H", "CARD_QH"]), legalCards: GOOD.slice(0, 3) },
    { id: 2, view: play(WEAK, ["CARD_JH", "CARD_QH"]), legalCards: ["CARD_9H"] },
  ]);
  assert.equal(found.get(1).card, "CARD_AH");
  assert.equal(found.get(2).card, "CARD_9H");
});

test("every answer is legal", async () => {
  let seed = 1;
  const below = (most) => (seed = (seed * 48271) % 0x7fffffff) % most; // looks drawn by lot, the same each time
  const some = (names, most) => Array.from({ length: 1 + below(most) }, () => names[below(names.length)]);
  const cards = [..."CDHS"].flatMap((suit) => [..."789TJQKA"].map((rank) => `CARD_${rank}${suit}`)).concat("CARD_JOKER");
  const calls = ["PASS", "ORDER", "HEARTS", "SPADES", "BID_3", "BID_11", "MOON", "ASK", "SWAP", "ALONE", "DUMMY", "CLAIM", "NO"];
  const trumps = ["CLUBS", "DIAMONDS", "HEARTS", "SPADES", "UNSPECIFIED"].map((suit) => `SUIT_${suit}`);
  const asks = Array.from({ length: 1000 }, (_, id) => {
    const view = { ...play(some(cards, 8), some(cards, 3)), trump: trumps[below(5)], turnedCard: cards[below(33)] };
    if (id % 2) return { id, view, legalCards: view.hand.slice(below(view.hand.length)) };
    return { id, view: { ...view, phase: "PHASE_AUCTION" }, legalCalls: some(calls, 5).map((call) => `CALL_${call}`) };
  });
  const found = await answers(asks);
  for (const { id, legalCards, legalCalls } of asks) {
    const { card, call } = found.get(id);
    assert.ok(legalCards?.includes(card) || legalCalls?.includes(call), `${card} and ${call} to ${legalCards ?? legalCalls}`);
  }
});
