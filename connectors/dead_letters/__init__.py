"""Dead letters: messages that could not be handled, kept with the reason, and put back."""
