import type { Logger } from './logger.ts'

const everyMs = 60_000
const kindsMax = 100

/**
 * A log for failures that may happen many times a second: the first of a kind at once, then one line a minute
 * with the count of the others.
 * @param nowMs monotonic
 */
export const createRareLog = (
  log: Logger,
  nowMs: () => number = () => performance.now(),
): { warn(kind: string, fields: object, message: string): void } => {
  const kinds = new Map<string, { saidAtMs: number; more: number }>()
  return {
    warn: (kind, fields, message) => {
      const known = kinds.get(kind)
      if (known !== undefined && nowMs() - known.saidAtMs < everyMs) {
        known.more++
        return
      }
      if (known === undefined && kinds.size >= kindsMax) kinds.clear()
      kinds.set(kind, { saidAtMs: nowMs(), more: 0 })
      const more = known?.more ?? 0
      log.warn(more === 0 ? fields : { ...fields, more }, message)
    },
  }
}
