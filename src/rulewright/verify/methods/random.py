"""Rows of the table of methods: random. Samples have a fixed seed, so that a row passes or not."""

from __future__ import annotations

from rulewright.verify.methods.row import Method, Refusal, refusals

_NONE = ((),)
_F = ("f32",)


def _sampled(name: str, call: str, check: str) -> Method:
    """A row whose values are tested as a sample."""
    seeded = f"(Tensor.manual_seed(5), {call})[1]"
    return Method(name, seeded, "", _NONE, _F, check=check)


_INTS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_FLOATS = ("f16", "bf16", "f32", "f64")

ROWS = [
    _sampled("manual_seed", "[(Tensor.manual_seed(s), Tensor.rand(9))[1] for s in (1, 2**40, 1)]",
             "(found[0].numpy() == found[2].numpy()).all() and "
             "(found[0].numpy() != found[1].numpy()).all()"),
    _sampled("rand", "(Tensor.rand(50, 100), Tensor.rand((5000,)), Tensor.rand(0, 3))",
             "is_uniform(found[0]) and is_uniform(found[1]) and unrelated(*found[:2]) and "
             "unrelated(found[1].numpy()[1:], found[1].numpy()[:-1]) and "
             "found[0].shape == (50, 100) and found[2].shape == (0, 3)"),
    _sampled("rand", f"[Tensor.rand(3000, dtype=d) for d in {_FLOATS}]",
             f"all(is_uniform(f) and f.dtype.name == d for f, d in zip(found, {_FLOATS}))"),
    _sampled("randn", "(Tensor.randn(50, 100), Tensor.randn((5000,)), Tensor.randn(2, 0))",
             "is_normal(found[0]) and is_normal(found[1]) and unrelated(*found[:2]) and "
             "found[2].shape == (2, 0)"),
    _sampled("randn", f"[Tensor.randn(3000, dtype=d) for d in {_FLOATS}]",
             f"all(is_normal(f) and f.dtype.name == d for f, d in zip(found, {_FLOATS}))"),
    _sampled("rand_like", "Tensor.zeros(3, 1000, dtype='f64').rand_like()",
             "is_uniform(found) and found.dtype.name == 'f64' and found.shape == (3, 1000)"),
    _sampled("randn_like", "Tensor.zeros(3, 1000).randn_like()",
             "is_normal(found) and found.shape == (3, 1000)"),
    _sampled("randint", "(Tensor.randint(5000), Tensor.randint(70, 70, low=-3, high=4) + 3, "
             "Tensor.randint(2, (5000,)), Tensor.randint(5, 9, (4, 1000)) - 5)",
             "has_shares(found[0], [1] * 10) and has_shares(found[1], [1] * 7) and "
             "has_shares(found[2], [1, 1]) and has_shares(found[3], [1] * 4) and "
             "found[3].shape == (4, 1000) and found[0].dtype.name == 'i64'"),
    _sampled("randint", "[Tensor.randint(3000, low=k.min, high=k.max + 1, dtype=k) "
             f"for k in (getattr(dtypes, n) for n in {_INTS})]",
             "all(fits(f, lambda x: (x - f.dtype.min) / (f.dtype.max - f.dtype.min)) "
             "for f in found[2:]) and all(fits(f.numpy() + np.random.default_rng(1).random(3000), "
             "lambda x: (x - f.dtype.min) / 256) for f in found[:2])"),
    _sampled("uniform", "(Tensor.uniform(3000, low=-2, high=5), Tensor.uniform(2, 1500), "
             "Tensor.uniform(3000, low=2, high=6, dtype='i32') - 2)",
             "is_uniform(found[0], -2, 5) and is_uniform(found[1]) and "
             "has_shares(found[2], [1] * 4)"),
    _sampled("normal", "(Tensor.normal(3000, mean=3, std=0.5), Tensor.normal(2, 1500))",
             "is_normal(found[0], 3, 0.5) and is_normal(found[1])"),
    _sampled("scaled_uniform", "Tensor.scaled_uniform(50, 50)", "is_uniform(found, -0.02, 0.02)"),
    _sampled("glorot_uniform",
             "(Tensor.glorot_uniform(60, 90), Tensor.glorot_uniform(40, 5, 4, 4))",
             "is_uniform(found[0], -0.2, 0.2) and is_uniform(found[1], -(6 / 120) ** 0.5, "
             "(6 / 120) ** 0.5)"),
    _sampled("kaiming_uniform",
             "(Tensor.kaiming_uniform(60, 54, a=1), Tensor.kaiming_uniform(40, 60))",
             "is_uniform(found[0], -18 ** -0.5, 18 ** -0.5) and "
             "is_uniform(found[1], -(6 / 1.0001 / 60) ** 0.5, (6 / 1.0001 / 60) ** 0.5)"),
    _sampled("kaiming_normal",
             "(Tensor.kaiming_normal(60, 10, 5, a=0), Tensor.kaiming_normal(9, 400))",
             "is_normal(found[0], 0, 0.2) and is_normal(found[1], 0, (2 / 1.0001 / 400) ** 0.5)"),
    _sampled("bernoulli",
             "((Tensor.ones(4000) * 0.3).bernoulli(), Tensor.zeros(4000).bernoulli(0.8), "
             "Tensor([0.0, 1.0]).expand(2000, 2).bernoulli()[:, 1])",
             "has_shares(found[0], [7, 3]) and has_shares(found[1], [2, 8]) and "
             "(found[2].numpy() == 1).all() and found[0].dtype.name == 'f32'"),
    Method("dropout", "(x.dropout(0.5), x.dropout(0), x.dropout(1))", "(x, x, x)",
           (((3, 5),), ((0,),)), ("f32", "f16"), gradient=True),
    _sampled("randperm", "(Tensor.randperm(200), Tensor.randperm(1), Tensor.randperm(0), "
             "Tensor.randperm(100, dtype='i32'), *(Tensor.randperm(3) for _ in range(16)))",
             "(np.sort(found[0].numpy()) == np.arange(200)).all() and "
             "unrelated(found[0], np.arange(200)) and found[1].tolist() == [0] and "
             "found[2].tolist() == [] and found[3].dtype.name == 'i32' and "
             "len({tuple(f.tolist()) for f in found[4:]}) > 3"),
    _sampled("multinomial", "(Tensor([0.1, 0, 0.4, 0.2, 0.3]).multinomial(4000, replacement=True), "
             "Tensor([[1.0, 2, 3], [0, 0, 1]]).multinomial(3000, True), "
             "Tensor([2.0]).multinomial(3, True))",
             "has_shares(found[0], [1, 0, 4, 2, 3]) and has_shares(found[1].numpy()[0], [1, 2, 3]) "
             "and (found[1].numpy()[1] == 2).all() and found[2].tolist() == [0, 0, 0] and "
             "found[0].dtype.name == 'i64'"),
    _sampled("multinomial", "(Tensor([1.0, 0, 3, 4]).expand(2000, 4).multinomial(2), "
             "Tensor([1.0, 0, 3, 4]).expand(2000, 4).multinomial(), "
             "Tensor([0.0, 1, 0, 1]).multinomial(2))",
             "has_shares(found[0].numpy()[:, 0], [1, 0, 3, 4]) and "
             "has_shares(found[1], [1, 0, 3, 4]) and sorted(found[2].tolist()) == [1, 3] and "
             "(found[0].numpy()[:, 0] != found[0].numpy()[:, 1]).all()"),
]  # fmt: skip

