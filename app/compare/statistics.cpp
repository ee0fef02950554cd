#include "app/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace app {

namespace {

constexpr double kTail = 0.025;

// Cumulative probabilities of binomial(n, q) over the counts that have any weight: 12 standard
// deviations about the mean leave out less than 1e-30.
struct Binomial {
    Binomial(std::int64_t n, double q);
    double atMost(std::int64_t k) const; // P(count <= k)

    std::int64_t first = 0;
    std::vector<double> cumulative;
};

Binomial::Binomial(std::int64_t n, double q) {
    const auto count = static_cast<double>(n);
    const double spread = 12 * std::sqrt(count * q * (1 - q)) + 12;
    first = std::max<std::int64_t>(0, static_cast<std::int64_t>(count * q - spread));
    const std::int64_t last = std::min(n, static_cast<std::int64_t>(count * q + spread));
    double sum = 0;
    for (std::int64_t k = first; k <= last; ++k) {
        const auto x = static_cast<double>(k);
        sum += std::exp(std::lgamma(count + 1) - std::lgamma(x + 1) - std::lgamma(count - x + 1) +
                        x * std::log(q) + (count - x) * std::log1p(-q));
        cumulative.push_back(sum);
    }
}

double Binomial::atMost(std::int64_t k) const {
    if (k < first) {
        return 0;
    }
    const auto index = static_cast<std::size_t>(k - first);
    return index < cumulative.size() ? cumulative[index] : 1.0;
}

// Regularized incomplete beta function by its continued fraction (Lentz), DLMF 8.17.22.
double incompleteBeta(double a, double b, double x) {
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - incompleteBeta(b, a, 1 - x); // where the fraction converges fast
    }
    constexpr double kTiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double fraction = d;
    for (int m = 1; m < 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (const double term : {even, odd}) {
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (std::abs(d) < kTiny ? kTiny : d);
            step = c * d;
            fraction *= step;
        }
        if (std::abs(step - 1) < 1e-15) {
            break;
        }
    }
    return std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) -
                    std::lgamma(b)) *
           fraction / a;
}

double studentCumulative(double t, double degrees) {
    const double tail = incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
    return t > 0 ? 1 - tail : tail;
}

// Ranks from 1, ties get their mean; also the sum of (t^3 - t) over groups of t ties.
struct Ranks {
    double sumOfFirst = 0, ties = 0;
};

Ranks ranksOfFirst(std::span<const double> a, std::span<const double> b) {
    std::vector<std::pair<double, bool>> all; // value, from a
    for (const double value : a) {
        all.emplace_back(value, true);
    }
    for (const double value : b) {
        all.emplace_back(value, false);
    }
    std::ranges::sort(all);
    Ranks ranks;
    for (std::size_t from = 0; from < all.size();) {
        std::size_t to = from;
        std::int64_t ofFirst = 0;
        for (; to < all.size() && all[to].first == all[from].first; ++to) {
            ofFirst += all[to].second ? 1 : 0;
        }
        const auto size = static_cast<double>(to - from);
        const double rank = (static_cast<double>(from + to) + 1) / 2;
        ranks.sumOfFirst += rank * static_cast<double>(ofFirst);
        ranks.ties += size * size * size - size;
        from = to;
    }
    return ranks;
}

} // namespace

std::optional<double> quantile(std::span<const double> sorted, double q) {
    if (sorted.empty()) {
        return std::nullopt;
    }
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

std::optional<Interval> quantileInterval(std::span<const double> sorted, double q) {
    const auto n = static_cast<std::int64_t>(sorted.size());
    if (n < 2 || q <= 0 || q >= 1) {
        return std::nullopt;
    }
    const Binomial below(n, q);
    // The interval from the l-th to the u-th smallest covers with P(l <= count < u).
    std::int64_t l = 1, u = n;
    while (l + 1 < n && below.atMost(l) <= kTail) {
        ++l;
    }
    while (u - 1 > l && 1 - below.atMost(u - 2) <= kTail) {
        --u;
    }
    const auto covered = [&] { return below.atMost(u - 1) - below.atMost(l - 1); };
    while (covered() < 1 - 2 * kTail && (l > 1 || u < n)) {
        l = std::max<std::int64_t>(1, l - 1);
        u = std::min(n, u + 1);
    }
    if (covered() < 1 - 2 * kTail) {
        return std::nullopt;
    }
    return Interval{sorted[static_cast<std::size_t>(l - 1)],
                    sorted[static_cast<std::size_t>(u - 1)]};
}

double studentQuantile(double p, double degreesOfFreedom) {
    double low = -1, high = 1;
    while (studentCumulative(low, degreesOfFreedom) > p) {
        low *= 2;
    }
    while (studentCumulative(high, degreesOfFreedom) < p) {
        high *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-12 * std::max(1.0, std::abs(low)); ++i) {
        const double middle = (low + high) / 2;
        (studentCumulative(middle, degreesOfFreedom) < p ? low : high) = middle;
    }
    return (low + high) / 2;
}

std::optional<Interval> pairedInterval(std::span<const double> differences) {
    if (differences.size() < 4) {
        return std::nullopt;
    }
    const auto n = static_cast<double>(differences.size());
    const double mean = std::reduce(differences.begin(), differences.end()) / n;
    double squares = 0;
    for (const double difference : differences) {
        squares += (difference - mean) * (difference - mean);
    }
    const double half =
        studentQuantile(1 - kTail, n - 1) * std::sqrt(squares / (n - 1)) / std::sqrt(n);
    return Interval{mean - half, mean + half};
}

std::optional<double> pairedP(std::span<const double> differences) {
    if (differences.size() < 4) {
        return std::nullopt;
    }
    const auto n = static_cast<double>(differences.size());
    const double mean = std::reduce(differences.begin(), differences.end()) / n;
    double squares = 0;
    for (const double difference : differences) {
        squares += (difference - mean) * (difference - mean);
    }
    const double error = std::sqrt(squares / (n - 1) / n);
    if (error == 0) {
        return mean == 0 ? 1.0 : 0.0;
    }
    const double t = mean / error;
    return incompleteBeta((n - 1) / 2, 0.5, (n - 1) / (n - 1 + t * t));
}

std::optional<double> mannWhitney(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return std::nullopt;
    }
    const auto n = static_cast<double>(a.size());
    const auto m = static_cast<double>(b.size());
    const double all = n + m;
    const Ranks ranks = ranksOfFirst(a, b);
    const double u = ranks.sumOfFirst - n * (n + 1) / 2;
    const double variance = n * m / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
    if (variance <= 0) {
        return 1.0;
    }
    const double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return std::erfc(distance / std::sqrt(2 * variance));
}

std::vector<double> holm(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [p](std::size_t i) { return p[i]; });
    std::vector<double> adjusted(p.size());
    double highest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double raised = static_cast<double>(p.size() - rank) * p[order[rank]];
        highest = std::max(highest, std::min(1.0, raised));
        adjusted[order[rank]] = highest;
    }
    return adjusted;
}

} // namespace app
