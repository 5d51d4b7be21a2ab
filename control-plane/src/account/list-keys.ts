import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { findAccount } from '../postgres/accounts.ts'
import { findKeys } from '../postgres/keys.ts'
import type { KeyRecord } from '../postgres/keys.ts'
import type { OperatorContext } from './context.ts'

/** An operator's act: an account's keys, revoked ones included, by hint only. */
export const listKeys = async (
  context: OperatorContext,
  input: { accountId: string },
): Promise<KeyRecord[] | Refusal> =>
  (await findAccount(context.sql, input.accountId)) === null
    ? refuse('SV-3001')
    : findKeys(context.sql, input.accountId)
