import type { ErrorFrame, ErrorOccurrence } from '../contracts/error-tracking.ts'
import { removedMark } from '../contracts/removed.ts'
import { html } from '@probe-mesh/runtime/html'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { flat } from '@probe-mesh/web/src/testing/flat'
import { hostile } from '@probe-mesh/web/src/testing/publisher'
import { breadcrumbsCard, contextCard } from './event-cards.ts'
import { scrubbed } from './scrubbed.ts'
import { foldStack, stackCard } from './stack-card.ts'

const frame = (name: string, inApp: boolean): ErrorFrame => ({
  file: `${name}.js`,
  function: name,
  line: 3,
  column: 7,
  inApp,
})
const event: ErrorOccurrence = {
  id: 'f'.repeat(32),
  at: '2026-11-20T12:00:00.500Z',
  release: hostile,
  message: `password ${removedMark('password')} ${hostile}`,
  frames: [frame('lib', false), frame('own', true), frame('runtime', false)],
  context: {
    tags: { [hostile]: hostile },
    breadcrumbs: [
      { timestamp: 1_763_640_000.5, category: 'fetch', message: hostile, data: { a: hostile } },
      { timestamp: '2026-11-20T11:59:57.300Z', category: hostile, level: hostile },
      { timestamp: 'once' },
      null,
    ],
    request: { cookies: removedMark('cookie'), url: hostile },
    source: [{ frame: 1, source: hostile, before: ['a()', hostile], after: ['b()'] }],
    variables: [{ frame: 1, function: 'own', variables: { [hostile]: { deep: hostile } } }],
  },
}
const path = (): string => '/'
const shown = (one: ErrorOccurrence, areAllFrames = false): string =>
  flat(html`${stackCard(one, { areAllFrames, path })} ${breadcrumbsCard(one)} ${contextCard(one)}`)

test('all parts of an event are text, and removed secrets are marked', () => {
  const text = shown(event)
  expect(text).not.toContain('<script')
  expect(text).toContain('<mark>[removed: cookie]</mark>')
  expect(text.match(/&lt;script/g)?.length).toBeGreaterThan(8)
})

test('breadcrumbs show their distance to the event, or their own time where that is far off or unreadable', () => {
  const text = flat(breadcrumbsCard(event) ?? '')
  expect(text).toContain('3.2s before')
  expect(text).toContain('2025-11-20 12:00:00 UTC')
  expect(text).toContain('>once</span>')
  expect(breadcrumbsCard({ ...event, context: {} })).toBeNull()
})

test('a frame shows its line of source, marked and numbered among the lines around it, and its variables', () => {
  const text = shown(event)
  expect(text).toMatch(/<ol class="source" start="1"|<ol class="source">/)
  expect(text).toMatch(/<li><code>a\(\)<\/code><\/li>.*<li class="at".*<li><code>b\(\)<\/code><\/li>/)
  expect(text).toContain('1 variable')
  const line9 = { ...event, frames: [{ ...frame('own', true), line: 9 }] }
  const source = [{ frame: 0, source: 'x', before: ['w', 'v'], after: [] }]
  expect(shown({ ...line9, context: { source } })).toContain('<ol class="source" start="7">')
})

test('whatever shape a context has, it is shown', () => {
  forAll([fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()], (context, odd) => {
    for (const part of ['breadcrumbs', 'source', 'variables', 'sourceMaps', 'tags', 'contexts', 'causes']) {
      const one = { ...event, context: { ...context, [part]: odd } }
      expect(shown(one)).toContain(event.id)
      expect(shown({ ...one, context: { ...context, [part]: [odd] } })).toContain(event.id)
    }
  })
})

test('every frame is shown once in the order of the stack, and only library frames beside own ones are folded', () => {
  forAll([fc.array(fc.boolean()), fc.boolean()], (inApps, areAllShown) => {
    const frames = inApps.map((inApp, n) => frame(String(n), inApp))
    const runs = foldStack(frames, areAllShown)
    expect(runs.flatMap((run) => run.frames.map((each) => each.frame))).toEqual(frames)
    expect(runs.flatMap((run) => run.frames.map((each) => each.at))).toEqual(frames.map((_, at) => at))
    const canFold = !areAllShown && inApps.includes(true)
    for (const run of runs) {
      expect(run.frames.every((each) => run.isFolded === (canFold && !each.frame.inApp))).toBe(true)
    }
  })
})

test.each([
  ['[removed: card]', '<mark>[removed: card]</mark>'],
  ['a[removed: card]b', 'a<mark>[removed: card]</mark>b'],
  ['[removed: <b>]', '[removed: &lt;b&gt;]'],
  ['[removed:]', '[removed:]'],
])('%s', (text, expected) => {
  expect(flat(scrubbed(text))).toBe(expected)
})

test('a frame says from where in the built file it was mapped, or why it was not', () => {
  const frames = [frame('library.js', false), frame('src/cart.ts', true), frame('other', true)]
  const minified = [{ frame: 1, file: 'app.<b>.js', line: 1, column: 7 }, 'broken', { frame: 9 }]
  const unresolved = [{ frame: 2, why: 'no <map>' }, null]
  const text = shown({ ...event, frames, context: { sourceMaps: { minified, unresolved } } })
  expect(text.match(/Mapped from<code>/g)).toHaveLength(1)
  expect(text).toContain('Mapped from<code>app.&lt;b&gt;.js:1:7</code>')
  expect(text).toContain('Not mapped: no &lt;map&gt;')
})
