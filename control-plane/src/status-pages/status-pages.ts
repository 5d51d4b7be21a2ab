import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { describeStatusPage } from './describe-page.ts'
import { findComponentsOfAccount, findComponents } from '../records/status-page/components-store.ts'
import { readOpenIncidents } from './read-open-incidents.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findActiveWindowsOfAccount, findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'
import {
  findStatusPages,
  findStatusPage,
  countStatusPages,
  insertStatusPage,
  isSlugTaken,
  lockStatusPage,
  updateStatusPage as store,
  deleteStatusPage as remove,
} from '../records/status-page/status-pages-store.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { changed } from '@probe-mesh/runtime/changed'
import { deleteLogo } from '../records/status-page/logos-store.ts'
import { logoUrl, plainLook, type StatusPageRecord } from '../records/status-page/page-record.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { pageOf } from '../accounts/operations/page-of.ts'
import { write } from '../accounts/operations/write.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** The account's status pages, oldest first (S-1705). */
export const listStatusPages = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: RouteInput<'listStatusPages'>,
): Promise<{ statusPages: StatusPage[]; nextCursor: string | null } | Refusal> => {
  const nowMs = context.now()
  const options = { publicUrl: context.rules.publicUrl, nowMs }
  return inAccount(context.sql, accountId, async (tx) => {
    const [pages, components, windows] = await Promise.all([
      findStatusPages(tx, accountId),
      findComponentsOfAccount(tx, accountId),
      findActiveWindowsOfAccount(tx, accountId, nowMs),
    ])
    const incidents = await readOpenIncidents(
      tx,
      pages.map(({ id }) => id),
    )
    const content = { components, windows, incidents }
    const page = pageOf(
      pages.map((each) => describeStatusPage(each, content, options)),
      query,
    )
    return isRefusal(page) ? page : { statusPages: page.entries, nextCursor: page.nextCursor }
  })
}

/** One status page with its current state. */
export const getStatusPage = (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params }: RouteInput<'getStatusPage'>,
): Promise<StatusPage | Refusal> =>
  inAccount(context.sql, accountId, async (tx) => {
    const page = await findStatusPage(tx, accountId, params.id)
    return page === null ? refuse('SV-3001') : readStatusPage(context, tx, page)
  })

/**
 * Creates a status page. Over REST, only the Terraform provider may call this (S-1703). Refused in this
 * order: the limit of the plan SV-4001, a slug that another page has SV-3002.
 */
export const createStatusPage = (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  writer: Writer,
  { body }: RouteInput<'createStatusPage'>,
): Promise<StatusPage | Refusal> => {
  return write(context, writer, createdEntry, async (tx): Promise<StatusPage | Refusal> => {
    // the lock keeps the count below valid until the insert
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const { statusPages } = context.rules.tiers[account.tier]
    if ((await countStatusPages(tx, account.id)) >= statusPages) {
      return refuse('SV-4001', {
        message: `The limit of ${statusPages} status ${statusPages === 1 ? 'page' : 'pages'} of the ${account.tier} plan is reached.`,
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

const createdEntry = {
  action: 'createStatusPage',
  resourceType: 'status_page',
  resourceId: ({ id }: StatusPage) => id,
  answer: (page: StatusPage) => page,
}

/**
 * Changes the given fields of a page. A slug that another page has is SV-3002. A `logo` that is set removes
 * the uploaded one, unless it is its address, as in an answer that is sent back.
 */
export const updateStatusPage = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  writer: Writer,
  { params, body }: RouteInput<'updateStatusPage'>,
): Promise<StatusPage | Refusal> => {
  const { id } = params
  const audit = { action: 'updateStatusPage', resourceType: 'status_page', resourceId: () => id }
  try {
    return await write(context, writer, audit, async (tx): Promise<StatusPage | Refusal> => {
      const page = await lockStatusPage(tx, writer.accountId, id)
      if (page === null) return refuse('SV-3001')
      const isUnchanged = body.logo === undefined || body.logo === logoUrl(context.rules.publicUrl, page)
      const look = isUnchanged ? { ...body, logo: undefined } : { ...body, uploadedLogo: null }
      const next = changed(page, { ...look, updatedAtMs: context.now() })
      if (!isUnchanged && page.uploadedLogo !== null) await deleteLogo(tx, id)
      await store(tx, next)
      return readStatusPage(context, tx, next)
    })
  } catch (error) {
    if (body.slug === undefined || !isSlugTaken(error)) throw error
    return refuseTakenSlug(body.slug)
  }
}

/** Deletes a status page. The last page of an account cannot be deleted: SV-3002 (S-1701). */
export const deleteStatusPage = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'deleteStatusPage'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = { action: 'deleteStatusPage', resourceType: 'status_page', resourceId: () => id }
  return write(context, writer, audit, async (tx) => {
    // serialised, so that two concurrent deletes cannot remove both last pages
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

/** A page with its state, for display or after a write. */
const readStatusPage = async (
  context: Pick<AccountContext, 'rules' | 'now'>,
  db: Connection,
  page: StatusPageRecord,
): Promise<StatusPage> => {
  const nowMs = context.now()
  const [components, windows, incidents] = await Promise.all([
    findComponents(db, [page.id]),
    findActiveWindowsOfPages(db, [page.id], nowMs),
    readOpenIncidents(db, [page.id]),
  ])
  const options = { publicUrl: context.rules.publicUrl, nowMs }
  return describeStatusPage(page, { components, windows, incidents }, options)
}

/** Refuses a taken slug without naming its account. */
const refuseTakenSlug = (slug: string): Refusal => {
  const message = `The slug ${slug} is taken. Choose another.`
  return refuse('SV-3002', { message, errors: [{ path: 'slug', message }] })
}
