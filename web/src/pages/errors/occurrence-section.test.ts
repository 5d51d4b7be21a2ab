import type { ErrorFrame, ErrorOccurrence } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { removedMark } from '@probe-mesh/contracts/error-tracking/removed'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flat } from '../../testing/flat.ts'
import { hostile } from '../../testing/publisher.ts'
import { inAppFirst, occurrenceSection } from './occurrence-section.ts'
import { scrubbed } from './occurrence-section.ts'

const frame = (name: string, inApp: boolean): ErrorFrame => ({
  file: `${name}.js`,
  function: name,
  line: 3,
  column: 7,
  inApp,
})
const occurrence: ErrorOccurrence = {
  id: 'f'.repeat(32),
  at: '2026-11-20T12:00:00.500Z',
  release: hostile,
  message: `password ${removedMark('password')} ${hostile}`,
  frames: [frame('lib', false), frame('own', true)],
  context: {
    tags: { [hostile]: hostile },
    breadcrumbs: [
      { timestamp: 1_763_640_000.5, category: 'fetch', message: hostile, data: { a: hostile } },
      { timestamp: 'once' },
      null,
    ],
    request: { cookies: removedMark('cookie'), url: hostile },
  },
}

test('an occurrence shows its parts, nothing of it is markup, and what was removed is marked', () => {
  const text = flat(occurrenceSection([occurrence], 12))
  expect(text).not.toContain('<script')
  expect(text).toContain('The newest 1 of 12')
  expect(text).toContain('password<mark>[removed: password]</mark>')
  expect(text).toContain('&quot;<mark>[removed: cookie]</mark>&quot;')
  expect(text).toContain('2025-11-20 12:00:00 UTC')
  expect(text).toContain('<th scope="row">once</th>')
  expect(text.indexOf('own.js:3:7')).toBeLessThan(text.indexOf('lib.js:3:7'))
})

test('what an occurrence came without is said', () => {
  const bare = { ...occurrence, release: null, frames: [], context: {} }
  const text = flat(occurrenceSection([bare], 1))
  for (const what of ['a stack', 'tags', 'breadcrumbs', 'context']) {
    expect(text).toContain(`It came without ${what}.`)
  }
  expect(text).toContain('no release named')
})

test('whatever shape a context has, it is shown', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (context, crumb) => {
      const one = { ...occurrence, context: { ...context, breadcrumbs: [crumb] } }
      expect(flat(occurrenceSection([one], 1))).toContain('<h3>Context</h3>')
    }),
  )
})

test('frames of the application come first, each part in its order, and none is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), (inApps) => {
      const frames = inApps.map((inApp, n) => frame(String(n), inApp))
      const lines = (of: ErrorFrame[], inApp: boolean) => of.filter((one) => one.inApp === inApp)
      const sorted = inAppFirst(frames)
      expect(sorted).toEqual([...lines(frames, true), ...lines(frames, false)])
    }),
  )
})

test.each([
  ['[removed: card]', '<mark>[removed: card]</mark>'],
  ['a[removed: card]b', 'a<mark>[removed: card]</mark>b'],
  ['[removed: <b>]', '[removed: &lt;b&gt;]'],
  ['[removed:]', '[removed:]'],
])('%s', (text, shown) => {
  expect(flat(scrubbed(text))).toBe(shown)
})

test('a frame that was read by a source map says where it is in the built file', () => {
  const frames = [frame('library.js', false), frame('src/cart.ts', true)]
  const minified = [{ frame: 1, file: 'app.<b>.js', line: 1, column: 7 }, 'broken', { frame: 9 }]
  const one = { ...occurrence, frames, context: { sourceMaps: { minified } } }
  const shown = flat(occurrenceSection([one], 1))
  expect(shown.match(/by source map, from<code>/g)).toHaveLength(1)
  expect(shown).toContain('by source map, from<code>app.&lt;b&gt;.js:1:7</code>')
})
