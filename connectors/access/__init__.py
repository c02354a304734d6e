"""Who may call the API process: keys, roles, and rates of calls."""
