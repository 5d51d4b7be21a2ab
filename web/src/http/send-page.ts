import { pageHeaders } from '@probe-mesh/runtime/security-headers'
import type { FastifyReply } from 'fastify'

/**
 * Allows only this site's files and forms; no other site may frame a page to steal clicks.
 * @param elsewhere.imageOrigin the origin of one image of the page, such as a logo; null: none
 * @param elsewhere.frames whether the page frames a page of this site
 * @param elsewhere.isFramed whether a page of this site may frame it; default: no
 */
export const policyOf = ({
  imageOrigin,
  frames = false,
  isFramed = false,
}: {
  imageOrigin: string | null
  frames?: boolean
  isFramed?: boolean
}): string =>
  `default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src 'self' data:${imageOrigin === null ? '' : ` ${imageOrigin}`}; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'${frames ? "; frame-src 'self'" : ''}; frame-ancestors ${isFramed ? "'self'" : "'none'"}`

const ownPolicy = policyOf({ imageOrigin: null })

type Caching = { cacheControl?: string; policy?: string }

/** Marks an answer as a page. @param more.cacheControl of a public page; default: no caching */
export const asPage = (
  reply: FastifyReply,
  { cacheControl = 'no-store', policy = ownPolicy }: Caching = {},
): FastifyReply =>
  reply
    .headers(pageHeaders)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('cache-control', cacheControl)

export const sendPage = (reply: FastifyReply, page: string, more?: Caching): FastifyReply =>
  asPage(reply, more).send(page)

/** Marks an answer as Markdown, which any site may read. */
export const asMarkdown = (reply: FastifyReply, cacheControl = 'no-store'): FastifyReply =>
  reply
    .header('content-type', 'text/markdown; charset=utf-8')
    .header('access-control-allow-origin', '*')
    .header('cache-control', cacheControl)

/** Redirects after a form, so that a reload sends nothing twice. */
export const sendElsewhere = (reply: FastifyReply, path: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(path, 303)
