import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { readStatusPage } from './read-status-page.ts'

/** One status page with its state as it stands now. */
export const getStatusPage = (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params }: RouteInput<'getStatusPage'>,
): Promise<StatusPage | Refusal> =>
  inAccount(context.sql, accountId, async (tx) => {
    const page = await findStatusPage(tx, accountId, params.id)
    return page === null ? refuse('SV-3001') : readStatusPage(context, tx, page)
  })
