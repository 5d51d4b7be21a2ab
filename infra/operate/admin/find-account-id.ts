import type { OperatorContext } from '@probe-mesh/control-plane/accounts/operations/context'
import { listAccounts } from '@probe-mesh/control-plane/accounts/manage-accounts'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'

/** Finds an account by its id or by the address of its first user. */
export const findAccountId = async (context: OperatorContext, text: string): Promise<string | Refusal> => {
  const id = Uuid.safeParse(text)
  const accounts = await listAccounts(context)
  const found = accounts.find((account) =>
    id.success ? account.id === id.data : account.email?.toLowerCase() === text.toLowerCase(),
  )
  return (
    found?.id ??
    refuse('SV-3001', {
      message: `There is no account ${text}. "account list" shows the accounts.`,
    })
  )
}
