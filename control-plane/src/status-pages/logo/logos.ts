import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { logoTypes, type PageLogo, type UploadLogoInput } from '@probe-mesh/contracts/status-page/logo'
import { deleteLogo as remove, upsertLogo } from '../../records/status-page/logos-store.ts'
import { logoPath, type StatusPageRecord } from '../../records/status-page/page-record.ts'
import {
  findStatusPage,
  lockStatusPage,
  touchStatusPage,
} from '../../records/status-page/status-pages-store.ts'
import type { AccountContext, Caller, Writer } from '../../accounts/operations/context.ts'
import { write } from '../../accounts/operations/write.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { LogoEncoder } from './logo-encoder.ts'

type LogoContext = Pick<AccountContext, 'sql' | 'now' | 'rules'>
type OfPage = { logo: PageLogo | null }
type Input = { params: { id: string } }

/** The uploaded logo of a page. */
export const getLogo = (
  context: LogoContext,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: Input,
): Promise<OfPage | Refusal> =>
  inAccount(context.sql, accountId, async (tx) => {
    const page = await findStatusPage(tx, accountId, id)
    return page === null ? refuse('SV-3001') : describeLogo(context, page)
  })

/**
 * Stores an uploaded logo for the page. Refused in this order: a page that is not the account's SV-3001, no
 * turn to decode it SV-9002, an invalid file SV-2001.
 */
export const uploadLogo = async (
  context: LogoContext & { logos: LogoEncoder },
  writer: Writer,
  { params: { id }, body }: Input & { body: UploadLogoInput },
): Promise<OfPage | Refusal> => {
  const { accountId } = writer
  const own = await inAccount(context.sql, accountId, (tx) => findStatusPage(tx, accountId, id))
  if (own === null) return refuse('SV-3001')
  const logo = await context.logos.encode(accountId, Buffer.from(body.image, 'base64'))
  if (isRefusal(logo)) return logo
  return write(context, writer, entryOf('uploadLogo', id), async (tx) => {
    const page = await lockStatusPage(tx, accountId, id)
    if (page === null) return refuse('SV-3001')
    const nowMs = context.now()
    await upsertLogo(tx, page, logo, nowMs)
    await touchStatusPage(tx, id, nowMs)
    return describeLogo(context, { ...page, uploadedLogo: { ...logo, size: logo.bytes.length } })
  })
}

/** Deletes the uploaded logo. A page without one is not an error. */
export const deleteLogo = (
  context: LogoContext,
  writer: Writer,
  { params: { id } }: Input,
): Promise<OfPage | Refusal> =>
  write(context, writer, entryOf('deleteLogo', id), async (tx) => {
    if ((await lockStatusPage(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    await remove(tx, id)
    await touchStatusPage(tx, id, context.now())
    return { logo: null }
  })

const entryOf = (action: string, id: string) => ({
  action,
  resourceType: 'status_page',
  resourceId: () => id,
})

const describeLogo = (
  { rules }: Pick<LogoContext, 'rules'>,
  { slug, uploadedLogo }: Pick<StatusPageRecord, 'slug' | 'uploadedLogo'>,
): OfPage => {
  if (uploadedLogo === null) return { logo: null }
  const { type, width, height, size } = uploadedLogo
  const path = logoPath(slug, uploadedLogo)
  return {
    logo: { url: `${rules.publicUrl}${path}`, path, type: logoTypes[type], width, height, bytes: size },
  }
}
