import static euchre.v1.Cards.Call.*;
import static euchre.v1.Cards.Card.CARD_JOKER_VALUE;

import euchre.v1.Referee.*;
import euchre.v1.RefereeServiceGrpc;
import euchre.v1.Table.*;
import io.grpc.*;
import io.grpc.stub.MetadataUtils;
import java.io.*;
import java.util.*;
import java.util.concurrent.TimeUnit;

/** A Euchre bot on bare gRPC: simple sound rules for every variant, and nothing to remember between two asks. */
public final class Bot {
    /** Ranks count from the seven, 0. */
    private static final int JACK = 4, ACE = 7;
    private static final Set<Status.Code> LOST =
        EnumSet.of(Status.Code.UNAVAILABLE, Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.RESOURCE_EXHAUSTED);

    /** Suits count from 1; the two of a colour add up to 5. */
    private static int suit(int card, int trump) {
        int printed = card == CARD_JOKER_VALUE ? trump : (card + 7) / 8;
        return (card - 1) % 8 == JACK && printed == 5 - trump ? trump : printed;
    }

    /** Who takes a trick: trumps stand above the suit that was led, and that above the rest. */
    private static int strength(int card, int trump, int led) {
        int rank = (card - 1) % 8;
        if (suit(card, trump) != trump) return suit(card, trump) == led ? rank : rank - 10;
        return card == CARD_JOKER_VALUE ? 30 : rank != JACK ? 10 + rank : (card + 7) / 8 == trump ? 29 : 28;
    }

    /** Trumps and aces, most of which take a trick. */
    private static long worth(List<Integer> hand, int trump) {
        return hand.stream().filter(card -> suit(card, trump) == trump || (card - 1) % 8 == ACE).count();
    }

    /** How much better than passing a call looks. "Ask" and "moon" follow the bids, and count as higher ones. */
    private static double value(int call, View view) {
        List<Integer> hand = view.getHandValueList();
        int turned = suit(view.getTurnedCardValue(), view.getJokerSuitValue());
        double tricks = 0.8 * Collections.max(List.of(worth(hand, 1), worth(hand, 2), worth(hand, 3), worth(hand, 4)));
        if (call == CALL_ORDER_VALUE) return worth(hand, turned) + (view.getDealer() == view.getSeat() ? 1 : 0) - 3.5;
        if (call >= CALL_CLUBS_VALUE && call <= CALL_SPADES_VALUE) return worth(hand, call - CALL_CLUBS_VALUE + 1) - 3.5;
        if (call >= CALL_BID_3_VALUE && call <= CALL_MOON_VALUE) return tricks - (call - CALL_BID_3_VALUE + 3);
        return call == CALL_ALONE_VALUE ? worth(hand, view.getTrumpValue()) - 3.5 : 0;
    }

    /** Leads the strongest card; takes a trick as cheaply as possible, unless it is the partner's; or else plays the weakest. */
    private static int card(View view, List<Integer> legal) {
        Trick last = view.getTricksCount() == 0 ? Trick.getDefaultInstance() : view.getTricks(view.getTricksCount() - 1);
        List<Integer> trick = last.hasWinner() ? List.of() : last.getCardsValueList();
        int trump = view.getTrumpValue(), led = trick.isEmpty() ? 0 : suit(trick.get(0), trump);
        Comparator<Integer> weakest = Comparator.comparingInt(card -> strength(card, trump, led));
        if (view.getPhase() != Phase.PHASE_PLAY) return Collections.min(legal, weakest);
        if (trick.isEmpty()) return Collections.max(legal, weakest);
        int best = Collections.max(trick, weakest), partners = trick.size() < 2 ? 0 : trick.get(trick.size() - 2);
        List<Integer> winners = legal.stream().filter(card -> weakest.compare(card, best) > 0).toList();
        boolean won = best == partners && view.getTakenCount() == 4 && view.getOutCount() == 0;
        return Collections.min(winners.isEmpty() || won ? legal : winners, weakest);
    }

    static Answer answer(Ask ask) {
        Answer.Builder answer = Answer.newBuilder().setAsk(ask.getId());
        if (ask.getLegalCardsCount() > 0) return answer.setCardValue(card(ask.getView(), ask.getLegalCardsValueList())).build();
        Comparator<Integer> better = Comparator.comparingDouble(call -> value(call, ask.getView()));
        return answer.setCallValue(Collections.max(ask.getLegalCallsValueList(), better)).build();
    }

    /** Encryption where the address says so, with the files that variables name. */
    private static ChannelCredentials credentials(String address) throws IOException {
        if (!address.startsWith("tls:")) return InsecureChannelCredentials.create();
        String ca = System.getenv("EUCHRE_TLS_CA"), own = System.getenv("EUCHRE_TLS_CERT"), key = System.getenv("EUCHRE_TLS_KEY");
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        if (ca != null) tls.trustManager(new File(ca));
        if (own != null) tls.keyManager(new File(own), new File(key));
        return tls.build();
    }

    public static void main(String[] args) throws Exception {
        String address = System.getenv("EUCHRE_REFEREE"), token = System.getenv("EUCHRE_TOKEN");
        if (address == null || token == null) throw new IllegalStateException("EUCHRE_REFEREE and EUCHRE_TOKEN must be set");
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        ManagedChannel channel = Grpc.newChannelBuilder(address.replaceFirst("^tls:", ""), credentials(address))
            .keepAliveTime(20, TimeUnit.SECONDS).intercept(MetadataUtils.newAttachHeadersInterceptor(headers)).build();
        for (int attempt = 0; attempt < 200; attempt++) { // in a row that hear nothing: ten minutes, or more
            try {
                var stream = RefereeServiceGrpc.newBlockingV2Stub(channel).play();
                stream.write(PlayRequest.newBuilder().setHello(Hello.newBuilder().setProtocol(1)).build());
                for (PlayResponse message; (message = stream.read()) != null; attempt = 0) {
                    if (message.getGoodbye()) System.exit(0);
                    List<Answer> answers = message.getAsksList().stream().map(Bot::answer).toList();
                    if (!answers.isEmpty()) stream.write(PlayRequest.newBuilder().addAllAnswers(answers).build());
                }
            } catch (StatusException | StatusRuntimeException error) {
                if (!LOST.contains(Status.fromThrowable(error).getCode())) throw error;
                System.err.println("lost the referee: " + error.getMessage());
            }
            Thread.sleep(100L << Math.min(attempt, 5)); // 0.1 to 3.2 s
            channel.resetConnectBackoff();
        }
        throw new IllegalStateException("no referee answers at " + address);
    }
}
