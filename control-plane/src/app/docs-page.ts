import { hash } from 'node:crypto'
import { pageHeaders } from '@probe-mesh/runtime/security-headers'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { openApiDocument } from './openapi.ts'
import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { eventsRoute, routes } from '@probe-mesh/contracts/api/routes'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswerRoute } from '@probe-mesh/contracts/outage/answer-routes'
import { html, textOf } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { z } from 'zod'
import { answerCodes, routeCodes } from './route-codes.ts'

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

/** The page's only style, inline: the page loads nothing else. */
const docsStyle = `
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; color: CanvasText; background: Canvas }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
h2 { margin-top: 2.5rem; border-bottom: 1px solid; padding-bottom: .25rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
caption { text-align: left; font-weight: 600; padding: .5rem 0 }
th, td { border: 1px solid; padding: .25rem .5rem; text-align: left; vertical-align: top }
.skip:not(:focus) { position: absolute; left: -999rem }
`

/** `/docs`: all routes and codes on one page, generated from the tables that the code uses. */
export const docsPage = (apiUrl: string): string => {
  const keyed = [...Object.entries<Route>(routes), ['streamEvents', eventsRoute] as const]
  const all: Section[] = [
    ...keyed.map(([name, route]) => keyedSection(name, route)),
    ...Object.entries<AnswerRoute>(answerRoutes).map(([name, route]) => openSection(name, route)),
  ]
  return textOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>Probe Mesh REST API</title>
          <style>
            ${docsStyle}
          </style>
        </head>
        <body>
          <a class="skip" href="#content">Skip to the routes</a>
          <header>
            <h1>Probe Mesh REST API</h1>
            <p>
              Root: <code>${apiUrl}</code>. Send <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Routes
              below <code>/public</code> need no key. The machine-readable description is
              <a href="/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).
            </p>
            <pre><code>curl -H "Authorization: Bearer $SERVICE_API_KEY" ${apiUrl}/checks</code></pre>
          </header>
          <nav aria-label="Routes">
            <ul>
              ${all.map((section) => html`<li><a href="#${section.name}">${heading(section)}</a></li> `)}
              <li><a href="#errors">Errors</a></li>
            </ul>
          </nav>
          <main id="content">${all.map(routeSection)} ${errorSection()}</main>
        </body>
      </html> `,
  )
}

/** A route of either table, for the page. */
type Section = Pick<Route, 'method' | 'path' | 'summary' | 'params' | 'query' | 'body'> & {
  name: string
  terms: Html
  codes: readonly string[]
}

const keyedSection = (name: string, route: Route): Section => ({
  ...route,
  name,
  terms: html`Scope: ${route.scope}. Budget: ${route.budget}. Answers ${route.success}.${headerText(route)}`,
  codes: routeCodes(route),
})

const openSection = (name: string, route: AnswerRoute): Section => ({
  ...route,
  name,
  path: answersPath + route.path,
  terms: html`No key. Budget: keyless, for each address. Answers ${route.success}.`,
  codes: answerCodes(route),
})

const heading = (section: Section): Html => html`<code>${section.method} ${section.path}</code>`

const routeSection = (section: Section): Html =>
  html`<section aria-labelledby="${section.name}">
    <h2 id="${section.name}">${heading(section)}</h2>
    <p>${section.summary}.</p>
    <p>${section.terms}</p>
    ${fieldTable('Path', section.params)}${fieldTable('Query', section.query)}${fieldTable('Body', section.body)}
    <p>
      Error codes: ${section.codes.map((code, at) => html`${at > 0 && ', '}<a href="#${code}">${code}</a>`)}.
    </p>
  </section> `

const headerText = (route: Route): Html =>
  html`${
    route.client !== undefined &&
    html` Only with <code>Service-Client: ${route.client}/&lt;version&gt;</code>.`
  }${route.method === 'POST' && html` May be sent with <code>Idempotency-Key</code>.`}`

type JsonSchema = z.core.JSONSchema._JSONSchema
type ObjectSchema = Exclude<JsonSchema, boolean>

/** A table of fields. A union has one for each variant, named by its constant fields. */
const fieldTable = (where: string, schema: z.ZodType | undefined): Html => {
  if (schema === undefined) return html``
  const { oneOf, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const tables = (oneOf ?? [whole])
    .filter((variant) => typeof variant === 'object')
    .map((variant) => variantTable(where, variant))
  return html`${tables}`
}

const variantTable = (where: string, { properties = {}, required = [] }: ObjectSchema): Html => {
  const fields = Object.entries(properties)
  const constants = fields.flatMap(([field, type]) =>
    typeof type === 'object' && type.const !== undefined && required.includes(field)
      ? [`${field} ${typeText(type)}`]
      : [],
  )
  const rows = fields.map(
    ([field, type]) =>
      html`<tr>
        <th scope="row"><code>${field}</code></th>
        <td>${typeText(type)}</td>
        <td>${required.includes(field) ? 'required' : 'optional'}</td>
      </tr> `,
  )
  return html`<table>
    <caption>
      ${[where, ...constants].join(', ')}
    </caption>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type</th>
        <th scope="col">Required</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table> `
}

/** A short text for a JSON schema. */
const typeText = (schema: JsonSchema): string => {
  if (typeof schema === 'boolean') return 'anything'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ')
  if (schema.type === 'array') {
    const items = Array.isArray(schema.items) ? schema.items[0] : schema.items
    return `list of ${items === undefined ? 'anything' : typeText(items)}`
  }
  if (schema.properties !== undefined) return objectText(schema)
  const range = [
    schema.minimum === undefined ? '' : ` from ${schema.minimum}`,
    schema.maximum === undefined ? '' : ` to ${schema.maximum}`,
    schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`,
    schema.format === undefined ? '' : ` (${schema.format})`,
  ].join('')
  return `${[schema.type ?? 'anything'].flat().join(' or ')}${range}`
}

const objectText = ({ properties = {}, required = [] }: ObjectSchema): string => {
  const fields = Object.keys(properties).map((field) =>
    required.includes(field) ? field : `${field} (optional)`,
  )
  return `object of ${fields.join(', ')}`
}

const errorSection = (): Html =>
  html`<section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Refusals are <code>application/problem+json</code> (RFC 9457) with <code>code</code>,
      <code>message</code> and <code>errors</code>, which lists every problem of an input at once.
    </p>
    <table>
      <caption>
        Codes
      </caption>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">HTTP</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(refusals).map(
          ([code, row]) =>
            html`<tr id="${code}">
              <th scope="row">${code}</th>
              <td>${row.status}</td>
              <td>${row.message}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`
