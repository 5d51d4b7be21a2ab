import { isDeepStrictEqual } from 'node:util'
import type {
  ErrorRule,
  UpdateErrorRuleInput,
} from '@probe-mesh/contracts/error-tracking/error-rule'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeErrorRule } from '../events/alert/error-rule.ts'
import type { ErrorRuleRecord } from '../events/alert/error-rule.ts'
import { changed } from '@probe-mesh/runtime/changed'
import { findErrorRules, lockErrorRule, updateErrorRule as updateRow } from './error-rules-store.ts'
import { closeSpikes } from './error-spikes-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { refuseUnknownOfRule } from './refuse-unknown-of-rule.ts'
import { write } from '../../operations/write.ts'

/**
 * Changes the fields that are given. A rule that counts differently from now on begins anew: what it
 * found of spikes ends without a word. Another account's rule is SV-3001.
 */
export const updateErrorRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: { params: { id: string }; body: UpdateErrorRuleInput },
): Promise<ErrorRule | Refusal> => {
  const { accountId } = writer
  const name = {
    action: 'updateErrorRule',
    resourceType: 'error_rule',
    resourceId: () => params.id,
  }
  const written = await write(context, writer, name, async (tx) => {
    const rule = await lockErrorRule(tx, accountId, params.id)
    if (rule === null) return refuse('SV-3001')
    const unknown = await refuseUnknownOfRule(tx, accountId, body)
    if (unknown !== null) return unknown
    const next = changed(rule, body)
    await updateRow(tx, next, context.now())
    if (!isDeepStrictEqual(countedBy(rule), countedBy(next))) {
      await closeSpikes(tx, rule.id, context.now())
    }
    return (await findErrorRules(tx, accountId)).find((each) => each.rule.id === rule.id) ?? null
  })
  if (written === null) return refuse('SV-3001')
  return isRefusal(written) ? written : describeErrorRule(written.rule, written)
}

/** What decides whether there is a spike. */
const countedBy = ({ enabled, events, spike, projectIds }: ErrorRuleRecord) => ({
  looks: enabled && events.includes('spike'),
  spike,
  projectIds: projectIds?.toSorted() ?? null,
})
