import static euchre.v1.Cards.Call.*;
import static euchre.v1.Cards.Card.CARD_JOKER_VALUE;

import euchre.v1.Referee.*;
import euchre.v1.RefereeServiceGrpc;
import euchre.v1.Table.*;
import io.grpc.*;
import io.grpc.stub.MetadataUtils;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** A Euchre bot on bare gRPC: simple sound rules for every variant, and nothing to remember between two asks. */
public final class Bot {
    /** Ranks count from the seven, 0; trumps are stronger by 8. */
    private static final int JACK = 4, ACE = 7, TRUMP = 8, BOWER = 18;
    private static final Set<Status.Code> LOST =
        EnumSet.of(Status.Code.UNAVAILABLE, Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.RESOURCE_EXHAUSTED);

    /** The first of the items with the highest value. */
    private static int most(List<Integer> items, ToDoubleFunction<Integer> value) {
        return items.stream().reduce((a, b) -> value.applyAsDouble(b) > value.applyAsDouble(a) ? b : a).orElseThrow();
    }

    /** Suits count from 1; the two of a colour add up to 5. */
    private static int suit(int card, int trump) {
        int printed = card == CARD_JOKER_VALUE ? trump : (card + 7) / 8;
        return (card - 1) % 8 == JACK && printed == 5 - trump ? trump : printed;
    }

    private static int strength(int card, int trump) {
        int rank = (card - 1) % 8;
        if (suit(card, trump) != trump) return rank;
        return card == CARD_JOKER_VALUE ? BOWER + 2 : rank != JACK ? TRUMP + rank : (card + 7) / 8 == trump ? BOWER + 1 : BOWER;
    }

    /** Roughly the tricks that a hand takes: bowers for sure, other trumps and plain aces more often than not. */
    private static double worth(List<Integer> hand, int trump) {
        return hand.stream().mapToInt(card -> strength(card, trump)).mapToDouble(s -> s >= BOWER ? 1 : s >= ACE ? 0.6 : 0).sum();
    }

    private static int bestSuit(List<Integer> hand) {
        return most(List.of(1, 2, 3, 4), trump -> worth(hand, trump));
    }

    /** How much better than passing a call looks. */
    private static double value(int call, View view) {
        List<Integer> hand = new ArrayList<>(view.getHandValueList());
        int size = hand.size(), turned = view.getTurnedCardValue();
        double tricks = worth(hand, bestSuit(hand)) + (view.getTakenCount() == 4 ? size / 8.0 : 0);
        if (call == CALL_ORDER_VALUE && view.getDealer() == view.getSeat()) hand.add(turned);
        return switch (call) {
            case CALL_ORDER_VALUE -> worth(hand, suit(turned, view.getJokerSuitValue())) - 2.5;
            case CALL_CLUBS_VALUE, CALL_DIAMONDS_VALUE, CALL_HEARTS_VALUE, CALL_SPADES_VALUE -> worth(hand, call - 2) - 2.5;
            case CALL_ASK_VALUE, CALL_MOON_VALUE -> tricks - size - 0.3;
            case CALL_ALONE_VALUE -> worth(hand, view.getTrumpValue()) - 4;
            case CALL_SWAP_VALUE -> 2 - tricks;
            case CALL_CLAIM_VALUE -> 1;
            case CALL_PASS_VALUE, CALL_NO_VALUE, CALL_TOGETHER_VALUE, CALL_DUMMY_VALUE -> 0;
            default -> call < CALL_ASK_VALUE ? tricks - (call - CALL_BID_3_VALUE + 3) : -99;
        };
    }

    private static int card(View view, List<Integer> legal) {
        int trump = view.getTrumpValue() != 0 ? view.getTrumpValue() : bestSuit(view.getHandValueList());
        int lowest = most(legal, card -> -strength(card, trump));
        if (view.getPhase() != Phase.PHASE_PLAY) return lowest;
        Trick trick = view.getTricksCount() == 0 ? Trick.getDefaultInstance() : view.getTricks(view.getTricksCount() - 1);
        List<Integer> played = trick.getCardsValueList();
        if (played.isEmpty() || trick.hasWinner()) {
            int lead = most(legal, card -> strength(card, trump) == ACE ? BOWER : strength(card, trump));
            return strength(lead, trump) == ACE || strength(lead, trump) >= BOWER ? lead : lowest;
        }
        Set<Integer> canWin = new HashSet<>(List.of(trump, suit(played.get(0), trump)));
        ToDoubleFunction<Integer> power = card -> canWin.contains(suit(card, trump)) ? strength(card, trump) : -1;
        int best = most(played, power), winner = trick.getLeader() + played.indexOf(best);
        boolean partnerWins = view.getTakenCount() == 4 && view.getOutCount() == 0 && winner % 4 == (view.getSeat() + 2) % 4;
        List<Integer> winners = legal.stream().filter(card -> power.applyAsDouble(card) > power.applyAsDouble(best)).toList();
        return winners.isEmpty() || partnerWins ? lowest : most(winners, card -> -power.applyAsDouble(card));
    }

    static Answer answer(Ask ask) {
        Answer.Builder answer = Answer.newBuilder().setAsk(ask.getId());
        if (ask.getLegalCardsCount() > 0) return answer.setCardValue(card(ask.getView(), ask.getLegalCardsValueList())).build();
        return answer.setCallValue(most(ask.getLegalCallsValueList(), call -> value(call, ask.getView()))).build();
    }

    public static void main(String[] args) throws InterruptedException {
        String address = System.getenv("EUCHRE_REFEREE"), token = System.getenv("EUCHRE_TOKEN");
        if (address == null || token == null) throw new IllegalStateException("EUCHRE_REFEREE and EUCHRE_TOKEN must be set");
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        ManagedChannel channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
            .keepAliveTime(20, TimeUnit.SECONDS).intercept(MetadataUtils.newAttachHeadersInterceptor(headers)).build();
        for (long pause = 50; ; pause = Math.min(2 * pause, 2000)) { // growing while nothing is heard
            try {
                var stream = RefereeServiceGrpc.newBlockingV2Stub(channel).play();
                stream.write(PlayRequest.newBuilder().setHello(Hello.newBuilder().setProtocol(1)).build());
                for (PlayResponse message; (message = stream.read()) != null; pause = 50) {
                    List<Answer> answers = message.getAsksList().stream().map(Bot::answer).toList();
                    if (!answers.isEmpty()) stream.write(PlayRequest.newBuilder().addAllAnswers(answers).build());
                    if (message.getGoodbye()) System.exit(0);
                }
            } catch (StatusException | StatusRuntimeException error) {
                if (!LOST.contains(Status.fromThrowable(error).getCode())) throw new IllegalStateException(error.getMessage());
            }
            Thread.sleep(pause);
            channel.resetConnectBackoff();
        }
    }
}
