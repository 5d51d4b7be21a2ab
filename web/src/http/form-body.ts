import type { FastifyInstance } from 'fastify'

/** A status page's longest texts, or ten steps with their bodies, as a form spells them. */
export const formBytesMax = 512 * 1024

/** Takes what a form without scripts sends; a name that comes several times keeps all its values. */
export const acceptForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytesMax },
    (_request, text, done) => done(null, new URLSearchParams(String(text))),
  )
}

/** What was sent; nothing where a form was sent empty. */
export const formOf = (body: unknown): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()
