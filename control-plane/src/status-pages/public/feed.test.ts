import { readFile } from 'node:fs/promises'
import { parseFeed } from '@rowanmanning/feed-parser'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { feedOf } from './feed.ts'
import { testPage } from './testing/pages.ts'

const schemas = {
  atom: await readFile(new URL('testing/atom.rng', import.meta.url), 'utf8'),
  rss: await readFile(new URL('testing/rss.rng', import.meta.url), 'utf8'),
}
const formats = ['atom', 'rss'] as const

/** The violations of a format's schema. */
const problemsOf = async (xml: string, format: (typeof formats)[number]): Promise<string[]> => {
  const { errors } = await validateXML({ xml, schema: schemas[format], extension: 'relaxng' })
  return errors.map(({ message }) => message)
}

const hostile = `<b>"Acme" & Söhne's</b> ]]> &amp; ${'\u0007'}`

describe.each(formats)('a page as %s', (format) => {
  test('is valid by the schema of the format, with any text in it', async () => {
    for (const text of ['Acme', hostile, '\ud800 ￾ \u0000', ']]>]]>']) {
      const xml = feedOf(testPage(['operational', 'down'], 'down', text), format)
      expect(await problemsOf(xml, format)).toEqual([])
    }
  })

  test('is valid without incidents and windows', async () => {
    const page = { ...testPage([], 'no_data'), incidents: [], windows: [] }
    expect(await problemsOf(feedOf(page, format), format)).toEqual([])
  })

  test('is invalid by the same schema when a required element is missing', async () => {
    const xml = feedOf(testPage(['operational'], 'operational'), format)
    const broken = xml.replace(/<title>.*<\/title>/, '')
    expect(broken).not.toBe(xml)
    expect(await problemsOf(broken, format)).not.toEqual([])
    const badDate = xml.replace(/<(updated|lastBuildDate)>[^<]*</, '<$1>yesterday<')
    expect(await problemsOf(badDate, format)).not.toEqual([])
  })

  test('has one item for each incident and window with its latest update, newest first', () => {
    const page = testPage(['operational'], 'operational')
    const { items, title, url } = parseFeed(feedOf(page, format))
    expect(title).toBe('Acme')
    expect(url).toBe('https://status.example.org/status/acme')
    expect(items.map((item) => item.title)).toEqual([
      'Incident: Acme',
      'Maintenance: Acme',
      'Incident: Acme earlier',
    ])
    expect(items[0]?.id).toBe(`urn:uuid:${page.incidents[0]?.id}`)
    expect(items[0]?.url).toBe(`${page.page.url}/incidents/${page.incidents[0]?.id}`)
    expect(items[0]?.content).toContain('latest Acme')
    expect(items[0]?.content).toContain('Status: Monitoring')
    expect(items[0]?.content).toContain('Affected: Acme 0')
  })

  test('begins with the headline, and has the words of the language of the page', () => {
    const page = testPage(['operational', 'down'], 'down')
    expect(parseFeed(feedOf(page, format)).description).toBe('Partial outage: Acme 1 | Acme')
    const german = feedOf({ ...page, page: { ...page.page, locale: 'de-AT' } }, format)
    const { items, language } = parseFeed(german)
    expect(items[0]).toMatchObject({ title: 'Vorfall: Acme' })
    expect(items[0]?.content).toContain('Status: Wird beobachtet')
    if (format === 'rss') expect(language).toBe('de-AT')
  })

  test('keeps the id of an item when it is updated', () => {
    const page = testPage(['operational'], 'operational')
    const ids = (updated: typeof page) =>
      parseFeed(feedOf(updated, format))
        .items.map(({ id }) => id)
        .toSorted()
    const resolved = page.incidents.map((incident) => ({ ...incident, updates: [] }))
    expect(ids({ ...page, incidents: resolved })).toEqual(ids(page))
  })

  test('escapes a title for readers that parse it as HTML', () => {
    const title = '"><img src=x onerror=alert(1)> & ]]>'
    const xml = feedOf(testPage(['down'], 'down', title), format)
    const titles = [...xml.matchAll(/<item>\s*<title>(.*?)<\/title>|<entry>\s*<title[^>]*>(.*?)<\/title>/gs)]
    expect(titles).toHaveLength(3)
    for (const [, rss, atom] of titles) {
      expect(rss ?? atom).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; ]]&gt;')
    }
  })

  test('never turns user content into markup', () => {
    forAll([fc.string({ unit: 'binary', maxLength: 60 })], (text) => {
      const written = `${text}<script>alert(1)</script>${text}`
      const xml = feedOf(testPage(['down'], 'down', written), format)
      expect(xml).toContain('&lt;script')
      expect(xml).not.toContain('<script')
      expect(parseFeed(xml).items).toHaveLength(3)
    })
  })
})
