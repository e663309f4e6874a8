"""What the recipe wrote beside a verifier's weights: how readings are weighed, and thresholds."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from upheld.errors import ModelError
from upheld.verification.aggregate import Pool
from upheld.verification.decide import Conclude

NEVER = 2.0  # no probability reaches it: a verifier that does not say `contradicted`


class Fit(BaseModel):
    """The file `fit.json`; it belongs to one file of weights and to no other."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    verifier: str = Field(min_length=1)  # the identity of the model
    pool: dict[str, FiniteFloat]
    supported_above: float = Field(gt=0, le=1)
    contradicted_above: float = Field(gt=0, le=NEVER)
    fitted_on: dict[str, int]  # cases of each set


def fitted(content: str, verifier: str) -> Conclude:
    """As the file says, if it was fitted on the scores of this verifier."""
    try:
        fit = Fit.model_validate_json(content)
        pool = Pool(**fit.pool)
    except (ValidationError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise ModelError(f"the verifier's fit cannot be read: {reason}") from error
    if fit.verifier != verifier:
        raise ModelError(f"the fit belongs to {fit.verifier}, and the weights are {verifier}")
    return Conclude(
        pool=pool,
        supported_above=fit.supported_above,
        contradicted_above=fit.contradicted_above,
    )
