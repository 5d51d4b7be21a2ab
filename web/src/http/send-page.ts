import type { FastifyReply } from 'fastify'

/**
 * Nothing but this site's own files and forms; nobody frames a page to steal its clicks.
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
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:${imageOrigin === null ? '' : ` ${imageOrigin}`}; connect-src 'self'; base-uri 'none'; form-action 'self'${frames ? "; frame-src 'self'" : ''}; frame-ancestors ${isFramed ? "'self'" : "'none'"}`

export const ownPolicy = policyOf({ imageOrigin: null })

/** @param more.cacheControl of a page that is the same for everybody; else nobody keeps it */
export const sendPage = (
  reply: FastifyReply,
  page: string,
  {
    cacheControl = 'no-store',
    policy = ownPolicy,
  }: { cacheControl?: string; policy?: string } = {},
): FastifyReply =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .header('cache-control', cacheControl)
    .send(page)

/** After a form was taken: the next page is fetched, so that a reload sends nothing twice. */
export const sendElsewhere = (reply: FastifyReply, path: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(path, 303)
