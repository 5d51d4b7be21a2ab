/** One report per address, service and 15 minutes (S-1307). */
export const reportWindowMs = 15 * 60_000

/** What is remembered is forgotten a generation at a time, which takes the same time however many. */
const generationMs = 60_000
/** Remembered at a time, about 100 MB; what comes beyond is not counted. */
const reportersMax = 1_000_000

export type ReportOutcome = 'counted' | 'repeated' | 'full'

/** Who has reported what within the last quarter of an hour, by hashes, in memory only. */
export type Reporters = {
  /**
   * Remembers the first hash, unless one of them was remembered less than a quarter of an hour ago.
   * A report that is repeated does not begin another quarter.
   */
  take(hashes: readonly [string, ...string[]], nowMs: number): ReportOutcome
  /** Hashes held at this moment. */
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
      // a clock that was set back must not make anything last
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
    take: (hashes, nowMs) => {
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
