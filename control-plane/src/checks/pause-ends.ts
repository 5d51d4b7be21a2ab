import { pauseDaysMax, type CheckPause } from '@probe-mesh/contracts/check/check-pause'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { keepLooping } from '../stores/faults.ts'
import { isStoreRefusing } from '../stores/store-fault.ts'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { findCheck, lockChecks } from '../records/check/checks-store.ts'
import { findEndedPauses } from '../records/check/many-checks-store.ts'
import { system, type AccountContext, type Writer } from '../accounts/operations/context.ts'
import { writeMany, type Outcomes } from '../accounts/operations/write-many.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { LoopContext } from '../stores/loop-context.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { pauseChecks } from './change-checks.ts'
import type { RevisingContext } from './revise-check.ts'

const paceMs = 1_000
const checksPerRound = 500
/** When a refused resume is tried again: its target may have room by then. */
const retryMs = 60_000
/** Refused resumes that are remembered. */
const refusedMax = 10_000

/** SV-2001 for an end that has passed or is too far ahead. */
export const refusePauseEnd = (path: string, untilMs: number | null, nowMs: number): Refusal | null => {
  const refusal = (message: string): Refusal => refuse('SV-2001', { errors: [{ path, message }] })
  if (untilMs === null) return null
  if (untilMs <= nowMs) return refusal('must be in the future')
  return untilMs > nowMs + pauseDaysMax * 86_400_000
    ? refusal(`must be at most ${pauseDaysMax} days ahead`)
    : null
}

/** Whether a check is paused, and until when. SV-3001 for an unknown check. */
export const getCheckPause = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<CheckPause | Refusal> => {
  const check = await inAccount(sql, accountId, (tx) => findCheck(tx, accountId, id))
  if (check === null) return refuse('SV-3001')
  const untilMs = check.pausedUntilMs ?? null
  return { paused: check.paused, until: untilMs === null ? null : new Date(untilMs).toISOString() }
}

type EndingContext = RevisingContext &
  Pick<AccountContext, 'onWriteRepeated'> & { readonly uptimes: Pick<AccountContext['uptimes'], 'drop'> }

/**
 * Resumes checks whose pause has reached its end, once a second. The ends are in Postgres: a restart loses none, and
 * each is carried out once, by any of the control planes.
 * @param loop.sql sees every account; `context.sql` sees one at a time
 */
export const startPauseEnds = (
  { sql, log, registry, now }: LoopContext,
  context: EndingContext,
): { close(): Promise<void> } => {
  const ended = createMetrics(registry).counter(
    'check_pause_ends_total',
    'Pauses that reached their end, by outcome: resumed, refused, failed; refused and failed ones are retried',
    'outcome',
  )
  /** When each refused resume is tried again. */
  const retries = new Map<string, number>()
  const putOff = (checkIds: readonly string[], outcome: 'refused' | 'failed'): void => {
    ended.inc({ outcome }, checkIds.length)
    for (const id of checkIds) if (retries.size < refusedMax) retries.set(id, now() + retryMs)
  }
  const resumeOf = async (accountId: string, checkIds: readonly string[]): Promise<void> => {
    const name = { action: 'resumeCheckAtEnd', resourceType: 'check' }
    const result = await writeMany(context, { accountId, ...system }, name, checkIds, (tx, chunk) =>
      resumeEnded(context, tx, accountId, chunk),
    )
    if (isRefusal(result)) return putOff(checkIds, 'refused')
    ended.inc({ outcome: 'resumed' }, result.changed.length)
    for (const id of result.changed) {
      context.answers.drop(id)
      context.uptimes.drop(id)
    }
    // one that is gone by now is refused too, and not found again
    putOff(
      result.refusals.map(({ checkId }) => checkId),
      'refused',
    )
  }
  return keepLooping(log, {
    what: 'ends of pauses cannot be carried out',
    everyMs: paceMs,
    round: async (signal) => {
      const nowMs = now()
      for (const [id, atMs] of retries) if (atMs <= nowMs) retries.delete(id)
      const due = await findEndedPauses(sql, nowMs, { except: [...retries.keys()], limit: checksPerRound })
      for (const [accountId, checks] of Map.groupBy(due, (check) => check.accountId)) {
        if (signal.aborted) return 'end'
        const ids = checks.map(({ id }) => id)
        await resumeOf(accountId, ids).catch((error: unknown) => {
          if (isStoreRefusing(error)) throw error
          putOff(ids, 'failed')
          log.warn({ err: error, accountId }, 'checks of an account were not resumed; retrying in a minute')
        })
      }
      return due.length === checksPerRound ? 'again' : undefined
    },
  })
}

/** Resumes the checks whose pause has ended; others stay, as another control plane or a person was first. */
const resumeEnded = async (
  context: EndingContext,
  tx: Transaction,
  accountId: string,
  checkIds: readonly string[],
): Promise<Outcomes> => {
  const nowMs = context.now()
  const checks = await lockChecks(tx, accountId, checkIds)
  const ended = [...checks.values()].filter(
    ({ paused, pausedUntilMs }) => paused && (pausedUntilMs ?? Infinity) <= nowMs,
  )
  const ids = ended.map(({ id }) => id)
  const resumed = await pauseChecks(context, tx, accountId, { checkIds: ids, paused: false, untilMs: null })
  return new Map(checkIds.map((id) => [id, resumed.get(id) ?? 'unchanged']))
}
