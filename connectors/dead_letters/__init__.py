"""Dead letters: messages beyond their agent, kept with the reason, and put back."""
