// A Euchre bot on bare gRPC: one stream to the referee, and simple rules for what to answer.
package main

//go:generate buf generate ../../proto

import (
	"context"
	"log"
	"os"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "euchre-bot/gen/euchre/v1"
)

// shortest and longest are the pauses before the next attempt to connect.
const shortest, longest = 50 * time.Millisecond, 3 * time.Second

// lost is how a broken connection ends a stream; every other status is the referee's word, and final.
var lost = []codes.Code{codes.Unavailable, codes.Internal, codes.Unknown, codes.ResourceExhausted}

// play plays on one stream until the referee says goodbye; it tells whether the referee said anything.
func play(address, token string) (heard bool, err error) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
	stream, err := pb.NewRefereeServiceClient(conn).Play(ctx)
	if err != nil {
		return false, err
	}
	stream.Send(&pb.PlayRequest{Hello: &pb.Hello{Agent: "sample (go)", Protocol: 1}}) // Recv tells if sending failed, and why
	for {
		message, err := stream.Recv()
		if err != nil || message.Goodbye {
			return heard, err
		}
		heard = true
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
	for pause := shortest; ; pause = min(2*pause, longest) {
		heard, err := play(os.Getenv("EUCHRE_REFEREE"), os.Getenv("EUCHRE_TOKEN"))
		if err == nil {
			return
		}
		if !slices.Contains(lost, status.Code(err)) {
			log.Fatal(err)
		}
		log.Print("lost the referee: ", err)
		if heard {
			pause = shortest
		}
		time.Sleep(pause)
	}
}
