import type { PublicDay, PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { expect, test } from 'vitest'
import { revisionOf } from './revision.ts'
import { daysOf, documentOf } from './testing.ts'

type Component = PublicPageDocument['components'][number]

const original = documentOf(['operational', 'down'])
const withComponent = (changes: Partial<Component>): PublicPageDocument => ({
  ...original,
  components: original.components.map((component, at) =>
    at === 0 ? { ...component, ...changes } : component,
  ),
})
const withToday = (today: Partial<PublicDay>): PublicPageDocument =>
  withComponent({ days: daysOf({ 0: today }) })

test.each<[string, PublicPageDocument]>([
  ['the time of the data', { ...original, asOf: '2026-11-20T12:00:35.000Z' }],
  ['the time of a fresh reading', withComponent({ measuredAt: '2026-11-20T12:00:34.000Z' })],
  ['a share below a tenth of a percent', withComponent({ upShare: 0.99991 })],
  ['the seconds measured today', withToday({ measuredSeconds: 86_000, unmeasuredSeconds: 400 })],
])('a page that differs by %s has the same revision', (_, document) => {
  expect(revisionOf(document)).toBe(revisionOf(original))
})

test.each<[string, PublicPageDocument]>([
  ['the state of a component', withComponent({ state: 'degraded' })],
  ['a region', withComponent({ regionsRead: ['fra', 'iad', 'nrt'] })],
  ['a name', withComponent({ displayName: 'Checkout' })],
  ['a group', { ...original, groups: [] }],
  ['a tenth of a percent', withComponent({ upShare: 0.9981 })],
  ['the last moment of an outage', withComponent({ upShare: 1 })],
  ['no share', withComponent({ upShare: null })],
  ['an incident today', withToday({ incidents: 1 })],
  [
    'a quarter of an hour without measurement',
    withToday({ measuredSeconds: 85_500, unmeasuredSeconds: 900 }),
  ],
  ['a day of the past', withComponent({ days: daysOf({ 5: { upShare: 0.99998 } }) })],
  ['the headline', { ...original, headline: { ...original.headline, text: 'Partial outage' } }],
  ['a description', { ...original, page: { ...original.page, description: 'Other' } }],
])('a page that differs by %s has another revision', (_, document) => {
  expect(revisionOf(document)).not.toBe(revisionOf(original))
})

test('the time of the last reading matters once it is no longer fresh', () => {
  const stale = { regionsRead: [], measuredAt: '2026-11-20T11:00:00.000Z' }
  const other = { ...stale, measuredAt: '2026-11-20T11:10:00.000Z' }
  expect(revisionOf(withComponent(stale))).not.toBe(revisionOf(withComponent(other)))
})
