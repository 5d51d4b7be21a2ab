import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import type { Publisher } from '../../testing/publisher.ts'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
let owner: Publisher
beforeAll(async () => {
  web = await startTestWeb({ config: { budgetScale: 100 } })
  owner = await publisherOf(web)
})
afterAll(() => web.close())

let slugs = 0
const newSlug = () => `slug-${(slugs += 1)}`
/** Makes a page. @returns its path in the dashboard */
const make = async (name: string, slug = newSlug()): Promise<string> => {
  const made = await owner.post('/dashboard/pages', { name, slug })
  expect(made).toMatchObject({ status: 303, to: expect.stringMatching(/^\/dashboard\/pages\//) })
  return String(made.to)
}

describe('the list', () => {
  test('has every page with its state and its public address', async () => {
    const slug = newSlug()
    const path = await make(hostile, slug)
    const { status, text } = await owner.get('/dashboard/pages')
    expect(status).toBe(200)
    expect(text).toContain(`<a href="${path}">`)
    expect(text).toContain(`<a href="/status/${slug}">/status/${slug}</a>`)
    expect(text).toContain('no data')
    expect(text).not.toContain('<script>')
  })

  test('a slug that is no slug, or taken, is said beside it, and what was typed is kept', async () => {
    const wrong = await owner.post('/dashboard/pages', { name: 'Kept', slug: 'No Slug' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('id="field-slug-problem"')
    expect(wrong.text).toContain('value="No Slug"')
    const taken = await owner.post('/dashboard/pages', { name: 'Kept', slug: owner.slug })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain('is taken. Choose another.</p>')
    expect(taken.text).toContain('value="Kept"')
  })

  test('the allowance of the tier is refused, and the refusal says what it is', async () => {
    const free = await web.member('free')
    const { status, text } = await free.post('/dashboard/pages', { name: 'b', slug: newSlug() })
    expect(status).toBe(403)
    expect(text).toContain('The limit of 1 status page of the free plan is reached.')
  })
})

describe('what a page shows of itself', () => {
  const look = {
    title: 'Acme & sons',
    description: 'one\r\ntwo',
    logo: 'https://example.org/logo.svg',
    accentColor: '#0a7d4f',
    themePreset: 'high_contrast',
    font: 'serif',
    locale: 'de-AT',
    'links[0].label': 'Docs',
    'links[0].url': 'https://example.org/docs',
  }

  test('is saved as a whole, and shown again as it was saved', async () => {
    const slug = newSlug()
    const path = await make('Look', slug)
    const saved = await owner.post(`${path}/edit`, { name: 'Look', slug, ...look })
    expect(saved).toMatchObject({ status: 303, to: path })
    const { text, raw } = await owner.get(`${path}/edit`)
    expect(text).toContain('value="Acme &amp; sons"')
    expect(raw).toContain('>\none\ntwo</textarea>')
    expect(text).toContain('<option value="high_contrast" selected>')
    expect(text).toContain('<option value="serif" selected>')
    expect(text).toContain('value="https://example.org/docs"')
    await owner.post(`${path}/edit`, { ...look, name: 'Look', slug, title: '', accentColor: '' })
    const [row] = await web.at.sql`
      select title, accent_color, description from status_pages where slug = ${slug}`
    expect(row).toEqual({ title: null, accent_color: null, description: 'one\ntwo' })
  })

  test('every problem is said beside its field, those of links beside theirs', async () => {
    const path = await make('Wrong')
    const wrong = {
      name: ' ',
      slug: 'wrong',
      title: hostile,
      accentColor: 'green',
      themePreset: 'none',
      font: 'serif',
      locale: 'english',
      'links[4].label': hostile,
      'links[4].url': 'javascript:alert(1)',
    }
    const { status, text } = await owner.post(`${path}/edit`, wrong)
    expect(status).toBe(422)
    for (const field of ['name', 'accentColor', 'themePreset', 'locale', 'links-0--url']) {
      expect(text).toContain(`id="field-${field}-problem"`)
    }
    expect(text).toContain(
      '<a href="#field-links-0--url">Links 1,<span>Address</span>: must be an http or https',
    )
    expect(text).not.toContain('<script>')
  })
})

describe('a preview', () => {
  test('shows what is typed, and stores nothing of it', async () => {
    const path = await make('Stored')
    const typed = {
      name: 'Typed',
      slug: 'another-slug',
      title: hostile,
      description: 'not yet',
      logo: 'https://cdn.example.org/logo.svg',
      accentColor: 'green',
      themePreset: 'dark',
      font: 'serif',
      locale: 'en',
    }
    const { status, text, raw, headers } = await owner.post(`${path}/preview`, typed)
    expect(status).toBe(200)
    expect(text).toContain('<body class="status dark serif"')
    expect(text).toContain('<p class="prose" dir="auto">not yet</p>')
    expect(text).toContain('shown as they were: accentColor.')
    expect(text).not.toMatch(/assets\/accent|another-slug/)
    expect(withoutOwnScript(raw)).not.toContain('<script')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).toContain("img-src 'self' data: https://cdn.example.org;")
    expect(headers['cache-control']).toBe('no-store')
    const stored = await owner.get(`${path}/preview`)
    expect(stored.text).toMatch(/<h1><a href="[^"]+"><bdi>Stored<\/bdi><\/a><\/h1>/)
    expect(stored.text).not.toMatch(/not yet|A preview:/)
  })

  test('is framed by the two pages about it, which nobody frames, and by no other', async () => {
    const path = await make('Framed')
    for (const each of ['', '/edit']) {
      const { text, headers } = await owner.get(path + each)
      expect(text).toMatch(/<iframe class="preview" name="preview" src="[^"]+\/preview"/)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("frame-src 'self'; frame-ancestors 'none'")
    }
    const { headers } = await owner.get('/dashboard/pages')
    expect(headers['content-security-policy']).not.toContain('frame-src')
    const stranger = await web.member()
    expect(await stranger.get(`${path}/preview`)).toMatchObject({ status: 404 })
    expect(await stranger.post(`${path}/preview`, { name: 'a' })).toMatchObject({ status: 404 })
  })
})

describe('components', () => {
  test('a check is published, shown otherwise, and unpublished, and runs on', async () => {
    const path = await make('Components')
    const checkId = await owner.check('the api')
    expect((await owner.get(path)).text).toContain('The page publishes nothing yet')
    expect((await owner.get(`${path}/publish`)).text).toContain(`<option value="${checkId}">`)
    const published = await owner.post(`${path}/publish`, { checkId, displayName: hostile })
    expect(published).toMatchObject({ status: 303, to: path })
    // it is on the page: not offered a second time
    expect((await owner.get(`${path}/publish`)).text).not.toContain(checkId)

    const shown = await owner.get(path)
    expect(shown.text).not.toContain('<script>')
    const component = String(/\/dashboard\/pages\/[\w-]+\/components\/[\w-]+/.exec(shown.text)?.[0])
    const blank = await owner.post(component, { displayName: ' ', description: hostile })
    expect(blank.status).toBe(422)
    expect(blank.text).toContain('id="field-displayName-problem"')
    expect(blank.text).not.toContain('<script>')
    const saved = await owner.post(component, { displayName: 'API', description: '' })
    expect(saved).toMatchObject({ status: 303, to: path })
    expect((await owner.get(path)).text).toContain('<bdi>API</bdi>')

    expect((await owner.get(`${component}/unpublish`)).text).toContain('The check runs on')
    const gone = await owner.post(`${component}/unpublish`)
    expect(gone).toMatchObject({ status: 303, to: path })
    expect((await owner.get(path)).text).toContain('The page publishes nothing yet')
    expect((await owner.get(`/dashboard/checks/${checkId}`)).status).toBe(200)
  })

  test('a private check is not offered, and refused whoever sends it', async () => {
    const path = await make('Private')
    const checkId = await owner.check('inside')
    await web.at.sql`update checks set private = true where id = ${checkId}`
    expect((await owner.get(`${path}/publish`)).text).not.toContain(checkId)
    const { status, text } = await owner.post(`${path}/publish`, { checkId, displayName: 'kept' })
    expect(status).toBe(409)
    expect(text).toContain('A private check cannot be published.')
    expect(text).toContain('value="kept"')
  })
})

describe('deleting a page', () => {
  test('says what is lost, then does it', async () => {
    const path = await make('Goes')
    const checkId = await owner.check('stays')
    await owner.post(`${path}/publish`, { checkId })
    const asked = await owner.get(`${path}/delete`)
    expect(asked.text).toContain('its 1 component: the checks run on')
    expect(asked.text).toContain('cannot be had back')
    expect(await owner.post(`${path}/delete`)).toMatchObject({ to: '/dashboard/pages' })
    expect(await owner.get(path)).toMatchObject({ status: 404 })
    expect((await owner.get(`/dashboard/checks/${checkId}`)).status).toBe(200)
  })

  test('the last one stays: the page says so and so does the refusal', async () => {
    const single = await publisherOf(web)
    const path = `/dashboard/pages/${single.pageId}/delete`
    const asked = await single.get(path)
    expect(asked.text).toContain("It is the account's only page")
    expect(asked.text).not.toContain('Delete the page</button>')
    const { status, text } = await single.post(path)
    expect(status).toBe(409)
    expect(text).toContain('an account has at least one.</p>')
    expect(text).toContain('make another page</a>')
  })
})

test("another account's page is not there", async () => {
  const path = await make('Mine')
  const stranger = await web.member()
  for (const each of ['', '/edit', '/publish', '/delete']) {
    expect(await stranger.get(path + each)).toMatchObject({ status: 404 })
  }
  for (const each of ['/edit', '/publish', '/delete']) {
    const form = { name: 'a', slug: 'a', themePreset: 'light', font: 'sans', locale: 'en' }
    const { status } = await stranger.post(path + each, form)
    expect([404, 422]).toContain(status)
  }
  expect(await owner.get(path)).toMatchObject({ status: 200 })
})
