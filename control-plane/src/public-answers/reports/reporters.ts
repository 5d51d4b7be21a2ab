/** One report per address, service and 15 minutes (S-1307). */
export const reportWindowMs = 15 * 60_000

/** Hashes expire one generation at a time, in constant time. */
const generationMs = 60_000
/** Limit of remembered hashes, about 100 MB; reports beyond it are not counted. */
const reportersMax = 1_000_000

type ReportOutcome = 'counted' | 'repeated' | 'full'

/** Hashes of the reporters of the last 15 minutes, in memory only. */
export type Reporters = {
  /**
   * Stores the first hash, unless one of them was stored in the last 15 minutes.
   * A repeated report does not extend the window.
   */
  record(hashes: readonly [string, ...string[]], nowMs: number): ReportOutcome
  /** Number of stored hashes. */
  size(nowMs: number): number
}

/** A minute's hashes, each with its milliseconds since the minute's beginning. */
type Generation = Map<string, number>

export const createReporters = (max = reportersMax): Reporters => {
  const generations = new Map<number, Generation>()
  let size = 0

  const forget = (nowMs: number): void => {
    for (const [beginMs, generation] of generations) {
      const endMs = beginMs + generationMs - 1
      // a clock that was set back must not keep hashes longer
      if (nowMs - endMs < reportWindowMs && beginMs - nowMs < reportWindowMs) continue
      generations.delete(beginMs)
      size -= generation.size
    }
  }
  const isRecent = (hash: string, nowMs: number): boolean => {
    for (const [beginMs, generation] of generations) {
      const offsetMs = generation.get(hash)
      if (offsetMs === undefined) continue
      if (Math.abs(nowMs - beginMs - offsetMs) < reportWindowMs) return true
    }
    return false
  }
  const remember = (hash: string, nowMs: number): void => {
    const offsetMs = nowMs % generationMs
    const beginMs = nowMs - offsetMs
    const generation = generations.get(beginMs) ?? new Map<string, number>()
    generations.set(beginMs, generation)
    if (!generation.has(hash)) size += 1
    generation.set(hash, offsetMs)
  }

  return {
    record: (hashes, nowMs) => {
      forget(nowMs)
      if (hashes.some((hash) => isRecent(hash, nowMs))) return 'repeated'
      if (size >= max) return 'full'
      remember(hashes[0], nowMs)
      return 'counted'
    },
    size: (nowMs) => {
      forget(nowMs)
      return size
    },
  }
}
