import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { HeldRegion, ReadAt } from '../region-reading.ts'

/** A status but for its age, which is all that passing time changes until a reading turns stale. */
export type RememberedStatus = {
  version: number
  /** Unix milliseconds: when it was made, and until when its readings stay as fresh as they were. */
  fromMs: number
  untilMs: number
  before: string
  /** Of the newest measurement; null: there is no age to say. */
  measuredAtMs: number | null
  after: string
}

/** @param version of what is held of the service */
export const rememberStatus = (
  answer: ServiceStatusAnswer,
  version: number,
  regions: readonly HeldRegion[],
  how: ReadAt,
): RememberedStatus => ({
  version,
  fromMs: how.nowMs,
  untilMs: freshUntilMs(regions, how),
  ...splitAtAge(JSON.stringify(answer)),
  measuredAtMs: answer.measuredAt === null ? null : Date.parse(answer.measuredAt),
})

/** Whether nothing has changed since but the age of what was measured. */
export const stands = (known: RememberedStatus, version: number, nowMs: number): boolean =>
  known.version === version && known.fromMs <= nowMs && nowMs <= known.untilMs

/** When the first of the readings that are fresh now stops being so, or has been weighed; never where none is. */
const freshUntilMs = (
  regions: readonly HeldRegion[],
  { nowMs, staleAfterMs }: Pick<ReadAt, 'nowMs' | 'staleAfterMs'>,
): number => {
  let untilMs = Infinity
  for (const { readings, weighedUntilMs = Infinity } of regions) {
    if (weighedUntilMs > nowMs) untilMs = Math.min(untilMs, weighedUntilMs - 1)
    for (const { measuredAt } of readings) {
      const endsMs = measuredAt + staleAfterMs
      if (endsMs >= nowMs && endsMs < untilMs) untilMs = endsMs
    }
  }
  return untilMs
}

/** Within a JSON text a quote is escaped: these keys stand where the answer has them, or nowhere. */
const ageKey = '"ageSeconds":'

const splitAtAge = (json: string): { before: string; after: string } => {
  const from = json.lastIndexOf(ageKey) + ageKey.length
  return { before: json.slice(0, from), after: json.slice(json.indexOf(',', from)) }
}

/** The answer at an instant for which it stands. */
export const sayStatus = (
  { before, measuredAtMs, after }: RememberedStatus,
  nowMs: number,
): string =>
  `${before}${measuredAtMs === null ? 'null' : Math.max(0, Math.round((nowMs - measuredAtMs) / 1000))}${after}`
