import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import euchre.v1.Cards.*;
import euchre.v1.Table.*;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the bot answers: mvn test. */
final class BotTest {
    private static final List<Card> GOOD = List.of(Card.CARD_JH, Card.CARD_JD, Card.CARD_AH, Card.CARD_9S, Card.CARD_9C);
    private static final List<Card> WEAK = List.of(Card.CARD_9H, Card.CARD_9D, Card.CARD_TS, Card.CARD_9S, Card.CARD_9C);

    private static Call call(List<Card> hand) {
        View.Builder view = View.newBuilder().setPhase(Phase.PHASE_AUCTION).addAllHand(hand).setTurnedCard(Card.CARD_QH);
        return Bot.answer(Ask.newBuilder().setView(view).addLegalCalls(Call.CALL_PASS).addLegalCalls(Call.CALL_ORDER).build()).getCall();
    }

    @Test
    void aGoodHandOrders() {
        assertEquals(Call.CALL_ORDER, call(GOOD));
    }

    @Test
    void aBadHandPasses() {
        assertEquals(Call.CALL_PASS, call(WEAK));
    }

    @Test
    void aTrickIsTakenCheaply() {
        Trick.Builder trick = Trick.newBuilder().setLeader(2).addCards(Card.CARD_9H).addCards(Card.CARD_QH);
        View.Builder view = View.newBuilder().setPhase(Phase.PHASE_PLAY).setSeat(1).setTrump(Suit.SUIT_HEARTS).addAllHand(GOOD).addTricks(trick);
        assertEquals(Card.CARD_AH, Bot.answer(Ask.newBuilder().setView(view).addAllLegalCards(GOOD.subList(0, 3)).build()).getCard());
    }

    @Test
    void everyAnswerIsLegal() {
        Random lot = new Random(1);
        for (int id = 0; id < 10_000; id++) {
            View.Builder view = View.newBuilder().setPhaseValue(lot.nextInt(12)).setTrumpValue(lot.nextInt(5));
            lot.ints(1 + lot.nextInt(8), 1, 34).forEach(view::addHandValue);
            Ask.Builder ask = Ask.newBuilder().setId(id);
            if (lot.nextBoolean()) {
                ask.addAllLegalCardsValue(view.getHandValueList().subList(0, 1 + lot.nextInt(view.getHandCount())));
                view.addTricks(Trick.newBuilder().addCardsValue(1 + lot.nextInt(33)));
            } else {
                lot.ints(1 + lot.nextInt(5), 1, 26).forEach(ask::addLegalCallsValue); // two are of a later version
            }
            Answer given = Bot.answer(ask.setView(view).build());
            assertEquals(id, given.getAsk());
            assertTrue(ask.getLegalCardsValueList().contains(given.getCardValue())
                != ask.getLegalCallsValueList().contains(given.getCallValue()), given + " to " + ask);
        }
    }
}
