"""Student's t distribution, without scipy. Pure."""

from __future__ import annotations

import math
from functools import cache

_TINY = 1e-300  # keeps a continued fraction from dividing by zero
_TERMS = 500


def probability_below(t: float, freedom: float) -> float:
    """Return the probability that a value with so many degrees of freedom is below `t`."""
    if math.isnan(t):
        raise ValueError("expected a number for t, got nan")
    tail = 0.5 * _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    return tail if t < 0 else 1 - tail


@cache
def quantile(probability: float, freedom: float) -> float:
    """Return the value below which a share `probability` lies, 0.5 or more of the distribution."""
    low, high = 0.0, 1.0
    while probability_below(high, freedom) < probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if probability_below(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return high


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):  # where the fraction converges fast
        return math.exp(log_front) * _beta_fraction(a, b, x) / a
    return 1 - math.exp(log_front) * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = _inverse(1 + term * d)
            c = 1 + term / c or _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _inverse(number: float) -> float:
    return 1 / (number or _TINY)
