import { sinceMsOf } from './survey.ts'
import type { Survey } from './survey.ts'
import type { Tally } from './tally.ts'

/** Fewer distinct sources are too few to tell a region's fault from theirs: there, canaries do. */
const sourcesMin = 8
/** Percent of a region's sources that may fail in it only. */
const failingPercentMax = 30
/** A catalog that is too small to decide by itself confirms what accounts see by so many sources. */
const confirmingMin = 2
/** Hosts of which an agent said that its canaries failed, for those to confirm what accounts see. */
const offlineMin = 3
/** How long a region must be clean before it votes again (S-1006). */
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

/** What a survey says of its region. */
export type Finding =
  | 'well'
  /** An unlikely share fails in it only: its own network does. */
  | 'broken'
  /** So say checks of accounts, and neither the catalog nor a canary does: no evidence. */
  | 'unconfirmed'

/**
 * At least 8 distinct sources, over 30 % failing, in that region only. Where the catalog has as many it
 * decides alone: whoever opens accounts can neither doubt a region nor vouch for it. Where it has fewer,
 * accounts count as well, but only what the catalog or the agents' canaries confirm: sign-up is open,
 * and whose target fails for one region only can be arranged (S-1001, S-1003).
 */
export const judgeSurvey = (survey: Survey): Finding => {
  const { catalog, accounts } = survey
  if (decidesAlone(catalog)) {
    if (isOverLimit(catalog)) return 'broken'
  } else {
    const all = together(catalog, accounts)
    if (decidesAlone(all) && isOverLimit(all) && isConfirmed(survey)) return 'broken'
  }
  return accounts.hosts >= sourcesMin && failsOften(accounts) ? 'unconfirmed' : 'well'
}

/** The evidence that decides: the catalog's, or where that is too little, everybody's. */
export const decidingTally = ({ catalog, accounts }: Survey): Tally =>
  decidesAlone(catalog) ? catalog : together(catalog, accounts)

const decidesAlone = ({ sources }: Tally): boolean => sources >= sourcesMin

const isConfirmed = ({ catalog, offline }: Survey): boolean =>
  offline >= offlineMin || (catalog.sourcesFailing >= confirmingMin && isOverLimit(catalog))

const isOverLimit = ({ sources, sourcesFailing }: Tally): boolean =>
  sourcesFailing * 100 > sources * failingPercentMax

const failsOften = ({ hosts, failing }: Tally): boolean => failing * 100 > hosts * failingPercentMax

const together = (a: Tally, b: Tally): Tally => ({
  hosts: a.hosts + b.hosts,
  failing: a.failing + b.failing,
  sources: a.sources + b.sources,
  sourcesFailing: a.sourcesFailing + b.sourcesFailing,
})

/**
 * The quarantine of a region after it was surveyed; null where there is none. It begins with an
 * unlikely share of failures and ends when the share stayed at or below the limit for two minutes,
 * however few sources are left. Silence is not clean: while nothing can be compared no clean time
 * runs, and it ends only when that lasted long (S-1006).
 */
export const nextQuarantine = (
  held: Quarantine | null,
  survey: Survey,
  nowMs: number,
): Quarantine | null => {
  if (held === null) {
    if (judgeSurvey(survey) !== 'broken') return null
    return { sinceMs: sinceMsOf(survey) ?? nowMs, cleanSinceMs: null, comparedAtMs: nowMs }
  }
  if (survey.catalog.hosts + survey.accounts.hosts === 0) {
    return nowMs - held.comparedAtMs >= silentMsMax ? null : { ...held, cleanSinceMs: null }
  }
  if (isStillBroken(survey)) return { ...held, cleanSinceMs: null, comparedAtMs: nowMs }
  const cleanSinceMs = held.cleanSinceMs ?? nowMs
  return nowMs - cleanSinceMs >= cleanMs ? null : { ...held, cleanSinceMs, comparedAtMs: nowMs }
}

/** By the catalog however little is left of it; by what accounts see only as far as it is confirmed. */
const isStillBroken = (survey: Survey): boolean => {
  const { catalog, accounts } = survey
  if (isOverLimit(catalog)) return true
  return !decidesAlone(catalog) && isOverLimit(together(catalog, accounts)) && isConfirmed(survey)
}
