import { PublicPageParams } from '@probe-mesh/contracts/subscriber/subscriber'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { logoTypes, type LogoExtension } from '@probe-mesh/contracts/status-page/logo'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import type { FastifyInstance } from 'fastify'
import { sendRefusal } from '../../http/send-refusal.ts'
import { findLogoImage } from '../../records/status-page/logos-store.ts'
import type { PublicContext } from '../../subscribers/context.ts'
import { allowAnyOrigin, refuseUnknownPage } from '../../http/public-document.ts'
import type { DocumentCache } from './public-pages.ts'

/** An image is read at most once in this time, for all visitors. */
const imageAgeMsMax = 60_000
/** Each at most half a megabyte. Unknown addresses are cached like images. */
const imagesMax = 40
const answerMsMax = 10_000

/**
 * Serves uploaded logos. The address changes with the image, so clients may cache it forever. The policy
 * forbids scripts, however a client interprets the image.
 */
export const bindPublicLogos = (
  app: FastifyInstance,
  { sql, now }: Pick<PublicContext, 'sql' | 'now'>,
): DocumentCache => {
  const images = createExpiringCache<{ bytes: Uint8Array | null }>({
    now,
    ageMsMax: imageAgeMsMax,
    entriesMax: imagesMax,
  })
  const imageOf = async (slug: string, name: LogoName): Promise<Uint8Array | null> => {
    const key = `${slug} ${name.hash}.${name.type}`
    const known = images.peek(key)
    if (known !== undefined) return known.bytes
    const read = images.load(key, '', async () => {
      const bytes = await findLogoImage(sql, slug, name)
      return { keep: { bytes }, value: bytes }
    })
    return withDeadline(read, answerMsMax)
  }
  app.get('/status/:slug/logo-:file', async (request, reply) => {
    const params = PublicPageParams.safeParse(request.params)
    const name = nameOf((request.params as { file: string }).file)
    const bytes = params.success && name !== null ? await imageOf(params.data.slug, name) : null
    if (bytes === null || name === null) return sendRefusal(allowAnyOrigin(reply), refuseUnknownPage)
    const etag = `"${name.hash}"`
    allowAnyOrigin(reply).headers({
      etag,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline',
      'cross-origin-resource-policy': 'cross-origin',
    })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.header('content-type', logoTypes[name.type]).send(bytes)
  })
  return { clear: images.clear }
}

type LogoName = { hash: string; type: LogoExtension }

const nameOf = (file: string): LogoName | null => {
  const [, hash, type] = /^([\w-]{22})\.(png|jpg|webp)$/.exec(file) ?? []
  return hash === undefined || type === undefined ? null : { hash, type: type as LogoExtension }
}
