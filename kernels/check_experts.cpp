// Routing of experts and products of groups of rows.
#include "kernels/check_parts.h"
#include "kernels/reference/reference_experts.h"

#include <algorithm>

namespace kernels::check {

namespace {

using reference::Numbers;

struct RoutingCheck {
    const char* name;
    std::int64_t experts;
    bool hasBias;
    RoutingRule rule;
};

constexpr RoutingCheck kRoutingChecks[] = {
    {"softmax", 64, false, {.used = 6}},
    {"softmax, normalised", 128, false, {.used = 8, .normalises = true}},
    {"softmax, groups by their best",
     40,
     false,
     {.used = 6, .groups = 8, .groupsUsed = 3, .scale = 16.0F}},
    {"sigmoid, groups by their best two, bias",
     64,
     true,
     {.gate = ExpertGate::Sigmoid,
      .used = 8,
      .groups = 8,
      .groupsUsed = 4,
      .groupScore = GroupScore::SumOfBestTwo,
      .normalises = true,
      .scale = 2.5F}},
    {"sigmoid, all of few", 5, true, {.gate = ExpertGate::Sigmoid, .used = 5}},
    {"softmax, groups of one",
     7,
     false,
     {.used = 2, .groups = 7, .groupsUsed = 3, .groupScore = GroupScore::SumOfBestTwo}},
};

void checkRouting(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results) {
    constexpr std::int64_t kTokens = 67;
    for (const RoutingCheck& check : kRoutingChecks) {
        const Buffer logits = inputs.normal(Shape{kTokens, check.experts}, 2.0F);
        const Buffer bias = inputs.normal(Shape{check.experts}, 0.2F);
        Buffer weights = inputs.poisoned(Shape{kTokens, check.rule.used});
        std::vector<std::int32_t> experts(static_cast<std::size_t>(kTokens * check.rule.used), -1);
        ops.routeExperts(logits.view(), check.hasBias ? bias.view() : View{}, check.rule, experts,
                         weights.view());
        // As one weight for each expert, so that the order of the chosen does not matter.
        std::vector<float> got(static_cast<std::size_t>(kTokens * check.experts));
        for (std::size_t i = 0; i < experts.size(); ++i) {
            const std::int64_t token = static_cast<std::int64_t>(i) / check.rule.used;
            if (experts[i] >= 0 && experts[i] < check.experts) {
                got[static_cast<std::size_t>(token * check.experts + experts[i])] +=
                    weights.view().f32()[i];
            }
        }
        const Numbers biases = check.hasBias ? reference::decode(bias.view()) : Numbers();
        results.push_back(
            compare(std::string("routeExperts, ") + check.name, got,
                    reference::routeExperts(reference::decode(logits.view()), biases,
                                            static_cast<std::size_t>(check.experts), check.rule),
                    64.0 * kFloatStep));
    }
}

void checkMix(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results) {
    constexpr std::int64_t kTokens = 5, kUsed = 3, kLength = 83;
    const Buffer x = inputs.normal(Shape{kTokens * kUsed, kLength}, 1.0F);
    const Buffer weights = inputs.normal(Shape{kTokens, kUsed}, 1.0F);
    std::vector<std::int32_t> rows;
    for (int i = 0; i < kTokens * kUsed; ++i) {
        rows.push_back(i * 7 % static_cast<int>(kTokens * kUsed));
    }
    Buffer out = inputs.poisoned(Shape{kTokens, kLength});
    ops.mixRows(x.view(), rows, weights.view(), out.view());
    const Numbers values = reference::decode(x.view());
    const Numbers factors = reference::decode(weights.view());
    Numbers wanted(static_cast<std::size_t>(kTokens * kLength));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (std::size_t k = 0; k < kUsed; ++k) {
            const std::size_t factor = i / kLength * kUsed + k;
            wanted[i] += factors[factor] *
                         values[static_cast<std::size_t>(rows[factor]) * kLength + i % kLength];
        }
    }
    results.push_back(compare("mixRows", floats(out), wanted, sumBound(kUsed)));

