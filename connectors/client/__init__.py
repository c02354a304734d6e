"""The Python library: subscriptions and notifications for programs that embed Vokter."""
