"""Who may call the server, from where, how often, and with how much."""
