import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import { NamedService, probesNamedMax } from '@probe-mesh/contracts/outage/answers'
import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { loginRoutes, ownSessionRoutes } from '@probe-mesh/contracts/account/login-routes'
import { publicPageRoutes } from '@probe-mesh/contracts/status-page/public-page'
import { routes } from '@probe-mesh/contracts/api/routes'
import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { subscriptionRoutes } from '@probe-mesh/contracts/subscriber/subscription-routes'
import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { indexCatalog } from '../../catalog/catalog-index.ts'
import { shippedCatalog } from '../../catalog/testing.ts'
import type { OpenIncident } from '../open-incident.ts'
import { useTestApp } from '../../app/testing/test-app.ts'

/** Every answer with a service of the catalog has its probes: on all routes, and so in all tools. */
const catalog = useOnce(async () => indexCatalog(await shippedCatalog()))
const at = useTestApp(() => ({ answers: { catalog }, config: { budgetScale: 1_000 } }))
beforeAll(() => {
  const members = catalog.catalog.services.slice(-6)
  for (const { slug } of catalog.catalog.services) at.answers.observed.setReadings(slug, { fra: 'up' })
  for (const { slug } of members) at.answers.observed.setReadings(slug, { fra: 'down', iad: 'down' })
  const sinceMs = at.now() - 60_000
  const incident: OpenIncident = {
    factor: { kind: 'cdn', name: 'acme' },
    sinceMs,
    members: members.map(({ slug, name }) => ({
      slug,
      name,
      sinceMs,
      failedAtMs: sinceMs,
      failing: true,
    })),
    peak: 6,
    measuredCount: 9,
    regions: ['fra', 'iad'],
    confidence: 0.99,
    quietSinceMs: null,
  }
  at.answers.observed.setShared({ open: [incident], spent: [] })
})

type Named = { slug: string; where: string; probes: readonly GradedProbe[] }

/** All objects with the slug of a service, with the probes in them or around them. */
const namedIn = (value: unknown, where = '', around: readonly GradedProbe[] = []): Named[] => {
  if (typeof value !== 'object' || value === null) return []
  const own = 'probes' in value && Array.isArray(value.probes) ? value.probes : around
  const slug = 'slug' in value && !('id' in value) ? String(value.slug) : ''
  return [
    ...(catalog.bySlug.has(slug) ? [{ slug, where, probes: own }] : []),
    ...Object.entries(value).flatMap(([key, one]) => namedIn(one, `${where}/${key}`, own)),
  ]
}

const examples: Readonly<Record<string, string>> = { slug: 'github', idOrSlug: '' }

test.each(Object.entries(answerRoutes))('%s names the probes of each service', async (_, route) => {
  const [stack] = catalog.catalog.stacks
  const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const example = { ...examples, idOrSlug: stack?.slug ?? '' }[name]
    if (example === undefined) throw new Error(`:${name} of ${route.path} has no example here`)
    return example
  })
  const body = route.method === 'POST' ? { body: {} } : {}
  const { status, json } = await at.call(route.method, `/v1/public${path}`, body)
  expect(status).toBe(200)
  const named = namedIn(json)
  for (const { slug, where, probes } of named) {
    const asked = catalog.probes.get(slug) ?? []
    expect(asked.length).toBeGreaterThan(0)
    expect(probes, where).toEqual(expect.arrayContaining([...asked]))
  }
  // services in a sentence are among the first
  expect(json.probes.length).toBeGreaterThan(0)
  expect(json.probes.length).toBeLessThanOrEqual(probesNamedMax)
  for (const { name, slug } of catalog.catalog.services.slice(-6)) {
    if (!json.summary.includes(` ${name}`)) continue
    expect(json.probes).toEqual(expect.arrayContaining([...(catalog.probes.get(slug) ?? [])]))
  }
})

/** Whether a schema contains a service of the catalog, by the identity of its name's schema. */
const namesService = (schema: unknown, seen = new Set<unknown>()): boolean => {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false
  seen.add(schema)
  if (schema === NamedService.shape.name) return true
  if (schema instanceof z.ZodObject) {
    return Object.values(schema.shape).some((one) => namesService(one, seen))
  }
  const def: unknown = Reflect.get(schema, 'def')
  const parts = Array.isArray(schema)
    ? schema
    : typeof def === 'object' && def !== null
      ? Object.values(def)
      : []
  return parts.some((one: unknown) => namesService(one, seen))
}

test('only answer routes name a service of the catalog', () => {
  const others = {
    ...routes,
    ...dashboardRoutes,
    ...loginRoutes,
    ...ownSessionRoutes,
    ...publicPageRoutes,
    ...subscriptionRoutes,
  }
  const naming = (all: Readonly<Record<string, object>>): string[] =>
    Object.entries(all).flatMap(([name, route]) => (namesService(Reflect.get(route, 'output')) ? [name] : []))
  expect(naming(others)).toEqual([])
  // the search finds known occurrences
  const found = naming(answerRoutes)
  expect(found).toEqual(expect.arrayContaining(['isServiceDown', 'getServicePage', 'getStack']))
  const answers = new Set<unknown>(Object.values(answerRoutes))
  for (const { name, route } of Object.values(toolsOf).flat()) {
    if (namesService(route.output)) expect(answers.has(route), name).toBe(true)
  }
})
