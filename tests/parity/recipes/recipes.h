// The recipes of this folder, a file for each family.
#pragma once

#include "tests/parity/comparison.h"
#include "tests/parity/fixture.h"

namespace traind::parity {

void C51Projection(const Fixture& fixture, Comparison& comparison);
void C51KlPriority(const Fixture& fixture, Comparison& comparison);
void CqlPenalty(const Fixture& fixture, Comparison& comparison);
void DoubleDqn(const Fixture& fixture, Comparison& comparison);
void DqnUpdate(const Fixture& fixture, Comparison& comparison);
void IqnLoss(const Fixture& fixture, Comparison& comparison);
void IqnNet(const Fixture& fixture, Comparison& comparison);
void NStep(const Fixture& fixture, Comparison& comparison);
void NoisyLinear(const Fixture& fixture, Comparison& comparison);
void Per(const Fixture& fixture, Comparison& comparison);
void RainbowNet(const Fixture& fixture, Comparison& comparison);
void Accumulation(const Fixture& fixture, Comparison& comparison);
void ClipGradNorm(const Fixture& fixture, Comparison& comparison);
void Optimiser(const Fixture& fixture, Comparison& comparison);
void TwoRanks(const Fixture& fixture, Comparison& comparison);

}  // namespace traind::parity
