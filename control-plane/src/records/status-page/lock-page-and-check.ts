import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckWithState } from '../check/check-record.ts'
import type { StatusPageRecord } from './page-record.ts'
import { lockCheck } from '../check/checks-store.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { lockStatusPage } from './status-pages-store.ts'

/**
 * Locks a page and a check of the account (S-1501), so that neither is deleted before the rows that refer to
 * them are written. The check is locked first: a batch of flips locks the pages that publish its checks, and
 * then waits for no check that is locked here. SV-3001 names each one that is unknown or of another account.
 */
export const lockPageAndCheck = async (
  tx: Transaction,
  accountId: string,
  { statusPageId, checkId }: { statusPageId: string; checkId: string },
): Promise<{ page: StatusPageRecord; check: CheckWithState } | Refusal> => {
  const check = await lockCheck(tx, accountId, checkId)
  const page = await lockStatusPage(tx, accountId, statusPageId)
  if (page !== null && check !== null) return { page, check }
  return refuse('SV-3001', {
    errors: [
      ...(page === null ? [{ path: 'statusPageId', message: 'no such status page' }] : []),
      ...(check === null ? [{ path: 'checkId', message: 'no such check' }] : []),
    ],
  })
}
