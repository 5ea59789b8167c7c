def get_encoded_length(prompt):
    return len(prompt) // 4
