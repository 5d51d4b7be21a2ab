import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import type { FastifyInstance } from 'fastify'
import { encodeAnswer } from '../http/encode-answer.ts'
import type { Config } from './config.ts'
import { openApiDocument } from '../documents/openapi.ts'

/**
 * `/v1/openapi.json`. It is written at the first request, since it takes longer than the rest of the start.
 * The pages at `/docs/api` show the same for people (`web`).
 */
export const bindOpenApi = (app: FastifyInstance, config: Pick<Config, 'publicUrl'>): void => {
  let document: string | undefined
  app.get(`${apiPrefix}/openapi.json`, { onSend: encodeAnswer }, (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('access-control-allow-origin', '*')
      .header('cache-control', 'public, no-cache')
      .send((document ??= JSON.stringify(openApiDocument(config.publicUrl + apiPrefix)))),
  )
}
