import type { UpdateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FieldProblem, Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findUnknownIds } from './alert-rules-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** Checks and channels that a rule names and the account does not have, every one of them: SV-2001. */
export const refuseUnknownIds = async (
  connection: Connection,
  accountId: string,
  { checkIds, channelIds }: Pick<UpdateAlertRuleInput, 'checkIds' | 'channelIds'>,
): Promise<Refusal | null> => {
  const named = { checkIds: checkIds ?? [], channelIds: channelIds ?? [] }
  const unknown = await findUnknownIds(connection, accountId, named)
  if (unknown.size === 0) return null
  const problemsOf = (path: 'checkIds' | 'channelIds', what: string): FieldProblem[] =>
    named[path].flatMap((id, index) =>
      unknown.has(id) ? [{ path: `${path}[${index}]`, message: `there is no such ${what}` }] : [],
    )
  return refuse('SV-2001', {
    errors: [...problemsOf('checkIds', 'check'), ...problemsOf('channelIds', 'channel')],
  })
}
