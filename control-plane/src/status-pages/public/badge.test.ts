import { describe, expect, test } from 'vitest'
import { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { badgeJson, badgeOf, badgeSvg } from './badge.ts'
import { testPage } from './testing/pages.ts'

const badge = (state: ComponentState, text = 'Acme') => {
  const made = badgeOf(testPage([state], state, text), null)
  if (made === null) throw new Error('a page has a badge')
  return made
}

describe('a badge', () => {
  test.each([
    ['operational', 'operational', 'brightgreen'],
    ['degraded', 'degraded', 'yellow'],
    ['down', 'major outage', 'red'],
    ['maintenance', 'maintenance', 'blue'],
    ['no_data', 'no data', 'lightgrey'],
  ] as const)('of a page that is %s says %s', async (state, message, color) => {
    expect(badgeJson(badge(state))).toEqual({ schemaVersion: 1, label: 'Acme', message, color })
    expect(await badgeSvg(badge(state))).toContain(`<title>Acme: ${message}</title>`)
  })

  test('of a page is that of its headline, with a count of components without data', () => {
    const of = (states: ComponentState[]) => badgeOf(testPage(states, 'no_data'), null)
    expect(of(['operational', 'down'])).toMatchObject({ message: 'partial outage', color: 'orange' })
    expect(of(['operational', 'operational', 'no_data'])).toMatchObject({
      message: 'operational, 1 without data',
      color: 'lightgrey',
    })
    expect(of(['no_data', 'no_data'])).toMatchObject({
      message: 'no data',
      color: 'lightgrey',
    })
  })

  test('is in the language of the page', () => {
    const page = testPage(['operational', 'down'], 'down')
    const german = { ...page, page: { ...page.page, locale: 'de' } }
    expect(badgeOf(german, null)?.message).toBe('Teilausfall')
    expect(badgeOf(german, page.components[0]?.id ?? '')?.message).toBe('Betriebsbereit')
  })

  test('is green only for operational', () => {
    const green = ComponentState.options.filter((state) => /green/.test(badge(state).color))
    expect(green).toEqual(['operational'])
  })

  test('of one component shows its state', () => {
    const page = testPage(['operational', 'down'], 'down')
    expect(badgeOf(page, page.components[0]?.id ?? '')).toMatchObject({
      label: 'Acme 0',
      message: 'operational',
    })
    expect(badgeOf(page, 'nobody')).toBeNull()
  })

  test.each(['<script>alert(1)</script>', '"&\'', '\ud800', 'x'.repeat(200), ' a '])(
    'is an image whatever the name is: %j',
    async (name) => {
      const svg = await badgeSvg(badge('down', name))
      expect(svg).toMatch(/^<svg /)
      expect(svg).not.toContain('<script')
      expect(svg.length).toBeLessThan(4_000)
    },
  )
})
