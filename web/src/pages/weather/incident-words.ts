import type { FactorKind } from '@probe-mesh/contracts/outage/answers'

export const factorNames: Readonly<Record<FactorKind, string>> = {
  cdn: 'CDN',
  cloud_region: 'Cloud region',
  dns: 'DNS provider',
  unknown: 'What they share',
}

/** The failing infrastructure. Its name is unknown if most of the catalog fails. */
export const factorText = ({ kind, name }: { kind: FactorKind; name: string }): string =>
  kind === 'unknown' ? 'not known' : name

/** Never rounded up to certainty. */
export const confidenceText = (confidence: number): string =>
  // 0.29 * 1000 is a little less than 290
  confidence > 0.999 ? 'more than 99.9 %' : `${(Math.floor(confidence * 1000 + 1e-6) / 10).toFixed(1)} %`
