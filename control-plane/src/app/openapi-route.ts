import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import type { FastifyInstance } from 'fastify'
import { encodeAnswer } from '../http/encode-answer.ts'
import type { Config } from './config.ts'
import { openApiDocument } from './openapi.ts'

/** `/v1/openapi.json`, written once. The pages at `/docs/api` show the same for people (`web`). */
export const bindOpenApi = (app: FastifyInstance, config: Pick<Config, 'publicUrl'>): void => {
  const document = JSON.stringify(openApiDocument(config.publicUrl + apiPrefix))
  app.get(`${apiPrefix}/openapi.json`, { onSend: encodeAnswer }, (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('access-control-allow-origin', '*')
      .header('cache-control', 'public, no-cache')
      .send(document),
  )
}
