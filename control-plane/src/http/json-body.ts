import { limits } from '@probe-mesh/contracts/schema/limits'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import type { FastifyInstance } from 'fastify'
import { NotJson } from './refusal-of-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The unparsed body; empty without a body. */
    bodyText: string
  }
}

/**
 * Accepts only application/json. An empty body counts as none, for clients that always send the header.
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
