import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { describeStatusPage } from './describe-page.ts'
import { findComponentsOfAccount } from '../page-record/components-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findActiveWindowsOfAccount } from '../maintenance/maintenance-store.ts'
import { findStatusPages } from '../page-record/status-pages-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/** The account's status pages, oldest first (S-1705). */
export const listStatusPages = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<{ statusPages: StatusPage[] }> => {
  const nowMs = context.now()
  const [pages, components, windows] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([
      findStatusPages(tx, accountId),
      findComponentsOfAccount(tx, accountId),
      findActiveWindowsOfAccount(tx, accountId, nowMs),
    ]),
  )
  const said = { publicUrl: context.rules.publicUrl, nowMs }
  return {
    statusPages: pages.map((page) => describeStatusPage(page, components, windows, said)),
  }
}
