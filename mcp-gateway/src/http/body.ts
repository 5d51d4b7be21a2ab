import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import type { FastifyInstance } from 'fastify'

/** A body that is no JSON: a protocol error, not Fastify's. */
export class NotJson extends Error {}

/** Takes application/json and nothing else. */
export const parseJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    let body: unknown
    try {
      body = parseForeignJson(String(text))
    } catch {
      return done(new NotJson())
    }
    done(null, body)
  })
}
