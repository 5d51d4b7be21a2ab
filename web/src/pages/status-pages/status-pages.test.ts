import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })
const owner = useOnce(() => publisherOf(web))

let slugs = 0
const newSlug = () => `slug-${(slugs += 1)}`
/** Creates a page. @returns its path in the dashboard */
const make = async (name: string, slug = newSlug()): Promise<string> => {
  const made = await owner.post('/dashboard/pages', { name, slug })
  expect(made).toMatchObject({ status: 303, to: expect.stringMatching(/^\/dashboard\/pages\//) })
  return String(made.to)
}

describe('the list', () => {
  test('shows every page with its state and its public address', async () => {
    const slug = newSlug()
    const path = await make(hostile, slug)
    const { status, text } = await owner.get('/dashboard/pages')
    expect(status).toBe(200)
    expect(text).toContain(`<a href="${path}">`)
    expect(text).toContain(`<a href="/status/${slug}">/status/${slug}</a>`)
    expect(text).toContain('No data')
    expect(text).not.toContain('<script>')
  })

  test('an invalid or taken slug is refused at its field, and the input is kept', async () => {
    const wrong = await owner.post('/dashboard/pages', { name: 'Kept', slug: 'No Slug' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('id="field-slug-problem"')
    expect(wrong.text).toContain('value="No Slug"')
    const taken = await owner.post('/dashboard/pages', { name: 'Kept', slug: owner.slug })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain('is taken. Choose another.</p>')
    expect(taken.text).toContain('value="Kept"')
  })

  test('a page beyond the limit of the plan is refused with the limit', async () => {
    const free = await web.member('free')
    const { status, text } = await free.post('/dashboard/pages', { name: 'b', slug: newSlug() })
    expect(status).toBe(403)
    expect(text).toContain('The limit of 1 status page of the free plan is reached.')
  })
})

describe('the design of a page', () => {
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

  test('is saved as a whole, and shown as saved', async () => {
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

  test('every problem is shown at its field, also for links', async () => {
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
  test('shows unsaved input and stores none of it', async () => {
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
    expect(text).toContain('so the saved ones are shown: accentColor.')
    expect(text).not.toMatch(/assets\/accent|another-slug/)
    expect(withoutOwnScript(raw)).not.toContain('<script')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).toContain("img-src 'self' data: https://cdn.example.org;")
    expect(headers['cache-control']).toBe('no-store')
    const stored = await owner.get(`${path}/preview`)
    expect(stored.text).toMatch(/<h1><a href="[^"]+"><bdi>Stored<\/bdi><\/a><\/h1>/)
    expect(stored.text).not.toMatch(/not yet|Not saved yet/)
  })

  test('may be framed only by its two editing pages, which may not be framed', async () => {
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
  test('a check is published, edited and unpublished, and keeps running', async () => {
    const path = await make('Components')
    const checkId = await owner.check('the api')
    expect((await owner.get(path)).text).toContain('No components yet')
    expect((await owner.get(`${path}/publish`)).text).toContain(`name="checkId" value="${checkId}"`)
    const published = await owner.post(`${path}/publish`, { checkId, displayName: hostile })
    expect(published).toMatchObject({ status: 303, to: path })
    // it is on the page and not offered again
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
    expect((await owner.get(path)).text).toContain('No components yet')
    expect((await owner.get(`/dashboard/checks/${checkId}`)).status).toBe(200)
  })

  test('a private check is not offered, and refused if it is sent', async () => {
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
  test('lists what is lost, then deletes', async () => {
    const path = await make('Goes')
    const checkId = await owner.check('stays')
    await owner.post(`${path}/publish`, { checkId })
    const asked = await owner.get(`${path}/delete`)
    expect(asked.text).toContain('its 1 component; the checks run on')
    expect(asked.text).toContain('is deleted for good')
    expect(await owner.post(`${path}/delete`)).toMatchObject({ to: '/dashboard/pages' })
    expect(await owner.get(path)).toMatchObject({ status: 404 })
    expect((await owner.get(`/dashboard/checks/${checkId}`)).status).toBe(200)
  })

  test('is refused for the last page, and the page says so', async () => {
    const single = await publisherOf(web)
    const path = `/dashboard/pages/${single.pageId}/delete`
    const asked = await single.get(path)
    expect(asked.text).toContain('This is the only status page of the account')
    expect(asked.text).not.toContain('Delete page</button>')
    const { status, text } = await single.post(path)
    expect(status).toBe(409)
    expect(text).toContain('an account has at least one.</p>')
    expect(text).toContain('Create another page</a>')
  })
})

test("another account's page is not found", async () => {
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

describe('the order of components', () => {
  const idsIn = (text: string) =>
    [...text.matchAll(/name="component" value="([\w-]+)"/g)].map(([, id = '']) => id)

  test('is saved with its groups, shown to visitors and in a preview, and refused if components changed', async () => {
    const slug = newSlug()
    const path = await make('Order', slug)
    for (const name of ['One', 'Two', 'Three']) {
      await owner.post(`${path}/publish`, { checkId: await owner.check(name) })
    }
    const [one = '', two = '', three = ''] = idsIn((await owner.get(path)).text)
    const order: [string, string][] = [
      ['component', three],
      ['group', hostile],
      ['component', one],
      ['component', two],
    ]
    const preview = await owner.post(`${path}/preview`, order)
    expect(preview.text).toMatch(/Three.*&lt;script&gt;.*One.*Two/)
    expect(idsIn((await owner.get(path)).text)).toEqual([one, two, three])
    expect(await owner.post(`${path}/arrange`, order)).toMatchObject({ status: 303, to: path })
    const { text } = await owner.get(path)
    expect(idsIn(text)).toEqual([three, one, two])
    expect(text).toContain('Order saved.')
    expect((await web.visitor().get(`/status/${slug}`)).text).toMatch(/Three.*&lt;script&gt;.*One.*Two/)
    // without a script, each button posts the form
    await owner.post(`${path}/arrange`, [...order, ['up', two]])
    expect(idsIn((await owner.get(path)).text)).toEqual([three, two, one])
    const stale = await owner.post(`${path}/arrange`, order.slice(0, 3))
    expect(stale.status).toBe(409)
    expect(idsIn(stale.text)).toEqual([three, one, two])
    const stranger = await web.member()
    expect(await stranger.post(`${path}/arrange`, order)).toMatchObject({ status: 404 })
  })

  test('follows the order of selection when several are published at once', async () => {
    const path = await make('Many')
    const checks = await Promise.all(['Zeta', 'Alpha', 'Mid'].map((name) => owner.check(name)))
    const form = checks.map((id): [string, string] => ['checkId', id])
    expect(await owner.post(`${path}/publish`, form)).toMatchObject({ status: 303, to: path })
    expect((await owner.get(path)).text).toMatch(/Zeta.*Alpha.*Mid/)
    const none = await owner.post(`${path}/publish`)
    expect(none.status).toBe(422)
    expect(none.text).toContain('href="#field-checkId"')
  })
})

describe('a logo', () => {
  const upload = (path: string, file: Buffer | null) => {
    const type = 'multipart/form-data; boundary=x'
    const head = '--x\r\ncontent-disposition: form-data; name="image"; filename="a.gif"\r\n\r\n'
    const body =
      file === null ? 'no form' : Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--x--\r\n')])
    return owner.send(`${path}/logo`, body, {
      'content-type': type,
      origin: 'http://127.0.0.1:8080',
      'sec-fetch-site': 'same-origin',
    })
  }
  /** One pixel. */
  const gif = Buffer.from('R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')

  test('is uploaded as a file, shown in the form and to visitors, and deleted', async () => {
    const slug = newSlug()
    const path = await make('Logo', slug)
    expect(await upload(path, gif)).toMatchObject({ status: 303, to: `${path}/edit` })
    const [, image = ''] =
      /<img src="([^"]+)" alt="The logo now"/.exec((await owner.get(`${path}/edit`)).text) ?? []
    expect(image).toMatch(new RegExp(`^/status/${slug}/logo-[\\w-]+\\.png$`))
    expect((await web.visitor().get(`/status/${slug}`)).text).toContain(`<img src="${image}" alt="Logo"`)
    expect(await owner.post(`${path}/logo/delete`)).toMatchObject({ to: `${path}/edit` })
    expect((await owner.get(`${path}/edit`)).text).not.toContain('The logo now')
  })

  test('is refused at its field if it is no image, and so is a body that is no form', async () => {
    const path = await make('No logo')
    const wrong = await upload(path, Buffer.from('hello'))
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('<p class="problem" role="alert">')
    expect((await upload(path, null)).status).toBe(415)
  })
})
