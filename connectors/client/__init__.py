"""The Python library: subscriptions and notifications for programs with Vokter inside."""
