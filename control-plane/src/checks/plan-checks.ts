import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { CheckDraft, CheckPlan, DraftRefusal } from '@probe-mesh/contracts/check/check-plan'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findAccount } from '../accounts/accounts-store.ts'
import type { CheckWithState } from '../records/check/check-record.ts'
import { countChecks, findChecksOf } from '../records/check/checks-store.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { refuseBusyChanges, type IntendedChange } from '../targets/refuse-busy-target.ts'
import type { CheckContext } from './check-context.ts'
import { refuseOneMore } from './create-check.ts'
import { judgeDraft } from './judge-draft.ts'

type PlanningContext = Pick<AccountContext, 'sql' | 'rules' | 'now' | 'budgets'> &
  Pick<CheckContext, 'targets'>

/** Drafts judged before other requests have a turn: about 5 ms. */
const draftsPerTurn = 200

/**
 * Judges intended writes of checks by the rules of the writes, each as if those before it had been written, and stores
 * nothing. What other accounts do meanwhile may still change an answer: the limit of a host is theirs as well (S-217).
 */
export const planChecks = async (
  context: PlanningContext,
  caller: Caller,
  { body: { drafts } }: RouteInput<'planChecks'>,
): Promise<CheckPlan | Refusal> => {
  const judged = await inAccount(context.sql, caller.accountId, async (tx) => {
    const account = await findAccount(tx, caller.accountId)
    if (account === null) return null
    const stored = await findChecksOf(tx, account.id, [...new Set(drafts.flatMap(idOf))])
    const { monitors } = context.rules.tiers[account.tier]
    const current = new Map<string, CheckWithState | null>(stored.map((check) => [check.id, check]))
    const refusals: DraftRefusal[] = []
    const changes: IntendedChange[] = []
    const names: (string | null)[] = []
    let count = await countChecks(tx, account.id)
    for (const [index, draft] of drafts.entries()) {
      if (index % draftsPerTurn === draftsPerTurn - 1) await nextTurn()
      const [id] = idOf(draft)
      const before = id === undefined ? null : (current.get(id) ?? null)
      const judgement = await judgeDraft({ ...context, account, writer: caller }, tx, draft, before)
      const name = nameOf(draft, before)
      names.push(name)
      const note = (refusal: Refusal): void => void refusals.push(describe(index, name, refusal))
      if ('refusals' in judgement) judgement.refusals.forEach(note)
      const isOneMore = draft.action === 'create'
      if (isOneMore && count >= monitors) note(refuseOneMore(account, monitors))
      // a refused create counts as well: it is to be corrected, and then there are too many
      if (isOneMore) count += 1
      const isGone = draft.action === 'delete' && 'after' in judgement
      if (isGone) count -= 1
      changes.push('after' in judgement ? { before, after: judgement.after } : { before, after: before })
      if (id !== undefined && 'after' in judgement) {
        current.set(id, draft.action === 'update' ? judgement.after : null)
      }
    }
    return { account, stored, refusals, changes, names }
  })
  if (judged === null) return refuse('SV-1002')
  const { stored, refusals, changes, account, names } = judged
  const busy = await refuseBusyChanges(changes, { account, stored }, context)
  for (const [index, refusal] of busy) refusals.push(describe(index, names[index] ?? null, refusal))
  const left = await context.budgets.left(caller)
  return {
    refusals: refusals.toSorted((one, other) => one.index - other.index),
    writes: {
      needed: drafts.reduce((sum, draft) => sum + writesOf(draft), 0),
      left: left.writes,
      perMinute: context.budgets.perMinute.writes,
      resetSeconds: left.writesResetSeconds,
    },
  }
}

const idOf = (draft: CheckDraft): string[] => (draft.action === 'create' ? [] : [draft.id])

const writesOf = (draft: CheckDraft): number =>
  draft.action === 'update' ? Number(draft.check !== undefined) + Number(draft.assertions !== undefined) : 1

const nameOf = (draft: CheckDraft, before: { name: string } | null): string | null => {
  const named = 'check' in draft ? draft.check?.['name'] : undefined
  return typeof named === 'string' ? named : (before?.name ?? null)
}

const describe = (
  index: number,
  name: string | null,
  { refused, message, errors }: Refusal,
): DraftRefusal => ({
  index,
  name,
  code: refused,
  message,
  errors: [...errors],
})
