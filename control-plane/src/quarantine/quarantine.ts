import type { Survey } from './survey.ts'

/** Fewer distinct hosts are too few to tell a region's fault from theirs: there, canaries do. */
export const hostsMin = 8
/** Percent of a region's hosts that may fail in it only. */
export const failingPercentMax = 30
/** "It returns after two clean minutes." */
export const cleanMs = 120_000
/** A region of which nothing can be compared for this long holds no vote that could mislead, ms. */
export const silentMsMax = 600_000

/** A region whose own network is taken for broken. Unix ms. */
export type Quarantine = {
  /** When the first of the failures that led to it was measured. */
  sinceMs: number
  /** Since when no unlikely share of its hosts fails; null while one does, or while nothing is known. */
  cleanSinceMs: number | null
  /** When its hosts could last be compared with what other regions say of them. */
  comparedAtMs: number
}

/** "At least 8 distinct hosts, over 30 % failing, in that region only." */
export const isUnlikely = ({ hosts, failing }: Survey): boolean =>
  hosts >= hostsMin && isOverLimit({ hosts, failing })

const isOverLimit = ({ hosts, failing }: Pick<Survey, 'hosts' | 'failing'>): boolean =>
  failing * 100 > hosts * failingPercentMax

/**
 * The quarantine of a region after it was surveyed; null where there is none. It begins with an
 * unlikely share of failures and ends when the share stayed at or below the limit for two minutes,
 * however few hosts are left. Silence is not clean: while nothing can be compared no clean time
 * runs, and it ends only when that lasted long.
 */
export const nextQuarantine = (
  held: Quarantine | null,
  survey: Survey,
  nowMs: number,
): Quarantine | null => {
  if (held === null) {
    if (!isUnlikely(survey)) return null
    return { sinceMs: survey.sinceMs ?? nowMs, cleanSinceMs: null, comparedAtMs: nowMs }
  }
  if (survey.hosts === 0) {
    return nowMs - held.comparedAtMs >= silentMsMax ? null : { ...held, cleanSinceMs: null }
  }
  if (isOverLimit(survey)) return { ...held, cleanSinceMs: null, comparedAtMs: nowMs }
  const cleanSinceMs = held.cleanSinceMs ?? nowMs
  return nowMs - cleanSinceMs >= cleanMs ? null : { ...held, cleanSinceMs, comparedAtMs: nowMs }
}
