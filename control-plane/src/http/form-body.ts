import type { FastifyInstance } from 'fastify'
import { NotJson } from './refusal-of-error.ts'

/** Far more than any of these forms needs. */
export const formBytesMax = 8 * 1024

/** Takes JSON and what a form without scripts sends; a field sent twice counts once, the last. */
export const acceptForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: formBytesMax } as const
  scope.addContentTypeParser('application/json', options, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)))
    } catch {
      done(new NotJson())
    }
  })
  scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
}
