import { expect, test } from 'vitest'
import { flat } from '../../testing/flat.ts'
import { factorGraph, sharedOf } from './factor-graph.ts'
import { catalogOf } from './testing.ts'

const cdn = { kind: 'cdn', name: 'Edge & Co' } as const
const dns = { kind: 'dns', name: 'Names' } as const
const withFactors = (...levels: Parameters<typeof catalogOf>[0]) => catalogOf(levels).services

test('a provider of a single service is not shared', () => {
  const [one, two] = withFactors('down', 'up').map((service) => ({ ...service, factors: [] }))
  const services = [{ ...one, factors: [cdn] }, two] as ReturnType<typeof withFactors>
  expect(sharedOf(services)).toEqual([])
  expect(flat(factorGraph(services))).toContain('No provider is known that several services share.')
})

test('a provider with failing services comes first, and names only those that fail', () => {
  const services = withFactors('up', 'up', 'up', 'down', 'no_data').map((service, index) => ({
    ...service,
    factors: index < 3 ? [cdn] : [dns],
  }))
  expect(sharedOf(services).map(({ name }) => name)).toEqual(['Names', 'Edge & Co'])
  const page = flat(factorGraph(services))
  expect([...page.matchAll(/href="\/services\/([^"]+)"/g)].map(([, slug]) => slug)).toEqual(['acme-3'])
  // no data is counted separately, never as up
  expect(page).toContain('aria-label="1 down, 1 no data"')
  expect(page).toContain('aria-label="3 answers"')
})
