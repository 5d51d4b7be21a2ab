import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { changed } from '@probe-mesh/runtime/changed'
import {
  isSlugTaken,
  lockStatusPage,
  updateStatusPage as store,
} from '../page-record/status-pages-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { readStatusPage } from './read-status-page.ts'
import { refuseTakenSlug } from './refuse-taken-slug.ts'
import { write } from '../operations/write.ts'

/** Changes what a page shows of itself; what is left out stays. A slug that any page has is SV-3002. */
export const updateStatusPage = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  writer: Writer,
  { params, body }: RouteInput<'updateStatusPage'>,
): Promise<StatusPage | Refusal> => {
  const { id } = params
  const name = { action: 'updateStatusPage', resourceType: 'status_page', resourceId: () => id }
  try {
    return await write(context, writer, name, async (tx): Promise<StatusPage | Refusal> => {
      const page = await lockStatusPage(tx, writer.accountId, id)
      if (page === null) return refuse('SV-3001')
      const next = changed(page, { ...body, updatedAtMs: context.now() })
      await store(tx, next)
      return readStatusPage(context, tx, next)
    })
  } catch (error) {
    if (body.slug === undefined || !isSlugTaken(error)) throw error
    return refuseTakenSlug(body.slug)
  }
}
