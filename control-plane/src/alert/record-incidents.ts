import type { WatchedCheck } from '../alerts/evidence.ts'
import { evidenceOf } from '../alerts/evidence.ts'
import { evidenceText } from '../alerts/alert-message.ts'
import { hostOf, normaliseReason } from '../alerts/cause.ts'
import { groupFailures } from '../alerts/incident-groups.ts'
import type { Failure } from '../alerts/incident-groups.ts'
import { joiningText, openingText, resolvingText } from '../alerts/incident-text.ts'
import type { UntakenFlip } from '../postgres/alert-flips.ts'
import { openAutomaticIncident } from '../postgres/automatic-incidents.ts'
import type { Transaction } from '../postgres/connect.ts'
import {
  closeMembers,
  countUpdates,
  findJoinable,
  lockAbandoned,
  lockPagesOfChecks,
  recoverMembers,
  sayOfIncident,
  writeMembers,
} from '../postgres/incident-members.ts'
import type { PublishedCheck } from '../postgres/incident-members.ts'
import { lockIncident } from '../postgres/incidents.ts'
import { transact } from '../postgres/transact.ts'
import type { AlertContext } from './context.ts'

/** A timeline that is longer than this is not told who else joins: the incident's end must fit. */
const joiningUpdatesMax = 100

type ExplainedFailure = Failure & { accountId: string; reason: string | null; evidence: string }

/**
 * Opens an incident on each page that publishes a check that went down, or joins the one that the
 * same cause has opened; resolves it when the last of its checks is operational. They mail nobody.
 */
export const recordIncidents = async (
  tx: Transaction,
  checks: ReadonlyMap<string, WatchedCheck>,
  flips: readonly UntakenFlip[],
  nowMs: number,
): Promise<void> => {
  const decisive = flips.filter(({ to }) => to === 'down' || to === 'operational')
  if (decisive.length === 0) return
  const published = await lockPagesOfChecks(tx, [...new Set(decisive.map((flip) => flip.checkId))])
  for (const round of roundsOf(decisive)) {
    const failures = round
      .filter(({ to }) => to === 'down')
      .flatMap((flip) => failuresOf(flip, checks.get(flip.checkId), published, nowMs))
    await openOrJoin(tx, failures, nowMs)
    await resolve(
      tx,
      round.filter(({ to }) => to === 'operational'),
      nowMs,
    )
  }
}

/** Resolves incidents whose checks are gone, paused or unpublished. @returns how many */
export const closeAbandoned = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const abandoned = await lockAbandoned(tx, limit)
    for (const incident of abandoned) {
      await closeMembers(tx, incident.id, context.now())
      const body = 'No check of this incident is watched any more.'
      await sayOfIncident(tx, incident, { status: 'resolved', body }, context.now())
    }
    return abandoned.length
  })

/** One flip of each check at a time, in order: those of one time are looked at together. */
const roundsOf = (flips: readonly UntakenFlip[]): UntakenFlip[][] => {
  const counts = new Map<string, number>()
  const rounds: UntakenFlip[][] = []
  for (const flip of flips) {
    const round = counts.get(flip.checkId) ?? 0
    counts.set(flip.checkId, round + 1)
    ;(rounds[round] ??= []).push(flip)
  }
  return rounds
}

const failuresOf = (
  flip: UntakenFlip,
  check: WatchedCheck | undefined,
  published: readonly PublishedCheck[],
  nowMs: number,
): ExplainedFailure[] => {
  if (check === undefined) return []
  const evidence = evidenceOf(check, nowMs)
  const regions = evidence.failing.toSorted()
  // a heartbeat is measured nowhere: its incident names no region
  const region = evidence.failing[0] ?? check.regions[0] ?? null
  return published
    .filter(({ checkId }) => checkId === check.id)
    .map(({ statusPageId, displayName }) => ({
      accountId: check.accountId,
      statusPageId,
      checkId: check.id,
      displayName,
      cause: { host: hostOf(check), text: normaliseReason(flip.reason), regions },
      region,
      downAtMs: flip.atMs,
      reason: flip.reason,
      evidence: evidenceText(evidence),
    }))
}

const openOrJoin = async (
  tx: Transaction,
  failures: readonly ExplainedFailure[],
  nowMs: number,
): Promise<void> => {
  if (failures.length === 0) return
  const explained = new Map<Failure, ExplainedFailure>(failures.map((f) => [f, f]))
  const pages = new Set(failures.map(({ statusPageId }) => statusPageId))
  const open = await findJoinable(tx, [...pages], failures)
  for (const { incidentId, joined } of groupFailures(failures, open)) {
    const group = joined.flatMap((failure) => explained.get(failure) ?? [])
    await (incidentId === null ? openFor(tx, group, nowMs) : join(tx, incidentId, group, nowMs))
  }
}

const openFor = async (
  tx: Transaction,
  group: readonly ExplainedFailure[],
  nowMs: number,
): Promise<void> => {
  const [first] = group
  if (first === undefined) return
  const { accountId, statusPageId, checkId, region } = first
  const startedAtMs = Math.min(...group.map(({ downAtMs }) => downAtMs))
  const found = { accountId, statusPageId, checkId, region, startedAtMs, ...openingText(group) }
  const incident = await openAutomaticIncident(tx, found, nowMs)
  if (incident !== null) await writeMembers(tx, incident, group)
}

const join = async (
  tx: Transaction,
  incidentId: string,
  group: readonly ExplainedFailure[],
  nowMs: number,
): Promise<void> => {
  const incident = await lockIncident(tx, group[0]?.accountId ?? '', incidentId)
  if (incident === null) return
  await writeMembers(tx, incident, group)
  if ((await countUpdates(tx, incidentId)) >= joiningUpdatesMax) return
  const said = { status: incident.status, body: joiningText(group) }
  await sayOfIncident(tx, incident, said, nowMs)
}

const resolve = async (
  tx: Transaction,
  flips: readonly UntakenFlip[],
  nowMs: number,
): Promise<void> => {
  if (flips.length === 0) return
  const atMs = Math.max(...flips.map((flip) => flip.atMs))
  for (const { incident, members } of await recoverMembers(tx, flips)) {
    const body = resolvingText(incident.startedAtMs, atMs, members)
    await sayOfIncident(tx, incident, { status: 'resolved', body }, nowMs)
  }
}
