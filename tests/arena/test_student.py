"""Student's t distribution agrees with printed tables."""

import pytest

from arena.student import probability_below, quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [
        (0.975, 1, 12.7062),
        (0.975, 3, 3.18245),
        (0.995, 5, 4.03214),
        (0.975, 30, 2.04227),
        (0.9995, 2, 31.5991),
        (0.975, 1e7, 1.95996),  # a normal distribution
        (0.5, 4, 0.0),
    ],
)
def test_quantiles_are_those_of_the_tables(probability: float, freedom: float, value: float) -> None:
    assert quantile(probability, freedom) == pytest.approx(value, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("freedom", [1.0, 2.5, 40.0])
def test_tails_are_symmetric_and_small_ones_are_exact(freedom: float) -> None:
    assert probability_below(-2.0, freedom) + probability_below(2.0, freedom) == pytest.approx(1)
    assert probability_below(-1e6, 1.0) == pytest.approx(1 / 3.14159265e6, rel=1e-6)  # Cauchy's
    assert probability_below(float("inf"), freedom) == 1


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a number"):
        probability_below(float("nan"), 3)
