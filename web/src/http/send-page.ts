import { pageHeaders } from '@probe-mesh/runtime/security-headers'
import type { FastifyReply } from 'fastify'

/**
 * Nothing but this site's own files and forms; no other site may frame a page to steal clicks.
 * @param elsewhere.imageOrigin where one image of the page is, such as a logo; null: nowhere
 * @param elsewhere.frames whether the page frames one of this site
 * @param elsewhere.isFramed whether a page of this site may frame it; else nobody may
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

/** Says of what is sent that it is a page. @param more.cacheControl of one that is for everybody; else nobody keeps it */
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

/** Says of what is sent that it is Markdown, which any site may read. */
export const asMarkdown = (reply: FastifyReply, cacheControl = 'no-store'): FastifyReply =>
  reply
    .header('content-type', 'text/markdown; charset=utf-8')
    .header('access-control-allow-origin', '*')
    .header('cache-control', cacheControl)

/** After a form was taken: the next page is fetched, so that a reload sends nothing twice. */
export const sendElsewhere = (reply: FastifyReply, path: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(path, 303)
