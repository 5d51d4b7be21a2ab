import { comesAndGoesWords, type CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { RegionView } from './region-status.ts'
import { quorumOf } from './status-rule.ts'
import { isWithheld } from './withdraw.ts'

/**
 * What caused an evaluation. Only a fresh reading can open `down` or close to `operational`: silence,
 * `blocked` and passing time never do. A `suspect` is a failure that does not count yet; it can only show
 * that failures come and go.
 */
export type Trigger = 'up' | 'down' | 'suspect' | 'blocked' | 'none'

/** The voting regions: fresh and not blocked. */
const votersOf = (views: readonly RegionView[]): RegionView[] =>
  views.filter((view) => view.fresh && view.status !== 'blocked')

/** Whether most voting regions that see a check up are slow. */
const isSlow = (voters: readonly RegionView[]): boolean => {
  const up = voters.filter(({ status }) => status === 'up')
  return slowOf(up).length * 2 > up.length
}

const slowOf = (voters: readonly RegionView[]): RegionView[] =>
  voters.filter(({ status, slowerThanMs }) => status === 'up' && slowerThanMs !== null)

/**
 * The aggregate status of a check (S-903 to S-910, S-919 to S-921). Opening counts regions that are down at the same time.
 * Closing waits until fewer regions than the quorum are down or recovering, so that a split cannot oscillate,
 * even one that moves between regions.
 */
export const nextStatus = (
  previous: CheckStatus,
  views: readonly RegionView[],
  trigger: Trigger,
  rule?: StatusRule | null,
): CheckStatus => {
  const fresh = views.filter((view) => view.fresh)
  if (fresh.length === 0) {
    return views.every((view) => view.status === 'unknown') ? 'unknown' : 'stale'
  }
  const voters = votersOf(views)
  const saysNothing = trigger === 'suspect' && !voters.some((view) => view.comesAndGoes)
  if (trigger === 'none' || saysNothing) return previous
  if (voters.length === 0) return 'degraded'
  const quorum = quorumOf(rule, voters.length, views.length)
  const failing = voters.filter((view) => view.state.failing).length
  if (previous === 'down' && (trigger !== 'up' || failing >= quorum)) return 'down'
  if (trigger === 'down' && downAtOnce(voters) >= quorum) return 'down'
  const mayFail = voters.some((view) => view.state.failing || view.comesAndGoes)
  // late or remembered evidence of a region makes nothing worse: only a bad or a slow reading does
  if (mayFail && !(trigger === 'up' && previous === 'operational')) return 'degraded'
  if (previous === 'degraded' && voters.some((view) => view.mayComeBack)) return 'degraded'
  if (isSlow(voters)) return trigger === 'up' || hasNoStanding(previous) ? 'degraded' : previous
  if (mayFail) return previous
  return trigger === 'up' || hasNoStanding(previous) ? 'operational' : previous
}

const downAtOnce = (voters: readonly RegionView[]): number =>
  failingAtOnce(
    voters.flatMap(({ status, state, failsEnough }) =>
      status === 'down' && failsEnough
        ? [
            {
              sinceMs: state.failingSinceMs ?? 0,
              untilMs: state.measuredAt,
              roundAtMs: state.roundAtMs ?? null,
            },
          ]
        : [],
    ),
    voters.flatMap(({ state }) => state.roundAtMs ?? []),
  )

/** The regions whose votes a quarantine withholds. */
const withheldOf = (views: readonly RegionView[]): RegionView[] =>
  views.filter((view) => !view.fresh && isWithheld(view.state))

/**
 * Whether the check fails as far as is known, and is not `down` only because a quarantine withholds votes:
 * most voting regions see it fail and would be enough with the withheld ones, or no region may vote and a withheld one saw it fail
 * (S-1008, S-1009).
 */
export const isUnconfirmed = (
  status: CheckStatus,
  views: readonly RegionView[],
  rule?: StatusRule | null,
): boolean => {
  const withheld = withheldOf(views)
  if (withheld.length === 0) return false
  if (status === 'stale') {
    return (
      views.every((view) => !view.fresh) &&
      withheld.some(({ state }) => (state.withheldReason ?? null) !== null)
    )
  }
  if (status !== 'degraded') return false
  const voters = votersOf(views)
  const down = voters.filter((view) => view.status === 'down' && view.failsEnough).length
  const quorumWith = (more: number): number => quorumOf(rule, voters.length + more, views.length)
  const couldBeDown = down + withheld.length >= quorumWith(withheld.length)
  return down * 2 > voters.length && down < quorumWith(0) && couldBeDown
}

/** Whether no region sees a degraded check up: that time counts as neither up nor down. */
export const isNoneUp = (status: CheckStatus, views: readonly RegionView[]): boolean =>
  status === 'degraded' && !votersOf(views).some((view) => view.status === 'up')

/** Whether a status is unknown or stale, which any fresh vote replaces. */
const hasNoStanding = (status: CheckStatus): boolean => status === 'unknown' || status === 'stale'

/** The reason of the aggregate, for people; null if operational. */
export const statusReason = (
  status: CheckStatus,
  views: readonly RegionView[],
  rule?: StatusRule | null,
): string | null => {
  switch (status) {
    case 'operational':
      return null
    case 'unknown':
      return unmeasuredReason(views) ?? 'no reading yet'
    case 'stale':
      return staleReason(views)
    case 'down':
      return failureReason(views)
    case 'degraded':
      return `${failureReason(views)}${neverDown(views, rule)}`
    default:
      return status satisfies never
  }
}

/** That so few regions may vote that the check cannot be down, where all of them fail. */
const neverDown = (views: readonly RegionView[], rule: StatusRule | null | undefined): string => {
  const voters = votersOf(views)
  const needed = quorumOf(rule, voters.length, views.length)
  const fail = voters.length > 0 && voters.every(({ status }) => status === 'down')
  if (!fail || needed <= voters.length || withheldOf(views).length > 0) return ''
  const refused = views
    .filter(({ fresh, status }) => fresh && status === 'blocked')
    .map(({ region }) => region)
  const why = refused.length === 0 ? '' : ` (${refused.join(', ')}: refused)`
  return `; down needs ${needed} regions, and only ${voters.length} of ${views.length} can judge${why}`
}

const failureReason = (views: readonly RegionView[]): string => {
  const voters = votersOf(views)
  const failing = voters.filter((view) => view.status === 'down')
  if (failing.length > 0) {
    const names = failing.map((view) => view.region).join(', ')
    const reason = mostCommon(failing.map((view) => view.state.reason ?? 'failed'))
    const summary = `${failing.length} of ${voters.length} regions fail (${names}): ${reason}`
    const withheld = withheldOf(views)
    return withheld.length === 0 ? summary : `${summary}; ${withoutVotes(withheld, views)}`
  }
  const blocked = views.filter((view) => view.status === 'blocked')
  if (voters.length === 0 && blocked.length > 0) {
    const names = blocked.map((view) => view.region).join(', ')
    return `blocked (${names}): ${mostCommon(blocked.map((view) => view.state.reason ?? 'refused'))}`
  }
  const recovering = voters.filter((view) => view.state.failing).map((view) => view.region)
  if (recovering.length > 0) {
    return `recovering (${recovering.join(', ')}): not yet two good readings in a row`
  }
  const spell = intermittentOf(views)
  if (spell !== null) return `${comesAndGoesWords}${spellText(spell)}`
  if (isSlow(voters)) return slowReason(voters)
  const shortly = voters.filter((view) => view.mayComeBack).map((view) => view.region)
  return shortly.length > 0
    ? `failed shortly before (${shortly.join(', ')}), and may again`
    : 'a region failed and has not been seen well since'
}

const slowReason = (voters: readonly RegionView[]): string => {
  const slow = slowOf(voters)
  const up = voters.filter(({ status }) => status === 'up').length
  const names = slow.map((view) => view.region).join(', ')
  const limitMs = (slow[0]?.slowerThanMs ?? 0).toLocaleString('en')
  return `${slow.length} of ${up} regions are slow (${names}): over ${limitMs} ms in two readings in a row`
}

/** Intermittent failures: the failed readings of the regions that see them, and since when. */
type Intermittent = { failed: number; of: number; sinceMs: number; regions: Region[] }

/** @returns null if no failure keeps coming back */
export const intermittentOf = (views: readonly RegionView[]): Intermittent | null => {
  const seen = votersOf(views).flatMap(({ region, state: { spell }, comesAndGoes }) =>
    comesAndGoes && spell !== undefined ? [{ region, spell }] : [],
  )
  if (seen.length === 0) return null
  return {
    failed: seen.reduce((sum, { spell }) => sum + spell.failed, 0),
    of: seen.reduce((sum, { spell }) => sum + spell.of, 0),
    sinceMs: Math.min(...seen.map(({ spell }) => spell.sinceMs)),
    regions: seen.map(({ region }) => region),
  }
}

const spellText = ({ failed, of, sinceMs, regions }: Intermittent): string =>
  `${failed} of ${of} readings failed since ${new Date(sinceMs).toISOString().slice(11, 16)} UTC (${regions.join(', ')})`

const withoutVotes = (withheld: readonly RegionView[], views: readonly RegionView[]): string => {
  const names = withheld.map((view) => view.region).join(', ')
  return `${withheld.length} of ${views.length} regions could not vote (${names}: quarantined)`
}

const staleReason = (views: readonly RegionView[]): string => {
  const summary = unmeasuredReason(views) ?? 'no region has reported recently'
  if (!isUnconfirmed('stale', views)) return summary
  const withheld = withheldOf(views)
  const seen = withheld.flatMap(({ state }) => state.withheldReason ?? [])
  return `${summary}; ${withoutVotes(withheld, views)}, ${seen.length} of them saw it fail: ${mostCommon(seen)}`
}

const unmeasuredReason = (views: readonly RegionView[]): string | null => {
  const reasons = views.flatMap(({ state }) =>
    state.unmeasuredReason !== null && state.unmeasuredAt >= state.measuredAt ? [state.unmeasuredReason] : [],
  )
  return reasons.length === 0 ? null : `not measured: ${mostCommon(reasons)}`
}

const mostCommon = (texts: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ''
}

/**
 * A failing region: since when, when it was last seen to fail, and the round that it answered with a failure,
 * if any. Unix ms.
 */
type FailingRun = { sinceMs: number; untilMs: number; roundAtMs: number | null }

/**
 * How many regions fail at the same time: they answered the newest round with a failure, or failed both
 * before and after one instant. Failures at different times are never added up, since a failure can move
 * between regions (S-905).
 * @param rounds answered by any region, with any result
 */
export const failingAtOnce = (failing: readonly FailingRun[], rounds: readonly number[]): number => {
  const newestRound = rounds.length === 0 ? null : Math.max(...rounds)
  const countAt = (atMs: number): number =>
    failing.filter(
      ({ sinceMs, untilMs, roundAtMs }) =>
        (sinceMs <= atMs && atMs <= untilMs) || (atMs === newestRound && roundAtMs === newestRound),
    ).length
  const instants = failing.map(({ sinceMs }) => sinceMs)
  if (newestRound !== null) instants.push(newestRound)
  return Math.max(0, ...instants.map(countAt))
}
