import type { BulkResult } from '@probe-mesh/contracts/check/bulk'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Transaction } from '../../stores/postgres/connect.ts'
import type { AccountContext, Writer } from './context.ts'
import { write, type WriteName } from './write.ts'

/** The result for one check. `changed` is the id of the changed resource, for the audit log. */
export type Outcome = { readonly changed: string } | 'unchanged' | Refusal

/** The outcomes of an act, by check id. */
export type Outcomes = ReadonlyMap<string, Outcome>

/** Checks changed in one transaction. Their locks make other writers wait. */
const chunkMax = 100
/** No chunk begins later than this, so that the answer comes before the deadline of the request. */
const beginMsMax = 6_000

/**
 * Acts on many checks, one transaction per chunk. A refused check stays unchanged and stops no other. An act
 * that runs out of time refuses the rest with SV-9002, and its repetition continues there.
 * @param name of the audit entries: each changed resource gets one
 * @param act on one chunk. A refusal of the whole act refuses all checks that are left
 * @returns a refusal only if nothing was changed
 */
export const writeMany = async (
  context: Pick<AccountContext, 'sql' | 'now'> & Partial<Pick<AccountContext, 'onWriteRepeated'>>,
  { accountId, actor }: Writer,
  name: Pick<WriteName<unknown>, 'action' | 'resourceType'>,
  checkIds: readonly string[],
  act: (tx: Transaction, chunk: readonly string[]) => Promise<Outcomes | Refusal>,
): Promise<BulkResult | Refusal> => {
  const untilMs = context.now() + beginMsMax
  const outcomes = new Map<string, Outcome>()
  for (let from = 0; from < checkIds.length; from += chunkMax) {
    const chunk = checkIds.slice(from, from + chunkMax)
    const acted =
      context.now() > untilMs
        ? refuse('SV-9002', { message: outOfTime })
        : await write(context, { accountId, actor }, auditOf(name), (tx) => act(tx, chunk))
    if (!isRefusal(acted)) for (const [checkId, outcome] of acted) outcomes.set(checkId, outcome)
    else if (from === 0) return acted
    else {
      for (const checkId of checkIds.slice(from)) outcomes.set(checkId, acted)
      break
    }
  }
  return bulkResult(checkIds, outcomes)
}

const outOfTime = 'There was no time left for this check. Send the rest of the checks again.'

const auditOf = (name: Pick<WriteName<unknown>, 'action' | 'resourceType'>): WriteName<Outcomes> => ({
  ...name,
  resourceId: (outcomes) => changedResources(outcomes),
})

const changedResources = (outcomes: Outcomes): string[] =>
  [...outcomes.values()].flatMap((outcome) => (isChange(outcome) ? [outcome.changed] : []))

/** Whether an act changed a check. */
export const isChange = (outcome: Outcome | undefined): outcome is { changed: string } =>
  typeof outcome === 'object' && 'changed' in outcome

/** The outcomes in the order of the request; a check without one does not exist. */
export const bulkResult = (checkIds: readonly string[], outcomes: Outcomes): BulkResult => {
  const result: BulkResult = { changed: [], unchanged: [], refusals: [] }
  for (const checkId of checkIds) {
    const outcome = outcomes.get(checkId) ?? noSuchCheck
    if (outcome === 'unchanged') result.unchanged.push(checkId)
    else if (isRefusal(outcome)) {
      result.refusals.push({ checkId, code: outcome.refused, message: outcome.message })
    } else result.changed.push(checkId)
  }
  return result
}

const noSuchCheck = refuse('SV-3001', { message: 'The account has no check with this id.' })