REFUSALS = [
    Refusal("manual_seed", "Tensor.manual_seed(-1)", "UsageError", "0 <= seed < 2**64"),
    Refusal("rand", "Tensor.rand(2, dtype='i32')", "DTypeError", "expected a float dtype"),
    Refusal("rand", "Tensor.rand(-2)", "ShapeError", "0 or more"),
    Refusal("randn", "Tensor.randn(2, dtype=bool)", "DTypeError", "expected a float dtype"),
    Refusal("randint", "Tensor.randint(2, low=3, high=3)", "UsageError", "expected low < high"),
    Refusal("randint", "Tensor.randint(2, high=300, dtype='u8')", "UsageError", "0 to 255"),
    Refusal("randint", "Tensor.randint(2, dtype='f32')", "DTypeError", "an integer dtype"),
    Refusal("kaiming_normal", "Tensor.kaiming_normal()", "ShapeError", "1 axis or more"),
    Refusal("bernoulli", "x.cast('i32').bernoulli()", "DTypeError", "expected floats"),
    Refusal("bernoulli", "x.bernoulli(1.5)", "UsageError", "from 0 to 1"),
    Refusal("dropout", "x.dropout(2)", "UsageError", "from 0 to 1"),
    Refusal("multinomial", "x.multinomial(6)", "UsageError", "6 different positions"),
    Refusal("multinomial", "x.cast('i32').multinomial()", "DTypeError", "expected floats"),
    Refusal("multinomial", "x[0, 0].multinomial()", "ShapeError", "1 or 2 axes"),
    Refusal("randperm", "Tensor.randperm(-1)", "ShapeError", "0 or more"),
    Refusal("manual_seed", "Tensor.manual_seed('a')", "ArgumentError", "seed as a whole number"),
    *(row for name in ("rand", "randn")
      for row in refusals(name, "2", "Tensor", device="device", requires_grad="flag",
                          dtype="dtype")),
    *(Refusal(name, f"Tensor.{name}('a')", "ArgumentError", "expected whole numbers as sizes",
              argument="shape")
      for name in ("rand", "randn", "randint", "uniform", "normal", "scaled_uniform",
                   "glorot_uniform", "kaiming_uniform", "kaiming_normal")),
    *(Refusal(name, f"Tensor.{name}(2, 2, device='nowhere')", "DeviceError", "unknown device",
              argument="rest")
      for name in ("uniform", "normal", "scaled_uniform", "glorot_uniform", "kaiming_uniform",
                   "kaiming_normal")),
    *(Refusal(name, f"x.{name}(dtype='i32')", "DTypeError", "expected a float dtype",
              argument="rest")
      for name in ("rand_like", "randn_like")),
    *refusals("randint", "2", "Tensor", low="whole", high="whole", device="device", dtype="dtype"),
    Refusal("randint", "Tensor.randint('a', (2,))", "ArgumentError", "a bound as a whole number",
            argument="high"),
    *refusals("uniform", "2", "Tensor", low="number", high="number"),
    Refusal("uniform", "Tensor.uniform(2, low=2, high=1)", "UsageError", "low <= high, found 2",
            argument="low"),
    Refusal("uniform", "Tensor.uniform(2, high=float('inf'))", "UsageError", "expected finite low",
            argument="high"),
    *refusals("normal", "2", "Tensor", mean="number", std="number"),
    Refusal("normal", "Tensor.normal(2, std=-1)", "UsageError", "std of 0 or more, found -1",
            argument="std"),
    *refusals("kaiming_uniform", "2", "Tensor", a="number"),
    *refusals("kaiming_normal", "2", "Tensor", a="number"),
    *refusals("bernoulli", p="number"),
    *refusals("dropout", p="number"),
    *refusals("multinomial", num_samples="whole", replacement="flag"),
    Refusal("multinomial", "x.multinomial(0)", "UsageError", "1 or more, found 0"),
    *(Refusal("multinomial", f"Tensor({weights}).multinomial(1)", "UsageError", says,
              argument="self")
      for weights, says in (("[0.5, -0.5]", "finite weights of 0 or more, found -0.5"),
                            ("[0.5, float('nan')]", "found nan"),
                            ("[float('inf'), 1.0]", "found inf"),
                            ("[[0.5, 0.5], [0.0, 0.0]]", "sum to nothing"))),
    Refusal("multinomial", "Tensor.zeros(3).multinomial()", "UsageError", "sum to nothing"),
    Refusal("bernoulli", "Tensor([0.5, 1.5]).bernoulli()", "UsageError", "from 0 to 1",
            argument="self"),
    *refusals("randperm", "3", "Tensor", dtype="dtype", device="device"),
    *refusals("randperm", tensor="Tensor", n="whole"),
]  # fmt: skip
