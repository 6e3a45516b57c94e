package main

import (
	"math/rand"
	"slices"
	"testing"

	pb "euchre-bot/gen/euchre/v1"
)

// hand is what a player with good hearts may hold.
var hand = []pb.Card{pb.Card_CARD_JH, pb.Card_CARD_JD, pb.Card_CARD_AH, pb.Card_CARD_9S, pb.Card_CARD_9C}

// weak is a hand to pass on.
var weak = []pb.Card{pb.Card_CARD_9H, pb.Card_CARD_9D, pb.Card_CARD_TS, pb.Card_CARD_9S, pb.Card_CARD_9C}

func TestEveryAnswerIsLegal(t *testing.T) {
	lot := rand.New(rand.NewSource(1))
	for id := range uint32(10000) {
		ask := &pb.Ask{Id: id, View: &pb.View{Phase: pb.Phase(lot.Intn(12)), Trump: pb.Suit(lot.Intn(5))}}
		for range 1 + lot.Intn(8) {
			ask.View.Hand = append(ask.View.Hand, pb.Card(1+lot.Intn(33)))
		}
		if lot.Intn(2) == 0 {
			ask.LegalCards = ask.View.Hand[:1+lot.Intn(len(ask.View.Hand))]
			ask.View.Tricks = []*pb.Trick{{Cards: []pb.Card{pb.Card(1 + lot.Intn(33))}}}
		} else {
			for range 1 + lot.Intn(5) {
				ask.LegalCalls = append(ask.LegalCalls, pb.Call(1+lot.Intn(25))) // two are of a later version
			}
		}
		given := answer(ask)
		legal := slices.Contains(ask.LegalCards, given.Card) != slices.Contains(ask.LegalCalls, given.Call)
		if given.Ask != id || !legal {
			t.Fatalf("%v to %v", given, ask)
		}
	}
}

func TestCalls(t *testing.T) {
	calls := []pb.Call{pb.Call_CALL_PASS, pb.Call_CALL_ORDER}
	for _, each := range []struct {
		hand []pb.Card
		call pb.Call
	}{{hand, pb.Call_CALL_ORDER}, {weak, pb.Call_CALL_PASS}} {
		view := &pb.View{Phase: pb.Phase_PHASE_AUCTION, Hand: each.hand, TurnedCard: pb.Card_CARD_QH}
		if given := answer(&pb.Ask{View: view, LegalCalls: calls}); given.Call != each.call {
			t.Errorf("%v with %v", given.Call, each.hand)
		}
	}
}

func TestATrickIsTakenCheaply(t *testing.T) {
	trick := &pb.Trick{Leader: 2, Cards: []pb.Card{pb.Card_CARD_9H, pb.Card_CARD_QH}}
	view := &pb.View{Phase: pb.Phase_PHASE_PLAY, Seat: 1, Trump: pb.Suit_SUIT_HEARTS, Hand: hand, Tricks: []*pb.Trick{trick}}
	if given := answer(&pb.Ask{View: view, LegalCards: hand[:3]}); given.Card != pb.Card_CARD_AH {
		t.Errorf("%v", given.Card)
	}
}
