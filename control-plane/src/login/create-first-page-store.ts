import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { plainLook, slugOf } from '../page-record/page-record.ts'
import type { AccountRecord } from '../accounts/accounts-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { insertStatusPage } from '../page-record/status-pages-store.ts'

/**
 * An account has at least one page (S-1701): what makes an account calls this in the same
 * transaction. The slug is the account's name, with the account's id behind it where that is taken.
 * @throws where that is taken as well: an id is used once
 */
export const createFirstPage = async (
  tx: Connection,
  { id: accountId, name, createdAtMs }: AccountRecord,
): Promise<void> => {
  const base = slugOf(name)
  for (const slug of [base, `${base}-${accountId.replaceAll('-', '')}`]) {
    const page = {
      ...plainLook,
      id: uuidv7(createdAtMs),
      accountId,
      name,
      slug,
      createdAtMs,
      updatedAtMs: createdAtMs,
    }
    if (await insertStatusPage(tx, page)) return
  }
  throw new Error(`no slug is free for the first page of the account ${accountId}`)
}
