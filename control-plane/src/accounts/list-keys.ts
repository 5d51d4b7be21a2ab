import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findAccount } from './accounts-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findKeys } from './keys-store.ts'
import type { KeyRecord } from './keys-store.ts'
import type { OperatorContext } from '../operations/context.ts'

/** An account's keys, revoked ones included, by hint only. */
export const listKeys = (
  { sql }: Pick<OperatorContext, 'sql'>,
  { accountId }: { accountId: string },
): Promise<KeyRecord[] | Refusal> =>
  inAccount(sql, accountId, async (tx) =>
    (await findAccount(tx, accountId)) === null ? refuse('SV-3001') : findKeys(tx, accountId),
  )
