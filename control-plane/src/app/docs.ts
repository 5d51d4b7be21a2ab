import { hash } from 'node:crypto'
import { pageHeaders } from '@probe-mesh/runtime/security-headers'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { docsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'

/** `/v1/openapi.json` and `/docs`, each generated once. */
export const bindDocs = (app: FastifyInstance, config: Pick<Config, 'publicUrl'>): void => {
  const apiUrl = config.publicUrl + apiPrefix
  const document = JSON.stringify(openApiDocument(apiUrl))
  const page = docsPage(apiUrl)
  // exactly as on the page, including white space
  const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? ''
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

  app.get(`${apiPrefix}/openapi.json`, (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('access-control-allow-origin', '*')
      .send(document),
  )
  app.get('/docs', (_request, reply) =>
    reply
      .headers(pageHeaders)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .send(page),
  )
}
