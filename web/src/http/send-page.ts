import type { FastifyReply } from 'fastify'

/**
 * Nothing but this site's own files and forms; nobody frames a page to steal its clicks.
 * @param elsewhere.imageOrigin where one image of the page is, such as a logo; null: nowhere
 */
export const policyOf = ({ imageOrigin }: { imageOrigin: string | null }): string =>
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:${imageOrigin === null ? '' : ` ${imageOrigin}`}; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

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
