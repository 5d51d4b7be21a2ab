import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { findAccount } from '../postgres/accounts.ts'
import { inAccount } from '../postgres/in-account.ts'
import { findKeys } from '../postgres/keys.ts'
import type { KeyRecord } from '../postgres/keys.ts'
import type { OperatorContext } from './context.ts'

/** An account's keys, revoked ones included, by hint only. */
export const listKeys = (
  { sql }: Pick<OperatorContext, 'sql'>,
  { accountId }: { accountId: string },
): Promise<KeyRecord[] | Refusal> =>
  inAccount(sql, accountId, async (tx) =>
    (await findAccount(tx, accountId)) === null ? refuse('SV-3001') : findKeys(tx, accountId),
  )
