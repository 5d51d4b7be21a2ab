import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { CheckWithState } from '../checks/check-record.ts'
import type { StatusPageRecord } from '../pages/page-record.ts'
import { lockCheck } from '../postgres/checks.ts'
import type { Transaction } from '../postgres/connect.ts'
import { lockStatusPage } from '../postgres/status-pages.ts'

/**
 * "Own status page and own check" (specification), both locked: neither goes away before what refers to
 * them is written. The check comes first, as for whoever takes flips, who locks the pages that publish
 * theirs after them, and then waits for no check that is locked here: nobody waits in a circle.
 * SV-3001 names each that the account does not have; another account's is missing.
 */
export const lockPageAndCheck = async (
  transaction: Transaction,
  accountId: string,
  { statusPageId, checkId }: { statusPageId: string; checkId: string },
): Promise<{ page: StatusPageRecord; check: CheckWithState } | Refusal> => {
  const check = await lockCheck(transaction, accountId, checkId)
  const page = await lockStatusPage(transaction, accountId, statusPageId)
  if (page !== null && check !== null) return { page, check }
  return refuse('SV-3001', {
    errors: [
      ...(page === null ? [{ path: 'statusPageId', message: 'no such status page' }] : []),
      ...(check === null ? [{ path: 'checkId', message: 'no such check' }] : []),
    ],
  })
}
