import { findAccounts } from '../postgres/accounts.ts'
import type { AccountRecord } from '../postgres/accounts.ts'
import type { OperatorContext } from './context.ts'

/** An operator's act: every account with the address of its first user. */
export const listAccounts = (
  context: OperatorContext,
): Promise<(AccountRecord & { email: string | null })[]> => findAccounts(context.sql)
