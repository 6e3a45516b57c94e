// A Euchre bot on bare gRPC. It names trumps and bids by how strong its cards are together, leads aces and the highest trump, takes a
// trick with the lowest card that does it, and else plays its lowest.
package main

//go:generate buf generate ../../proto

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "euchre-bot/gen/euchre/v1"
)

// strength is the rank counted from the seven, 0, and 8 more in the suit led, 16 more in trumps; bowers and joker are above them all.
func strength(card pb.Card, trump, led pb.Suit) int {
	top := map[pb.Card]int{pb.Card_CARD_JOKER: 34, pb.Card(8*trump - 3): 33, pb.Card(8*(5-trump) - 3): 32}
	class := map[pb.Suit]int{led: 8, trump: 16}
	return max(top[card], class[pb.Suit(card+7)/8]+int(card+7)%8)
}

// gain is by how much the hand is stronger than a call needs; what is no bid and names no trump needs and gains nothing.
func gain(view *pb.View, call pb.Call) int {
	var hand [5]int // how strong it is with each suit as trump
	for _, card := range view.Hand {
		for trump := range hand {
			hand[trump] += strength(card, pb.Suit(trump), 0)
		}
	}
	switch {
	case call == pb.Call_CALL_ORDER: // a turned joker stands for a suit
		return hand[pb.Suit(view.TurnedCard+7)/8%5+view.JokerSuit] - 78
	case call >= pb.Call_CALL_CLUBS && call <= pb.Call_CALL_SPADES:
		return hand[call-pb.Call_CALL_CLUBS+1] - 78
	case call >= pb.Call_CALL_BID_3 && call <= pb.Call_CALL_ALONE: // what comes after the bids counts as one that is too high
		return slices.Max(hand[1:]) - 78 - 16*int(call-pb.Call_CALL_BID_3)
	}
	return 0
}

// answer is the call that gains most; or, to lead, an ace or the highest trump; or the lowest card that takes the trick, or else the lowest.
func answer(ask *pb.Ask) *pb.Answer {
	view, legal := ask.View, ask.LegalCards
	if len(legal) == 0 {
		better := func(a, b pb.Call) int { return gain(view, a) - gain(view, b) }
		return &pb.Answer{Ask: ask.Id, Call: slices.MaxFunc(ask.LegalCalls, better)} // of equals the first
	}
	tricks := append(view.Tricks, &pb.Trick{}) // an empty one, should all be finished
	trick := tricks[slices.IndexFunc(tricks, func(each *pb.Trick) bool { return each.Winner == nil })].Cards
	led := pb.Suit(append(trick, pb.Card_CARD_UNSPECIFIED)[0]+7) / 8
	stronger := func(a, b pb.Card) int { return strength(a, view.Trump, led) - strength(b, view.Trump, led) }
	leading := view.Phase == pb.Phase_PHASE_PLAY && len(trick) == 0
	leads := func(card pb.Card) bool {
		return leading && slices.Contains([]int{7, 33, 34}, strength(card, view.Trump, 0))
	}
	takes := func(card pb.Card) bool { return len(trick) > 0 && stronger(card, slices.MaxFunc(trick, stronger)) > 0 }
	slices.SortFunc(legal, stronger)
	return &pb.Answer{Ask: ask.Id, Card: legal[max(0, slices.IndexFunc(legal, leads), slices.IndexFunc(legal, takes))]}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// dial connects to unix:/path, to host:port, or encrypted to tls:host:port; pings tell if the line is dead, and keep it open.
func dial(address string) *grpc.ClientConn {
	target, encrypted := strings.CutPrefix(address, "tls:")
	transport := insecure.NewCredentials()
	if encrypted {
		config := &tls.Config{}
		if trusted := os.Getenv("EUCHRE_TLS_CA"); trusted != "" {
			config.RootCAs = x509.NewCertPool()
			config.RootCAs.AppendCertsFromPEM(must(os.ReadFile(trusted)))
		}
		if own := os.Getenv("EUCHRE_TLS_CERT"); own != "" {
			config.Certificates = []tls.Certificate{must(tls.LoadX509KeyPair(own, os.Getenv("EUCHRE_TLS_KEY")))}
		}
		transport = credentials.NewTLS(config)
	}
	pings := keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}
	return must(grpc.NewClient(target, grpc.WithTransportCredentials(transport), grpc.WithKeepaliveParams(pings)))
}

// play plays on one stream until the referee says goodbye; any word from it makes `attempt` the first again.
func play(address, token string, attempt *int) error {
	conn := dial(address)
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
	stream, err := pb.NewRefereeServiceClient(conn).Play(ctx)
	if err != nil {
		return err
	}
	stream.Send(&pb.PlayRequest{Hello: &pb.Hello{Agent: "sample (go)", Protocol: 1}}) // Recv tells if sending failed, and why
	for {
		message, err := stream.Recv()
		if err != nil || message.Goodbye {
			return err
		}
		*attempt = 0
		reply := &pb.PlayRequest{}
		for _, ask := range message.Asks {
			reply.Answers = append(reply.Answers, answer(ask))
		}
		if len(reply.Answers) > 0 {
			stream.Send(reply)
		}
	}
}

func main() {
	address, token := os.Getenv("EUCHRE_REFEREE"), os.Getenv("EUCHRE_TOKEN")
	if address == "" || token == "" {
		log.Fatal("EUCHRE_REFEREE and EUCHRE_TOKEN must be set: let the arena start this bot")
	}
	for attempt := 0; attempt < 130; attempt++ { // which takes ten minutes or more
		err := play(address, token, &attempt)
		switch status.Code(err) {
		case codes.OK:
			return
		case codes.Unavailable, codes.Internal, codes.Unknown, codes.ResourceExhausted: // the connection is lost
			log.Print("lost the referee, trying again: ", err)
			time.Sleep(80 * time.Millisecond << min(attempt, 6)) // to 5 s at last
		default: // the referee's word, and final
			log.Fatal(err)
		}
	}
	log.Fatal("the referee is out of reach")
}
