import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { readingsMax } from './state.ts'

/** Newest first, each once, at most `readingsMax`. */
export const mergeReadings = (
  known: readonly StoredReading[],
  more: readonly StoredReading[],
): readonly StoredReading[] => {
  const byId = new Map([...known, ...more].map((reading) => [idOf(reading), reading]))
  return [...byId.values()]
    .toSorted((one, other) => Date.parse(other.measuredAt) - Date.parse(one.measuredAt))
    .slice(0, readingsMax)
}

const idOf = ({ region, slot, kind, measuredAt }: StoredReading): string =>
  kind === 'scheduled' ? `${region} ${slot}` : `${region} ${slot} ${kind} ${measuredAt}`
