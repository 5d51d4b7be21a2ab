import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckWithState } from '../check-record/check-record.ts'
import type { StatusPageRecord } from './page-record.ts'
import { lockCheck } from '../check-record/checks-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { lockStatusPage } from './status-pages-store.ts'

/**
 * A page and a check of the account (S-1501), both locked: neither goes away before what refers to them is
 * written. The check comes first, as for whoever takes flips, who locks the pages that publish theirs after
 * them: nobody waits in a circle. SV-3001 names each that the account does not have; another account's is
 * missing.
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
