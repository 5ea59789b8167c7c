"""Terms of answers that only say "I do not know", in several languages."""

# ruff: noqa: RUF001

from functools import cache

from ..text.search_terms import indivisible_terms

_PHRASES = (
    "I don't know that. I am not sure. I have no idea. Sorry, I can't remember. I do not recall "
    "anything. You never told me. You haven't mentioned or said it. I found nothing that fits. "
    "I have no memory or memories, record, details or information of it. Nothing comes to mind. "
    "Could you tell or remind me? Let me know. Unfortunately I am afraid I apologize. Yet. "
    "We have not talked or spoken about that in earlier or previous conversations. Yes? No. Hm. "
    "Ich weiß es leider nicht, weisst du. Ich bin mir nicht sicher. Keine Ahnung. Daran erinnere "
    "ich mich nicht. Ich kann mich nicht erinnern. Das hast du mir noch nie gesagt, erzählt oder "
    "erwähnt. Ich habe nichts gefunden. Tut mir leid. Entschuldigung. Informationen. "
    "Je ne sais pas. Je l'ignore. Je n'en suis pas sûr, sûre. Aucune idée. Je ne me souviens plus. "
    "Je ne me rappelle pas. Tu ne me l'as jamais dit. Tu n'en as pas parlé. Vous ne l'avez pas "
    "mentionné. Je n'ai rien trouvé. Désolé, désolée. Malheureusement. "
    "No lo sé. No estoy seguro, segura. Ni idea. No tengo idea. No recuerdo nada. No me acuerdo. "
    "Nunca me lo has dicho. No me lo dijiste. No lo mencionaste. No encontré nada. Lo siento. "
    "Perdona, perdón. No tengo información sobre eso. Todavía. "
    "Я не знаю. Не помню. Не уверен, не уверена. Понятия не имею. Ты мне не говорил, не говорила, "
    "не рассказывал, не рассказывала, не упоминал. Я ничего не нашла, не нашел. Извини, извините. "
    "К сожалению. Прости. У меня нет информации об этом. Пока. "
    "我不知道。我不清楚。不太确定。我不记得了。我想不起来。你还没有告诉过我。你没说过。你没有提到过。"
    "没有找到相关的回忆。抱歉。对不起。我没有这方面的信息。你能告诉我吗？"
    "我不確定。我不記得了。我想不起來。你還沒有告訴過我。你沒說過。沒有找到相關的回憶。這方面的資訊。"
    "わかりません。分かりません。知りません。覚えていません。思い出せません。まだ聞いていません。"
    "教えてもらっていません。見つかりませんでした。すみません。ごめんなさい。申し訳ありません。"
    "わからない。知らない。覚えていない。記憶にありません。"
)


@cache
def ignorance_terms() -> frozenset[str]:
    """Returns all terms of such answers. An answer made of these alone says nothing."""
    return indivisible_terms(_PHRASES)
