import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { lockAccount } from '../accounts/accounts-store.ts'
import {
  countStatusPages,
  deleteStatusPage as remove,
  findStatusPage,
} from '../page-record/status-pages-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/** The last page of an account stays: SV-3002 (S-1701). */
export const deleteStatusPage = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'deleteStatusPage'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = { action: 'deleteStatusPage', resourceType: 'status_page', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    // one after another: of two pages deleted at once the second to come is the last
    await lockAccount(tx, writer.accountId)
    if ((await findStatusPage(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    if ((await countStatusPages(tx, writer.accountId)) <= 1) {
      return refuse('SV-3002', {
        message: "This is the account's last status page, and an account has at least one.",
      })
    }
    await remove(tx, writer.accountId, id)
    return { id, deleted: true } as const
  })
}
