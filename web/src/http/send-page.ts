import type { FastifyReply } from 'fastify'

/** Nothing but this site's own files and forms; nobody frames a page to steal its clicks. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** @param cacheControl of a page that is the same for everybody; else nobody keeps it */
export const sendPage = (
  reply: FastifyReply,
  page: string,
  cacheControl = 'no-store',
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
