import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { evidenceText } from '../alerts/alert-message.ts'
import { hostOf, normaliseReason } from '../status/cause.ts'
import { evidenceOf, type WatchedCheck } from '../alerts/evidence.ts'
import { groupFailures, type Failure, type JoinableIncident } from './incident-groups.ts'
import { joiningText, openingText, titleText } from './incident-text.ts'
import { addAutomaticUpdate, openAutomaticIncident } from './automatic-incidents-store.ts'
import { impactOfOutage, worseImpact } from './impact.ts'
import { findPublishedChecks } from './incident-components-store.ts'
import { countUpdates } from './incident-updates-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import {
  freeFirstCheck,
  lockWithMembers,
  writeMembers,
  type FollowedIncident,
} from './incident-members-store.ts'
import { lockIncidents, lockOpenAutomatic, updateIncident } from './incidents-store.ts'
import type { IncidentRecord } from './incident.ts'
import { findJoinable, type PublishedCheck } from './joinable-incidents-store.ts'

/** A longer timeline gets no more automatic updates, so that the resolving one still fits. */
export const followingUpdatesMax = 100

/** A failure with its evidence. */
export type ExplainedFailure = Failure & {
  accountId: string
  reason: string | null
  evidence: string
  /** Of the page. */
  locale: string
}

/** The failures of a check that went down, one for each page that publishes it. */
export const failuresOf = (
  { reason, atMs }: { reason: string | null; atMs: number },
  check: WatchedCheck,
  published: readonly PublishedCheck[],
  nowMs: number,
): ExplainedFailure[] => {
  const evidence = evidenceOf(check, nowMs)
  const regions = evidence.failing.toSorted()
  // no region measures a heartbeat: its incident names none
  const region = evidence.failing[0] ?? check.regions[0] ?? null
  return published
    .filter(({ checkId }) => checkId === check.id)
    .map(({ statusPageId, displayName, locale }) => ({
      accountId: check.accountId,
      statusPageId,
      checkId: check.id,
      displayName,
      cause: { host: hostOf(check), text: normaliseReason(reason), regions },
      region,
      downAtMs: atMs,
      reason,
      evidence: evidenceText(evidence, wordsOf(locale)),
      locale,
    }))
}

/**
 * Opens incidents for failures, or joins those that the same cause opened. The pages are locked.
 * @param options.wasHeld maintenance held the failures until now
 */
export const openOrJoin = async (
  tx: Transaction,
  failures: readonly ExplainedFailure[],
  nowMs: number,
  options: { wasHeld: boolean } = { wasHeld: false },
): Promise<void> => {
  if (failures.length === 0) return
  const explained = new Map<Failure, ExplainedFailure>(failures.map((f) => [f, f]))
  const pages = new Set(failures.map(({ statusPageId }) => statusPageId))
  let joinable = await findJoinable(tx, [...pages], failures)
  let groups = groupFailures(failures, joinable)
  for (;;) {
    const chosen = groups.flatMap(({ incidentId }) => incidentId ?? [])
    const locked = new Set((await lockIncidents(tx, chosen)).map(({ id }) => id))
    const gone = new Set(chosen.filter((id) => !locked.has(id)))
    if (gone.size === 0) break
    // an incident is deleted with the check that it hangs on: its others belong elsewhere then
    joinable = joinable.filter(({ incidentId }) => !gone.has(incidentId))
    groups = groupFailures(failures, joinable)
  }
  for (const { incidentId, joined } of groups) {
    const group = joined.flatMap((failure) => explained.get(failure) ?? [])
    const known = joinable.find((one) => one.incidentId === incidentId)
    await (known === undefined ? openFor(tx, group, nowMs, options) : join(tx, known, group, nowMs, options))
  }
}

const openFor = async (
  tx: Transaction,
  group: readonly ExplainedFailure[],
  nowMs: number,
  options: { wasHeld: boolean },
): Promise<void> => {
  const [first] = group
  if (first === undefined) return
  const { accountId, statusPageId, checkId, region } = first
  const startedAtMs = Math.min(...group.map(({ downAtMs }) => downAtMs))
  const text = openingText(wordsOf(first.locale), group, options)
  const downIds = group.map((failure) => failure.checkId)
  const measuredImpact = impactOfOutage(downIds, await findPublishedChecks(tx, statusPageId))
  const found = { accountId, statusPageId, checkId, region, measuredImpact, startedAtMs, ...text }
  const [open] = await lockOpenAutomatic(tx, checkId, statusPageId)
  // the open incident has no other check that is down, for example because a person reopened it
  if (open !== undefined && !(await freeFirstCheck(tx, found))) {
    await join(tx, { incidentId: open.id, members: [] }, group, nowMs, options)
    return
  }
  const incident = await openAutomaticIncident(tx, found, nowMs)
  if (incident !== null) await writeMembers(tx, incident, group)
}

const join = async (
  tx: Transaction,
  { incidentId, members }: Pick<JoinableIncident, 'incidentId' | 'members'>,
  group: readonly ExplainedFailure[],
  nowMs: number,
  options: { wasHeld: boolean },
): Promise<void> => {
  await writeMembers(tx, { id: incidentId, accountId: group[0]?.accountId ?? '' }, group)
  const [followed] = await lockWithMembers(tx, [incidentId])
  if (followed === undefined) return
  const incident = grown(
    titled(followed),
    followed,
    await findPublishedChecks(tx, followed.incident.statusPageId),
  )
  const isOver = incident.status === 'resolved'
  const stillDown = new Set(
    members.filter(({ downUntilMs }) => downUntilMs === null && !isOver).map(({ checkId }) => checkId),
  )
  const known = new Set(members.map(({ checkId }) => checkId))
  const news = group.filter(({ checkId }) => !stillDown.has(checkId))
  const again = news.filter(({ checkId }) => known.has(checkId))
  const others = news.filter(({ checkId }) => !known.has(checkId))
  const hasUpdate = news.length > 0 && (isOver || (await countUpdates(tx, incidentId)) < followingUpdatesMax)
  if (!hasUpdate) return updateIncident(tx, incident)
  const status = isOver ? 'investigating' : incident.status
  const down = followed.members.filter(({ isDown }) => isDown)
  const affected = down.flatMap(({ displayName }) => (displayName === null ? [] : { displayName }))
  const body = joiningText(followed.words, { others, again, affected }, options)
  await addAutomaticUpdate(tx, incident, { status, body }, nowMs)
}

/** The incident with the impact of its members that are down. It never shrinks while the incident lasts. */
const grown = (
  incident: IncidentRecord,
  { members }: FollowedIncident,
  publishedIds: readonly string[],
): IncidentRecord => {
  const downIds = members.filter(({ isDown }) => isDown).map(({ checkId }) => checkId)
  return {
    ...incident,
    measuredImpact: worseImpact(incident.measuredImpact, impactOfOutage(downIds, publishedIds)),
  }
}

/** The title of an open incident names the checks that are down; that of a resolved one names all. */
export const titled = ({ incident, members, words }: FollowedIncident): IncidentRecord => {
  const down = members.filter(({ isDown }) => isDown)
  const names = (down.length > 0 ? down : members).flatMap(({ displayName }) => displayName ?? [])
  return names.length === 0 ? incident : { ...incident, title: titleText(words, names) }
}
