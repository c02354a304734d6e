"""Settings of the language model that judges and summarizes notifications."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class ModelSettings(BaseModel):
    """Settings of the language model: its address, and the share of each manager."""

    model_config = ConfigDict(protected_namespaces=())  # these names begin with ``model``

    model_url: str | None = Field(
        None,
        pattern="^https?://[^/].*$",
        description="Base URL of a server with OpenAI's chat completions, such as "
        "`http://127.0.0.1:11434/v1`, for [rules in plain words]"
        "(how-to/rules-in-plain-words.md). It may be private. Default: there is no model.",
    )
    model: str = Field("", description="Name of the model that the server is asked for.")
    model_key: SecretStr | None = Field(
        None, description="Key that the server is sent as a bearer token."
    )
    model_timeout: float = Field(
        20, gt=0, le=50, description="Seconds that one answer of the model may take, in all."
    )
    model_calls: int = Field(
        1_000, ge=0, description="Questions that one manager may ask the model on a day (UTC)."
    )
    model_tokens: int = Field(
        1_000_000,
        ge=0,
        description="Tokens that the questions and answers of one manager may take on a day.",
    )
    model_at_once: int = Field(
        4, ge=1, le=100, description="Questions that a worker asks the model at a time."
    )
