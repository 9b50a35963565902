# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of manifests, as in stimuli/runner/expression.cpp (formulas: integers of 64 bits) and
stimuli/runner/figure_expression.cpp (figures: real numbers, None if a term has no value)."""

import math

SPACE = " \t\n\v\f\r"
DIGITS = "0123456789"
NAME_START = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
MOST_DEPTH = 200


class ExpressionError(Exception):
    """The text is no expression, or has no value."""


class Parser:
    """sum -> product -> unary -> primary. Derived classes have the operators, number() and call()."""

    functions = ()

    def __init__(self, text, sizes):
        self.text = text
        self.sizes = sizes
        self.at = 0
        self.depth = 0

    def run(self):
        value = self.sum()
        if self.peek():
            self.fail("expected an operator")
        return value

    def fail(self, what):
        raise ExpressionError(f'in "{self.text}", column {self.at + 1}: {what}')

    def peek(self):
        while self.at < len(self.text) and self.text[self.at] in SPACE:
            self.at += 1
        return self.text[self.at:self.at + 1]

    def take(self, c):
        if self.peek() != c:
            return False
        self.at += 1
        return True

    def expect(self, c):
        if not self.take(c):
            self.fail(f"expected '{c}'")

    def name(self):
        begin = self.at
        if self.peek() and self.peek() in NAME_START:
            begin = self.at
            while self.at < len(self.text) and self.text[self.at] in NAME_START + DIGITS:
                self.at += 1
            return self.text[begin:self.at]
        return ""

    def integer(self):
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] in DIGITS:
            self.at += 1
        return self.in_range(int(self.text[begin:self.at]), "a number does not fit 64 bits")

    def in_range(self, value, what="overflow"):
        if not -2**63 <= value < 2**63:
            self.fail(what)
        return value

    def sum(self):
        value = self.product()
        while True:
            if self.take("+"):
                value = self.add(value, self.product())
            elif self.take("-"):
                value = self.subtract(value, self.product())
            else:
                return value

    def product(self):
        value = self.unary()
        while True:
            if self.take("*"):
                value = self.multiply(value, self.unary())
            elif self.take("/"):
                value = self.divide(value, self.unary())
            elif self.take("%"):
                value = self.remainder(value, self.unary())
            else:
                return value

    def unary(self):
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.fail("nested too deeply")
        value = self.negate(self.unary()) if self.take("-") else self.primary()
        self.depth -= 1
        return value

    def primary(self):
        if self.take("("):
            value = self.sum()
            self.expect(")")
            return value
        c = self.peek()
        if c and c in DIGITS:
            return self.number(self.integer())
        if c and c in NAME_START:
            return self.named()
        return self.fail("expected a number, a name or '('")

    def named(self):
        name = self.name()
        if self.peek() == "(":
            if name not in self.functions:
                self.fail(f"unknown function '{name}'")
            self.expect("(")
            return self.call(name)
        if name not in self.sizes:
            self.fail(f"unknown name '{name}'")
        return self.number(self.sizes[name])

    def two(self):
        """The rest of a call: "a, b)"."""
        a = self.sum()
        self.expect(",")
        b = self.sum()
        self.expect(")")
        return a, b


class Formula(Parser):
    functions = ("ceil_div", "min", "max")

    def number(self, value):
        return value

    def add(self, a, b):
        return self.in_range(a + b)

    def subtract(self, a, b):
        return self.in_range(a - b)

    def multiply(self, a, b):
        return self.in_range(a * b)

    def negate(self, a):
        return self.in_range(-a)

    def divide(self, a, b):
        """Rounds towards zero."""
        if b == 0:
            self.fail("division by zero")
        quotient = abs(a) // abs(b)
        return self.in_range(quotient if (a < 0) == (b < 0) else -quotient)

    def remainder(self, a, b):
        return 0 if b == -1 else a - self.divide(a, b) * b

    def call(self, function):
        a, b = self.two()
        if function == "min":
            return min(a, b)
        if function == "max":
            return max(a, b)
        rounds_up = self.divide(a, b) * b != a and (a < 0) == (b < 0)
        return self.divide(a, b) + (1 if rounds_up else 0)


class Figure(Parser):
    functions = ("ceil_div", "min", "max", "mean", "sum", "cycles")

    def __init__(self, text, sizes, terms):
        super().__init__(text, sizes)
        self.terms = terms

    @staticmethod
    def of_both(a, b, f):
        return None if a is None or b is None else f(a, b)

    def number(self, value):
        return float(value)

    def add(self, a, b):
        return self.of_both(a, b, lambda x, y: x + y)

    def subtract(self, a, b):
        return self.of_both(a, b, lambda x, y: x - y)

    def multiply(self, a, b):
        return self.of_both(a, b, lambda x, y: x * y)

    def negate(self, a):
        return None if a is None else -a

    def divide(self, a, b):
        return self.of_both(a, b, lambda x, y: None if y == 0 else x / y)

    def remainder(self, a, b):
        def of(x, y):
            if y == 0:
                return None
            return math.fmod(x, y) if math.isfinite(x) else math.nan
        return self.of_both(a, b, of)

    def call(self, function):
        if function == "cycles":
            if self.peek() and self.peek() in DIGITS:
                value = self.terms.cycles(self.integer())
            else:
                value = self.terms.last_cycles(self.name() or self.fail("expected a kernel or a number"))
            self.expect(")")
            return value
        if function in ("mean", "sum") or self.is_lone_name():
            self.peek()
            array = self.name() or self.fail("expected the name of an array")
            summary = self.terms.array(array)
            self.expect(")")
            return None if summary is None else summary[function]
        a, b = self.two()
        if function == "ceil_div":
            quotient = self.divide(a, b)
            whole = quotient is not None and math.isfinite(quotient)
            return float(math.ceil(quotient)) if whole else quotient
        return self.of_both(a, b, min if function == "min" else max)

    def is_lone_name(self):
        """ "min(a)" is of an array, "min(a, 1)" of two numbers."""
        begin = self.at
        lone = bool(self.name()) and self.peek() == ")"
        self.at = begin
        return lone


class Terms:
    """What a figure can use besides sizes: elements of arrays, and cycles of launches."""

    def __init__(self, arrays, launches=None):
        """arrays: name -> elements. launches: [(kernel, cycles)], or None if they have no times."""
        self.arrays = arrays
        self.launches = launches

    def array(self, name):
        if name not in self.arrays:
            raise ExpressionError(f"unknown array '{name}'")
        values = self.arrays[name]
        # In order and one by one, as the runner does: sum() can round otherwise.
        total = 0.0
        for v in values:
            total += v
        return {"mean": total / len(values), "min": float(min(values)), "max": float(max(values)),
                "sum": total}

    def last_cycles(self, kernel):
        return next((float(c) for k, c in reversed(self.launches or []) if k == kernel), None)

    def cycles(self, launch):
        if self.launches is None or launch >= len(self.launches):
            return None
        return float(self.launches[launch][1])


class ArrayNames(Terms):
    """Collects the arrays of figures."""

    def __init__(self):
        super().__init__({})
        self.used = []

    def array(self, name):
        if name not in self.used:
            self.used.append(name)


def formula(value, sizes):
    """An integer of a manifest: a number, or the text of a formula."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ExpressionError(f"expected an integer or a formula, found {value!r}")
    return value if isinstance(value, int) else Formula(value, sizes).run()


def figure(text, sizes, terms):
    """The value of a figure; None if it needs a term that has none, or divides by zero."""
    value = Figure(text, sizes, terms).run()
    return value if value is not None and math.isfinite(value) else None