    Buffer to = inputs.copy(x);
    ops.copyColumns(x.view(), 70, to.view(), 2, 13);
    wanted = values;
    for (std::size_t row = 0; row < static_cast<std::size_t>(kTokens * kUsed); ++row) {
        for (std::size_t i = 0; i < 13; ++i) {
            wanted[row * kLength + 2 + i] = values[row * kLength + 70 + i];
        }
    }
    results.push_back(compare("copyColumns", floats(to), wanted, 0.0));
}

// Experts with 1, 0, 9, 23 and 4 rows out of a list, in rows longer than the weights need.
// Every second weight is computed on the file's bytes.
void checkExpertProducts(Ops& ops, Inputs& inputs, Format format, ActivationPrecision precision,
                         std::vector<CheckResult>& results) {
    constexpr std::int32_t kCounts[] = {1, 0, 9, 23, 4};
    constexpr std::int64_t kTokens = 13, kWide = 300, kRows = 37, kOut = 40;
    const std::int64_t columns = traits(format).blockElements == 1 ? 83 : 256;
    std::vector<std::unique_ptr<Weight>> stack;
    std::vector<Buffer> files;
    std::vector<Numbers> weights;
    std::vector<RowGroup> groups;
    std::vector<std::int32_t> sources;
    for (std::size_t e = 0; e < std::size(kCounts); ++e) {
        files.push_back(inputs.weights(format, Shape{kRows, columns}));
        weights.push_back(reference::decode(files.back().view()));
        stack.push_back(ops.prepare(files.back().view(),
                                    e % 2 == 0 ? WeightLayout::Packed : WeightLayout::File,
                                    precision));
        groups.push_back({.weight = static_cast<std::int32_t>(e),
                          .rows = kCounts[e],
                          .firstSource = static_cast<std::int32_t>(sources.size()),
                          .firstOut = static_cast<std::int32_t>(sources.size())});
        for (std::int32_t i = 0; i < kCounts[e]; ++i) {
            sources.push_back((i * 5 + static_cast<std::int32_t>(e)) %
                              static_cast<std::int32_t>(kTokens));
        }
    }
    const Buffer x = inputs.activations(Shape{kTokens, kWide});
    const Numbers values = reference::decode(x.view());
    Numbers wanted;
    for (std::size_t e = 0; e < std::size(kCounts); ++e) {
        for (std::int32_t i = 0; i < kCounts[e]; ++i) {
            const std::int32_t token = sources[static_cast<std::size_t>(groups[e].firstSource + i)];
            Numbers row(values.begin() + token * kWide, values.begin() + token * kWide + columns);
            if (traits(format).blockElements > 1) {
                row = reference::roundActivations(row, precision);
            }
            const Numbers product = reference::matmul(row, weights[e], columns);
            wanted.insert(wanted.end(), product.begin(), product.end());
            wanted.insert(wanted.end(), kOut - kRows, 7.0); // untouched
        }
    }
    Buffer out = Buffer::cpu(Format::F32, Shape{std::ssize(sources), kOut});
    std::fill_n(out.view().f32(), out.view().shape.elements(), 7.0F);
    const WeightStack stacks[] = {stack};
    const View view = out.view();
    ops.matmulGroups(x.view(), sources, groups, stacks, {&view, 1});
    results.push_back(compare("matmulGroups, " + std::string(traits(format).name) +
                                  (precision == ActivationPrecision::Int16 ? ", 16 bits" : ""),
                              floats(out), wanted, 2.0 * sumBound(columns)));
}

// Heads side by side: every head's part of a row with its own weight.
void checkHeadProducts(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results) {
    constexpr std::int64_t kTokens = 11, kHeads = 3, kWide = 96, kColumns = 64, kRows = 48;
    constexpr std::int64_t kOut = 50;
    std::vector<std::unique_ptr<Weight>> stack;
    std::vector<RowGroup> groups;
    const Buffer x = inputs.activations(Shape{kTokens * kHeads, kWide});
    const Numbers values = reference::decode(x.view());
    Numbers wanted(kTokens * kHeads * kOut, 7.0);
    for (std::int64_t head = 0; head < kHeads; ++head) {
        const Buffer source = inputs.weights(Format::Q8_0, Shape{kRows, kColumns});
        const Numbers weight = reference::decode(source.view());
        stack.push_back(
            ops.prepare(source.view(), WeightLayout::Packed, ActivationPrecision::Int16));
        const auto first = static_cast<std::int32_t>(head);
        groups.push_back({.weight = first,
                          .rows = kTokens,
                          .firstSource = first,
                          .sourceStep = kHeads,
                          .firstOut = first,
                          .outStep = kHeads});
        for (std::int64_t token = 0; token < kTokens; ++token) {
            const auto row = static_cast<std::ptrdiff_t>(token * kHeads + head);
            const Numbers part(values.begin() + row * kWide,
                               values.begin() + row * kWide + kColumns);
            const Numbers product = reference::matmul(
                reference::roundActivations(part, ActivationPrecision::Int16), weight, kColumns);
            std::copy(product.begin(), product.end(), wanted.begin() + row * kOut);
        }
    }
    Buffer out = Buffer::cpu(Format::F32, Shape{kTokens * kHeads, kOut});
    std::fill_n(out.view().f32(), out.view().shape.elements(), 7.0F);
    const WeightStack stacks[] = {stack};
    const View view = out.view();
    ops.matmulGroups(x.view(), {}, groups, stacks, {&view, 1});
    results.push_back(
        compare("matmulGroups, heads", floats(out), wanted, 2.0 * sumBound(kColumns)));
}

} // namespace

void checkExperts(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results) {
    checkRouting(ops, inputs, results);
    checkMix(ops, inputs, results);
    for (const Format format : {Format::F32, Format::BF16, Format::Q8_0, Format::Q4_0, Format::Q4_K,
                                Format::Q6_K, Format::MXFP4}) {
        for (const auto precision : {ActivationPrecision::Int8, ActivationPrecision::Int16}) {
            checkExpertProducts(ops, inputs, format, precision, results);
        }
    }
    checkHeadProducts(ops, inputs, results);
}

} // namespace kernels::check
