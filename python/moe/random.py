"""Counter-based normal numbers: the same bits as moe-run's random(SEED).

Element i of the stream of a seed depends on the seed and on i alone:

    mix(z) = the splitmix64 finalizer of z + 0x9E3779B97F4A7C15 (mod 2**64)
    x      = mix(mix(seed) + i)
    u      = ((x >> 11) + 0.5) * 2**-53
    value  = float32(scale * ppnd16(u))

ppnd16 is Wichura's rational approximation of the normal quantile (algorithm
AS 241, 1988). Only + - * /, sqrt and frexp of IEEE doubles are used, which
NumPy and C++ round alike.
"""

import numpy as np

__all__ = ["normal", "ppnd16"]

_CENTRE = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2,
     5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
     2.8729085735721942674e4, 5.2264952788528545610e3))
_TAIL = (
    (1.42343711074968357734e0, 4.63033784615654529590e0,
     5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
     6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9))
_FAR_TAIL = (
    (6.65790464350110377720e0, 5.46378491116411436990e0,
     1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
     1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15))
_CHUNK = 1 << 14  # elements at a time, which stay in the cache
_ATANH = tuple(1.0 / n for n in range(1, 22, 2))


def _mix(z):
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _polynomial(coefficients, x):
    total = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= x
        total += c
    return total


def _ratio(coefficients, x):
    return _polynomial(coefficients[0], x) / _polynomial(coefficients[1], x)


def _log(x):
    """The logarithm by arithmetic alone: x = m 2^e, log m = 2 atanh(s)."""
    m, e = np.frexp(x)
    low = m < 0.70710678118654752
    m = np.where(low, m * 2.0, m)
    e = np.where(low, e - 1, e)
    s = (m - 1.0) / (m + 1.0)
    return e * 0.69314718055994531 + 2.0 * s * _polynomial(_ATANH, s * s)


def _tail(q, u):
    r = np.sqrt(-_log(np.where(q < 0.0, u, 1.0 - u)))
    far = r > 5.0
    value = _ratio(_TAIL, r - 1.6)
    value[far] = _ratio(_FAR_TAIL, r[far] - 5.0)
    return np.where(q < 0.0, -value, value)


def ppnd16(u):
    """The quantile of the normal distribution for an array of 0 < u < 1."""
    u = np.asarray(u, np.float64)
    q = u - 0.5
    r = 0.180625 - q * q
    value = q * _polynomial(_CENTRE[0], r) / _polynomial(_CENTRE[1], r)
    tail = np.abs(q) > 0.425
    value[tail] = _tail(q[tail], u[tail])
    return value


def normal(shape, seed, scale=1.0):
    """A float32 array of that shape, of mean 0 and deviation `scale`.

    It equals moe-run's `random(seed)` or `random(seed,scale)` bit by bit.
    """
    result = np.empty(int(np.prod(shape, dtype=np.int64)), np.float32)
    with np.errstate(over="ignore"):
        stream = _mix(np.array([seed], np.uint64))
        for start in range(0, result.size, _CHUNK):
            part = result[start:start + _CHUNK]
            index = np.arange(start, start + part.size, dtype=np.uint64)
            x = _mix(stream + index) >> np.uint64(11)
            part[:] = ppnd16((x + 0.5) * 2.0 ** -53) * float(scale)
    return result.reshape(shape)
