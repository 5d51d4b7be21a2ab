import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { plainLook, slugOf } from '../records/status-page/page-record.ts'
import type { AccountRecord } from '../accounts/accounts-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { insertStatusPage } from '../records/status-page/status-pages-store.ts'

/**
 * Creates the first page of an account, in the transaction that creates the account (S-1701). The slug is the
 * account's name, followed by the account's id if the name is in use.
 * @throws if both slugs are in use
 */
export const createFirstPage = async (
  db: Connection,
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
    if (await insertStatusPage(db, page)) return
  }
  throw new Error(`no slug is free for the first page of the account ${accountId}`)
}
