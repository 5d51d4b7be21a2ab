import type { Evidence } from '@probe-mesh/contracts/outage/answers'

const places: Readonly<Record<Evidence['vantage'], string>> = {
  local: 'Measured from one machine, which stands for every region.',
  regional: 'Measured by a probe in each region.',
}

/** Where a measurement stands, said of every one. */
export const vantageLine = (vantage: Evidence['vantage']): string =>
  places[vantage] ?? `Measured from ${vantage}.`
