package main

import pb "euchre-bot/gen/euchre/v1"

// answer chooses the best of what is legal.
func answer(ask *pb.Ask) *pb.Answer {
	return &pb.Answer{Ask: ask.Id, Card: best(ask.LegalCards, ask.View, cardScore), Call: best(ask.LegalCalls, ask.View, callScore)}
}

// best is the first of those with the highest score; of none, the zero value.
func best[T any](legal []T, view *pb.View, score func(*pb.View, T) int) (chosen T) {
	for i, each := range legal {
		if i == 0 || score(view, each) > score(view, chosen) {
			chosen = each
		}
	}
	return chosen
}

// suitOf is the suit printed on a card, 0 for the joker.
func suitOf(card pb.Card) pb.Suit { return pb.Suit((card + 7) / 8 % 5) }

// power is how high a card stands: from 58 for bowers and joker, from 40 for a trump, from 20 for the suit led, 7 for another ace.
func power(card pb.Card, trump, led pb.Suit) int {
	suit, rank := suitOf(card), int(card+7)%8
	switch {
	case card == pb.Card_CARD_JOKER:
		return 60
	case rank == 4 && suit == trump:
		return 59
	case rank == 4 && suit+trump == 5: // the other jack of the colour
		return 58
	case suit == trump:
		return 40 + rank
	case suit == led:
		return 20 + rank
	}
	return rank
}

// worth is about how many tenths of a trick a hand is good for with a trump suit.
func worth(hand []pb.Card, trump pb.Suit) (tenths int) {
	for _, card := range hand {
		if p := power(card, trump, 0); p >= 58 {
			tenths += 10
		} else if p >= 40 || p == 7 {
			tenths += 6
		}
	}
	return tenths
}

// callScore is how much better a call is than to pass, which is 0.
func callScore(view *pb.View, call pb.Call) int {
	hand, turned := view.Hand, suitOf(view.TurnedCard)+view.JokerSuit // a suit if it is the joker that is turned
	most := max(worth(hand, 1), worth(hand, 2), worth(hand, 3), worth(hand, 4))
	switch bid := int(call - pb.Call_CALL_BID_3 + 3); {
	case call == pb.Call_CALL_ORDER:
		return worth(hand, turned) - 25
	case call >= pb.Call_CALL_CLUBS && call <= pb.Call_CALL_SPADES:
		return worth(hand, pb.Suit(call-pb.Call_CALL_CLUBS+1)) - 25
	case call >= pb.Call_CALL_BID_3 && call <= pb.Call_CALL_MOON: // the lowest that the hand is good for; "ask" and "moon" never
		return min(most+5-10*bid, 20-bid)
	case call == pb.Call_CALL_SWAP:
		return 20 - most
	case call == pb.Call_CALL_ALONE:
		return worth(hand, view.Trump) - 40
	}
	return 0
}

// cardScore says how good it is to play or part with a card: the lowest that takes the trick, else the lowest.
func cardScore(view *pb.View, card pb.Card) int {
	led, winning := pb.Suit(0), 0
	if n := len(view.Tricks); n > 0 && view.Tricks[n-1].Winner == nil && len(view.Tricks[n-1].Cards) > 0 {
		led = suitOf(view.Tricks[n-1].Cards[0])
		for _, other := range view.Tricks[n-1].Cards {
			winning = max(winning, power(other, view.Trump, led))
		}
	}
	switch p := power(card, view.Trump, led); {
	case view.Phase == pb.Phase_PHASE_PLAY && winning == 0 && (p == 7 || p >= 59): // leads aces and the highest trumps
		return p
	case winning > 0 && p > winning:
		return 100 - p
	default:
		return -p
	}
}
