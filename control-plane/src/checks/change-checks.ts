import { tagsPerCheckMax, withoutTag, withTag } from '@probe-mesh/contracts/check/tags'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckWithState } from '../records/check/check-record.ts'
import { lockChecks, notifyChecksChanged, updateTags } from '../records/check/checks-store.ts'
import { openRevisions, setPaused, setPauseEnd } from '../records/check/many-checks-store.ts'
import { deleteChecksForGood, findDeleted } from '../records/check/deleted-checks-store.ts'
import { rearmHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { isChange, type Outcome, type Outcomes } from '../accounts/operations/write-many.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { refuseBusyTargets } from '../targets/refuse-busy-target.ts'
import { refuseNewer, type RevisingContext } from './revise-check.ts'

// Acts on many checks of an account in one transaction, each check with its own outcome. Checks are locked in the
// order of their ids, so that two acts do not deadlock.

/**
 * Pauses or resumes checks of any type; pausing a paused check sets its end anew. SV-5001 for a check whose target would then be probed
 * too often.
 * @param act.untilMs when the pause ends by itself; null: it does not
 */
export const pauseChecks = async (
  context: Pick<RevisingContext, 'now' | 'targets' | 'rules'>,
  tx: Transaction,
  accountId: string,
  { checkIds, paused, untilMs }: { checkIds: readonly string[]; paused: boolean; untilMs: number | null },
): Promise<Outcomes> => {
  const checks = await lockChecks(tx, accountId, checkIds)
  const due = [...checks.values()].filter((check) => check.paused !== paused)
  const busy = paused ? new Map<string, Refusal>() : await refuseBusyTargets(tx, due, context)
  const outcomes = new Map<string, Outcome>([...checks.keys()].map((id) => [id, 'unchanged']))
  for (const check of due) {
    outcomes.set(check.id, refuseNewer(check) ?? busy.get(check.id) ?? { changed: check.id })
  }
  const nowMs = context.now()
  const extended = [...checks.values()].filter(
    (check) => paused && check.paused && (check.pausedUntilMs ?? null) !== untilMs,
  )
  for (const check of extended) outcomes.set(check.id, refuseNewer(check) ?? { changed: check.id })
  const extendedIds = extended.filter(({ id }) => isChange(outcomes.get(id))).map(({ id }) => id)
  await setPauseEnd(tx, extendedIds, { untilMs, nowMs })
  await notifyChecksChanged(tx, extendedIds)
  const changing = due.filter(({ id }) => isChange(outcomes.get(id)))
  if (changing.length === 0) return outcomes
  const ids = changing.map(({ id }) => id)
  await setPaused(tx, ids, { paused, untilMs, nowMs })
  await openRevisions(tx, ids)
  for (const { id, type } of changing) if (type === 'heartbeat') await rearmHeartbeat(tx, id, nowMs)
  return outcomes
}

/** Adds a tag to checks, or removes it. SV-2001 for more tags than a check may have. */
export const tagChecks = async (
  { now }: Pick<RevisingContext, 'now'>,
  tx: Transaction,
  accountId: string,
  { checkIds, tag, isAdded }: { checkIds: readonly string[]; tag: string; isAdded: boolean },
): Promise<Outcomes> => {
  const tagged: CheckWithState[] = []
  const outcomes = new Map<string, Outcome>()
  for (const check of (await lockChecks(tx, accountId, checkIds)).values()) {
    const tags = isAdded ? withTag(check.tags, tag) : withoutTag(check.tags, tag)
    const refused = refuseNewer(check) ?? (tags.length > tagsPerCheckMax ? tooManyTags : null)
    const isSame = tags === check.tags
    outcomes.set(check.id, isSame ? 'unchanged' : (refused ?? { changed: check.id }))
    if (!isSame && refused === null) tagged.push({ ...check, tags })
  }
  await updateTags(tx, tagged, now())
  await notifyChecksChanged(
    tx,
    tagged.map(({ id }) => id),
  )
  return outcomes
}

const tooManyTags = refuse('SV-2001', {
  message: `The limit of ${tagsPerCheckMax} tags of a check is reached.`,
})

/** Deletes checks with their history (S-219). A check that was deleted before is unchanged. */
export const deleteChecks = async (
  { now }: Pick<RevisingContext, 'now'>,
  tx: Transaction,
  accountId: string,
  { checkIds }: { checkIds: readonly string[] },
): Promise<Outcomes> => {
  const found = [...(await lockChecks(tx, accountId, checkIds)).keys()]
  const deleted = await findDeleted(tx, { accountId, checkIds })
  await deleteChecksForGood(tx, { accountId, checkIds: found }, now())
  await notifyChecksChanged(tx, found)
  return new Map<string, Outcome>([
    ...deleted.map((id) => [id, 'unchanged'] as const),
    ...found.map((id) => [id, { changed: id }] as const),
  ])
}
