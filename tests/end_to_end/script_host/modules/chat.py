from modules import shared


def generate_chat_prompt(user_input, state, **kwargs):
    rows = kwargs["history"]["internal"]
    return "\n".join([text for row in rows for text in row if text] + [user_input])


def get_history_file_path(unique_id, character, mode):
    logs = shared.user_data_dir / "logs"
    folder = logs / "instruct" if mode == "instruct" else logs / "chat" / character
    return folder / f"{unique_id}.json"
