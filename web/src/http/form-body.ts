import type { FastifyInstance } from 'fastify'

/** A status page's longest texts, or ten steps with their bodies, as a form spells them. */
export const formBytesMax = 512 * 1024

const form = 'application/x-www-form-urlencoded'

/** Takes what a form without scripts sends; a name that comes several times keeps all its values. */
export const acceptForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: formBytesMax }, (_request, text, done) =>
    done(null, new URLSearchParams(String(text))),
  )
}

/** Takes whatever is sent, and reads none of it. */
export const acceptAnything = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: formBytesMax }, (_request, _body, done) =>
    done(null, undefined),
  )
}

/** What was sent; nothing where a form was sent empty. */
export const formOf = (body: unknown): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

/**
 * Routes that have `formsOnly` take forms and nothing else, so that an address at which the control
 * plane takes JSON of programs takes a form of people as well.
 */
export const routeForms = (scope: FastifyInstance): void => {
  if (scope.hasConstraintStrategy('sent')) return
  scope.addConstraintStrategy({
    name: 'sent',
    storage: () => new Map(),
    deriveConstraint: ({ headers }) =>
      headers['content-type']?.toLowerCase().startsWith(form) === true ? form : undefined,
  })
}
export const formsOnly = { sent: form } as const
