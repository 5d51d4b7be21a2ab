import { findAccounts, catalogAccountId } from './accounts-store.ts'
import type { ListedAccount } from './accounts-store.ts'
import type { OperatorContext } from '../operations/context.ts'

/**
 * An operator's act: every account with the address of its first user. The catalog's is left out: it
 * is nobody's, and whoever looks an account up here can do nothing to it.
 */
export const listAccounts = async (context: OperatorContext): Promise<ListedAccount[]> => {
  const accounts = await findAccounts(context.sql)
  return accounts.filter(({ id }) => id !== catalogAccountId)
}
