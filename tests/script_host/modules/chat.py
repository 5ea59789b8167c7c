def generate_chat_prompt(user_input, state, **kwargs):
    rows = kwargs["history"]["internal"]
    return "\n".join([text for row in rows for text in row if text] + [user_input])
