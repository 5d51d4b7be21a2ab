import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A status page's longest texts, or ten steps with their bodies, as a form spells them. */
export const formBytesMax = 512 * 1024

const form = 'application/x-www-form-urlencoded'

/**
 * Takes what a form without scripts sends; a name that comes several times keeps all its values, and a file is
 * base64. The route's limit of bytes holds.
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
