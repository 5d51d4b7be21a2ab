import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findCheck } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Writer } from '../operations/context.ts'

/**
 * What a check holds by its type, as it is stored, for whoever edits it.
 * @returns SV-3001 where there is no such check, SV-3002 where only a newer version understands it
 */
export const getCheckConfig = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params }: { params: { id: string } },
): Promise<CheckConfig | Refusal> => {
  const check = await inAccount(sql, accountId, (tx) => findCheck(tx, accountId, params.id))
  if (check === null) return refuse('SV-3001')
  return check.config.type === 'unknown' ? refuse('SV-3002', { message: tooNew }) : check.config
}

const tooNew =
  'A newer version of the control plane wrote this check, and only such a one can show what it holds.'
