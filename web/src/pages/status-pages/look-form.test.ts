import { StatusPage, UpdateStatusPageInput } from '@probe-mesh/contracts/status-page/status-page'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { linkRows, linksMax, readLook, typedOfPage } from './look-form.ts'

const page = StatusPage.parse({
  id: '1',
  name: 'Acme',
  slug: 'acme',
  path: '/status/acme',
  url: 'https://example.org/status/acme',
  title: null,
  description: null,
  logo: null,
  accentColor: null,
  themePreset: 'system',
  font: 'system',
  locale: 'en',
  links: [],
  componentCount: 0,
  state: 'no_data',
})
const text = fc.stringMatching(/^[a-z"<]{1,9}$/)
const link = fc.record({ label: text, url: text.map((path) => `https://example.org/${path}`) })

test('an unchanged form changes nothing', () => {
  forAll(
    [
      fc.record({
        title: fc.option(text),
        description: fc.option(text),
        accentColor: fc.constantFrom(null, '#0a7d4f'),
        links: fc.array(link, { maxLength: linksMax }),
      }),
    ],
    (look) => {
      const { body } = readLook(typedOfPage({ ...page, ...look }))
      const { name, slug, logo, themePreset, font, locale } = page
      expect(body).toEqual({ name, slug, logo, themePreset, font, locale, ...look })
      expect(UpdateStatusPageInput.safeParse(body).success).toBe(true)
    },
  )
})

test('blank link rows are closed up, so that problems match their rows', () => {
  const { body, typed } = readLook({
    'links[1].label': 'Docs',
    'links[1].url': 'https://example.org/',
    'links[2].label': ' ',
    'links[7].label': 'half',
  })
  expect(body.links).toEqual([
    { label: 'Docs', url: 'https://example.org/' },
    { label: 'half', url: '' },
  ])
  expect(typed).toMatchObject({ 'links[0].label': 'Docs', 'links[1].label': 'half' })
  expect(typed).not.toHaveProperty('links[7].label')
})

test.each([
  [0, 2],
  [3, 5],
  [9, 10],
  [10, 10],
])('with %i links there are %i rows', (count, rows) => {
  const links = Array.from({ length: count }, () => ({ label: 'a', url: 'b' }))
  expect(linkRows(typedOfPage({ ...page, links }))).toHaveLength(rows)
})
