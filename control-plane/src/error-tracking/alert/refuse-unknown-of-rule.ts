import type { UpdateErrorRuleInput } from '@probe-mesh/contracts/error-tracking/error-rule'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FieldProblem, Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Connection } from '../../stores/postgres/connect.ts'
import { findUnknownOfRule } from './error-rules-store.ts'

/** Projects and channels that a rule names and the account does not have, every one of them: SV-2001. */
export const refuseUnknownOfRule = async (
  connection: Connection,
  accountId: string,
  { projectIds, channelIds }: Pick<UpdateErrorRuleInput, 'projectIds' | 'channelIds'>,
): Promise<Refusal | null> => {
  const named = { projectIds: projectIds ?? [], channelIds: channelIds ?? [] }
  const unknown = await findUnknownOfRule(connection, accountId, named)
  if (unknown.size === 0) return null
  const problemsOf = (path: 'projectIds' | 'channelIds', what: string): FieldProblem[] =>
    named[path].flatMap((id, index) =>
      unknown.has(id) ? [{ path: `${path}[${index}]`, message: `there is no such ${what}` }] : [],
    )
  return refuse('SV-2001', {
    errors: [...problemsOf('projectIds', 'project'), ...problemsOf('channelIds', 'channel')],
  })
}
