import { readFile } from 'node:fs/promises'
import { eventsRoute, metricsRoute, routes } from '@probe-mesh/contracts/api/routes'
import { answerRoutes, type AnswerRoute } from '@probe-mesh/contracts/outage/answer-routes'
import { describe, expect, test } from 'vitest'
import { errorTable } from '../documents/error-table.ts'
import { withPoolTable } from '../documents/pool-table.ts'
import { tierTable } from '../documents/tier-table.ts'
import { useTestApp } from './testing/test-app.ts'

const documents = new URL('../../../docs/', import.meta.url)

const at = useTestApp()

/** Every value under a key of this name, anywhere in a document. */
const valuesOf = (document: unknown, key: string): unknown[] =>
  typeof document === 'object' && document !== null
    ? Object.entries(document).flatMap(([name, value]) => [
        ...(name === key ? [value] : []),
        ...valuesOf(value, key),
      ])
    : []

describe('the generated documents are current: otherwise run `npm run docs`', () => {
  test('docs/errors.md', async () => {
    expect(await readFile(new URL('errors.md', documents), 'utf8')).toBe(errorTable())
  })

  test('docs/tiers.md', async () => {
    expect(await readFile(new URL('tiers.md', documents), 'utf8')).toBe(tierTable())
  })

  test('the pools in docs/overload.md', async () => {
    const text = await readFile(new URL('overload.md', documents), 'utf8')
    expect(text).toBe(withPoolTable(text))
  })
})

describe('/v1/openapi.json', () => {
  test('describes every route and resolves every reference', async () => {
    const { json } = await at.call('GET', '/v1/openapi.json')
    expect(json.openapi).toMatch(/^3\.1\./)
    expect(json.servers).toEqual([{ url: 'http://127.0.0.1:8080/v1' }])
    for (const route of [...Object.values(routes), eventsRoute, metricsRoute]) {
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      const operation = json.paths[path]?.[route.method.toLowerCase()]
      expect(operation, `${route.method} ${path}`).toMatchObject({ summary: route.summary })
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining([String(route.success), '401', '403', '422', '429', '500', '503']),
      )
    }
    const references = valuesOf(json, '$ref')
    expect(references.length).toBeGreaterThan(50)
    for (const reference of references) {
      const parts = String(reference).split('/').slice(1)
      const target = parts.reduce((value, part) => value?.[part], json)
      expect(target, String(reference)).toBeDefined()
      expect(target).not.toEqual({ $ref: reference })
    }
  })
})

describe('the routes without a key in /v1/openapi.json', () => {
  test.each(Object.entries<AnswerRoute>(answerRoutes))(
    '%s needs no key, and lists its refusals and budget headers',
    async (name, route) => {
      const { json } = await at.call('GET', '/v1/openapi.json')
      const path = `/public${route.path}`.replace(/:(\w+)/g, '{$1}')
      const operation = json.paths[path][route.method.toLowerCase()]
      expect(operation).toMatchObject({ operationId: name, security: [], summary: route.summary })
      expect(operation['x-refusals']).toEqual(
        expect.arrayContaining(['SV-2001', 'SV-6004', ...(route.codes ?? [])]),
      )
      expect(operation['x-refusals'].join(' ')).not.toMatch(/SV-(1\d\d\d|6001|6002)/)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '422', '429', '500']))
      expect(Object.keys(operation.responses)).not.toContain('401')
      expect(Object.keys(operation.responses['200'].headers)).toEqual(
        expect.arrayContaining(['RateLimit-Policy', 'RateLimit', 'X-Request-Id']),
      )
    },
  )
})
