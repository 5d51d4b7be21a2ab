import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { leavingText, resolvingText, silentText, unwatchedText, type Left } from './incident-text.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import {
  findIncidentsAwaiting,
  leaveAbandoned,
  leaveMembers,
  lockWithMembers,
  type FollowedIncident,
} from './incident-members-store.ts'
import { updateIncident } from './incidents-store.ts'
import { countUpdates } from './incident-updates-store.ts'
import { addAutomaticUpdate } from './automatic-incidents-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { AlertContext } from '../alerts/context.ts'
import { followingUpdatesMax, titled } from './open-incidents.ts'

/** A check that is no longer down, or has no data. */
type Flip = { checkId: string; to: CheckStatus; reason: string | null; atMs: number }

/** Updates the incidents of checks that are no longer down, and resolves those without a check that is. */
export const leaveIncidents = async (
  tx: Transaction,
  flips: readonly Flip[],
  nowMs: number,
): Promise<void> => {
  if (flips.length === 0) return
  const left = new Map(flips.map((flip) => [flip.checkId, flip]))
  const atMs = Math.max(...flips.map((flip) => flip.atMs))
  for (const followed of await lockOpen(tx, await leaveMembers(tx, flips))) {
    const gone = followed.members.flatMap(({ checkId, displayName }): (Left & Flip)[] => {
      const flip = left.get(checkId)
      return flip === undefined
        ? []
        : [{ ...flip, displayName: displayName ?? followed.words.event.unpublished }]
    })
    const unwell = followed.members
      .filter(({ checkId, leftAs }) => leftAs === 'degraded' && !left.has(checkId))
      .map(({ displayName }) => ({ displayName: displayName ?? followed.words.event.unpublished }))
    const members = followed.members.length
    await updateOrResolve(tx, followed, nowMs, {
      remaining: leavingText(followed.words, gone),
      resolved: resolvingText(followed.words, followed.incident.startedAtMs, {
        atMs,
        members,
        left: gone,
        unwell,
      }),
    })
  }
}

/** Updates the incidents of checks that are down and no longer measured. */
export const reportUnmeasured = async (
  tx: Transaction,
  checkIds: readonly string[],
  nowMs: number,
): Promise<void> => {
  if (checkIds.length === 0) return
  const silent = new Set(checkIds)
  for (const followed of await lockOpen(tx, await findIncidentsAwaiting(tx, checkIds))) {
    const named = followed.members
      .filter(({ checkId, isDown }) => isDown && silent.has(checkId))
      .map(({ displayName }) => ({ displayName: displayName ?? followed.words.event.unpublished }))
    const { incident } = followed
    if ((await countUpdates(tx, incident.id)) >= followingUpdatesMax) continue
    await addAutomaticUpdate(
      tx,
      incident,
      { status: incident.status, body: silentText(followed.words, named) },
      nowMs,
    )
  }
}

/** Removes deleted, paused and unpublished checks from their incidents. @returns how many */
export const closeAbandoned = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const nowMs = context.now()
    const abandoned = await leaveAbandoned(tx, { limit, nowMs })
    const gone = Map.groupBy(abandoned, ({ incidentId }) => incidentId)
    for (const followed of await lockOpen(tx, [...gone.keys()])) {
      const ids = new Set(gone.get(followed.incident.id)?.map(({ checkId }) => checkId))
      const named = followed.members.flatMap(({ checkId, displayName }) =>
        ids.has(checkId) && displayName !== null ? [{ displayName }] : [],
      )
      await updateOrResolve(tx, followed, nowMs, {
        remaining: unwatchedText(followed.words, named),
        resolved: followed.words.event.allUnwatched,
      })
    }
    return abandoned.length
  })

const lockOpen = async (tx: Transaction, ids: readonly string[]): Promise<FollowedIncident[]> =>
  (await lockWithMembers(tx, ids)).filter(({ incident }) => incident.resolvedAtMs === null)

/** Continues an incident with its remaining checks, or resolves it as of when the last one was down. */
const updateOrResolve = async (
  tx: Transaction,
  followed: FollowedIncident,
  nowMs: number,
  text: { remaining: string; resolved: string },
): Promise<void> => {
  const incident = titled(followed)
  if (!followed.members.some(({ isDown }) => isDown)) {
    const resolvedAtMs = Math.max(...followed.members.map(({ downUntilMs }) => downUntilMs ?? nowMs))
    const over = followed.members.length === 0 ? incident : { ...incident, resolvedAtMs }
    return addAutomaticUpdate(tx, over, { status: 'resolved', body: text.resolved }, nowMs)
  }
  if ((await countUpdates(tx, incident.id)) >= followingUpdatesMax) return updateIncident(tx, incident)
  return addAutomaticUpdate(tx, incident, { status: incident.status, body: text.remaining }, nowMs)
}
