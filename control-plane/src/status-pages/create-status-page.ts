import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { changed } from '@probe-mesh/runtime/changed'
import { plainLook } from '../page-record/page-record.ts'
import type { StatusPageRecord } from '../page-record/page-record.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { countStatusPages, insertStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { readStatusPage } from './read-status-page.ts'
import { refuseTakenSlug } from './refuse-taken-slug.ts'
import { write } from '../operations/write.ts'

/**
 * Over REST the Terraform provider alone may call this (S-1703). Refused in this order: the tier's
 * allowance SV-4001, a slug that any page has SV-3002.
 */
export const createStatusPage = (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  writer: Writer,
  { body }: RouteInput<'createStatusPage'>,
): Promise<StatusPage | Refusal> => {
  return write(context, writer, noted, async (tx): Promise<StatusPage | Refusal> => {
    // the lock makes the count below hold until the insert: creates of one account wait in line
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const { statusPages } = context.rules.tiers[account.tier]
    if ((await countStatusPages(tx, account.id)) >= statusPages) {
      return refuse('SV-4001', {
        message: `The ${account.tier} tier allows ${statusPages} status pages, and the account has as many.`,
      })
    }
    const nowMs = context.now()
    const { name, slug, ...look } = body
    const page: StatusPageRecord = {
      ...changed(plainLook, look),
      name,
      slug,
      id: uuidv7(nowMs),
      accountId: account.id,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    if (!(await insertStatusPage(tx, page))) return refuseTakenSlug(page.slug)
    return readStatusPage(context, tx, page)
  })
}

const noted = {
  action: 'createStatusPage',
  resourceType: 'status_page',
  resourceId: ({ id }: StatusPage) => id,
  answer: (page: StatusPage) => page,
}
