/** What simulated years of the catalog have shown; `simulation/calibration.test.ts` holds it to them. */
const clearest = { chance: 1e-6, confidence: 0.98 }
const faintest = { chance: 1e-3, confidence: 0.9 }

/**
 * How likely a shared incident is true, by the chance that unrelated outages would fall like its own:
 * what is just unlikely enough to be said is wrong now and then, and what is far more unlikely hardly.
 * @param chance over all factors that could be accused, as `strongestFactor` has it
 */
export const confidenceOf = (chance: number): number => {
  const span = Math.log10(faintest.chance / clearest.chance)
  const above = Math.log10(Math.max(chance, clearest.chance) / clearest.chance)
  const share = Math.min(1, above / span)
  const lost = share * (clearest.confidence - faintest.confidence)
  return Math.round((clearest.confidence - lost) * 1e3) / 1e3
}
