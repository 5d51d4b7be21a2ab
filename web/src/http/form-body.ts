import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Room for a status page's longest texts, or ten steps with their bodies, encoded as a form. */
export const formBytesMax = 512 * 1024

const form = 'application/x-www-form-urlencoded'

/**
 * Parses forms sent without scripts. A repeated name keeps all its values, and a file becomes base64. The
 * byte limit of the route applies.
 */
export const acceptForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: formBytesMax }, (_request, text, done) =>
    done(null, new URLSearchParams(String(text))),
  )
  scope.addContentTypeParser<Buffer<ArrayBuffer>>(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer<ArrayBuffer>) =>
      formWithFiles(String(request.headers['content-type']), body),
  )
}

const formWithFiles = async (type: string, body: Buffer<ArrayBuffer>): Promise<URLSearchParams> => {
  const sent = new Response(body, { headers: { 'content-type': type } })
  const data = await sent.formData().catch(() => {
    throw Object.assign(new Error('The form could not be read.'), { statusCode: 415 })
  })
  const form = new URLSearchParams()
  for (const [name, value] of data) {
    const text = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64')
    form.append(name, text)
  }
  return form
}

/** Accepts any body without reading it. */
export const acceptAnything = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: formBytesMax }, (_request, _body, done) =>
    done(null, undefined),
  )
}

/** The submitted form; empty for an empty body. */
export const formOf = (body: unknown): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

/**
 * Routes with `formsOnly` accept only forms, so one address can accept JSON from programs in the control
 * plane and forms from people.
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
