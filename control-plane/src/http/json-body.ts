import { limits } from '@probe-mesh/contracts/schema/limits'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import type { FastifyInstance } from 'fastify'
import { NotJson } from './refusal-of-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent; empty where none was. */
    bodyText: string
  }
}

/**
 * Takes application/json and nothing else. A body without content counts as none, so that clients
 * which always send the header may call routes without a body.
 */
export const acceptJsonOnly = (app: FastifyInstance): void => {
  app.decorateRequest('bodyText', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: limits.requestBodyBytesMax },
    (request, text, done) => {
      const content = String(text)
      request.bodyText = content
      if (content.trim() === '') return done(null, undefined)
      try {
        done(null, parseForeignJson(content))
      } catch (error) {
        done(new NotJson(error))
      }
    },
  )
}
