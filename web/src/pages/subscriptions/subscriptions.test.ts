import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import { useTestWeb, type Shown } from '../../testing/test-web.ts'

let slug: string
const web = useTestWeb()
beforeAll(async () => {
  const { pageId } = await publisherOf(web)
  const [page] = await web.at.sql<{ slug: string }[]>`
    update status_pages set name = ${hostile} where id = ${pageId} returning slug`
  slug = page?.slug ?? ''
})
// all tests share one client address, so each starts in a new minute
beforeEach(() => web.at.pass(61_000))

let asked = 0
const address = (): string => `reader-${(asked += 1)}@example.org`
const subscribe = (form: Record<string, string>, to = slug) =>
  web.visitor().send(`/status/${to}/subscribers`, form, {})

const rowOf = async (email: string) =>
  (
    await web.at.sql<{ id: string; confirmed: boolean }[]>`
      select id, confirmed_at is not null as confirmed from subscribers where email = ${email}`
  )[0]

const tokenTo = async (email: string): Promise<string> => {
  const [mail] = await web.at.sql<{ message: { text: string } }[]>`
    select message from deliveries where recipient = ${email} order by sequence desc`
  return /\/subscriptions\/confirm\?token=([\w-]{43})\n/.exec(mail?.message.text ?? '')?.[1] ?? ''
}

/** For one reader: not cached, not framed, its address not sent to other sites, no cookie. */
const expectOwn = (shown: Shown): void => {
  expect(shown.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'$/),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  expect(shown.headers['set-cookie']).toBeUndefined()
  expect(withoutOwnScript(shown.raw)).not.toContain('<script')
  expect(shown.text).toContain('<meta name="robots" content="noindex">')
}

describe('the form of a status page', () => {
  test('is answered with a page, and with a link by mail', async () => {
    const email = address()
    const shown = await subscribe({ email, componentId: '' })
    expect(shown.status).toBe(202)
    expectOwn(shown)
    expect(shown.text).toContain('<h1>Look into your mailbox</h1>')
    expect(await rowOf(email)).toMatchObject({ confirmed: false })
    expect(await tokenTo(email)).not.toBe('')
  })

  test('is shown again with problems at their fields, and with its input', async () => {
    const shown = await subscribe({ email: hostile })
    expect(shown.status).toBe(422)
    expectOwn(shown)
    expect(shown.text).toContain('id="field-email-problem"')
    expect(shown.text).toContain('<span>Email address</span>: must be an e-mail address')
    expect(shown.raw).toContain('value="&quot;&gt;&lt;script&gt;')
    expect(shown.text).toContain(`action="/status/${slug}/subscribers"`)
  })

  test('of an unknown page is a page that says so', async () => {
    const shown = await subscribe({ email: address() }, 'nobody-has-this')
    expect(shown.status).toBe(404)
    expectOwn(shown)
    expect(shown.text).toContain('There is no page at this address.')
    expect(shown.text).toContain('role="search"')
  })

  test('is limited to five a minute, and the refusal says how long to wait', async () => {
    for (let n = 0; n < 5; n++) expect((await subscribe({ email: address() })).status).toBe(202)
    const refused = await subscribe({ email: address() })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.text).toContain(`Try again in ${refused.headers['retry-after']} seconds.`)
  })
})

describe('a link to confirm', () => {
  test('shows a button that confirms; pressing it twice is harmless', async () => {
    const email = address()
    await subscribe({ email })
    const token = await tokenTo(email)
    const shown = await web.visitor().get(`/subscriptions/confirm?token=${token}`)
    expect(shown.status).toBe(200)
    expectOwn(shown)
    expect(shown.text).toContain('<h1>Subscribe to<bdi>&quot;&gt;&lt;script&gt;')
    expect(shown.text).toContain('<button class="primary" type="submit">Confirm</button>')
    expect(await rowOf(email)).toMatchObject({ confirmed: false })
    for (const _ of ['first', 'second']) {
      const taken = await web.visitor().send('/subscriptions/confirm', { token }, {})
      expect(taken.status).toBe(200)
      expectOwn(taken)
      expect(taken.text).toContain('<h1>You are subscribed</h1>')
    }
    expect(await rowOf(email)).toMatchObject({ confirmed: true })
  })

  test.each(['', '?token=', '?token=x', `?token=${'A'.repeat(43)}`, `?token=${'x'.repeat(500)}`])(
    'that is not ours shows a page that says so: %s',
    async (query) => {
      const shown = await web.visitor().get(`/subscriptions/confirm${query}`)
      expect(shown.status).toBe(404)
      expectOwn(shown)
      expect(shown.text).toContain('does not work any more')
      const token = new URLSearchParams(query).get('token') ?? ''
      const posted = await web.visitor().send('/subscriptions/confirm', { token }, {})
      expect(posted.status).toBe(404)
    },
  )
})

describe('unsubscribing (RFC 8058)', () => {
  const tokens = createUnsubscribeTokens('the key of the tests')
  const confirmed = async (): Promise<{ email: string; path: string }> => {
    const email = address()
    await subscribe({ email })
    await web.visitor().send('/subscriptions/confirm', { token: await tokenTo(email) }, {})
    const row = await rowOf(email)
    return { email, path: `/subscriptions/unsubscribe/${tokens.of(row?.id ?? '')}` }
  }

  const boundary =
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'

  test.each([
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'List-Unsubscribe=One-Click'],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, boundary],
    [{ 'content-type': 'text/plain' }, ''],
  ])('one POST of a program ends it, without a cookie or an origin: %o', async (headers, body) => {
    const { email, path } = await confirmed()
    for (const _ of ['first', 'second']) {
      const ended = await web.visitor().send(path, body, headers)
      expect(ended.status).toBe(200)
      expectOwn(ended)
      expect(await rowOf(email)).toBeUndefined()
    }
    expect((await web.visitor().get(path)).text).toContain('You are unsubscribed')
  })

  test('a GET only shows the button', async () => {
    const { email, path } = await confirmed()
    const shown = await web.visitor().get(path)
    expect(shown.status).toBe(200)
    expectOwn(shown)
    expect(shown.text).toContain(
      `<form method="post" action="${path}"><input type="hidden" name="List-Unsubscribe" value="One-Click">`,
    )
    expect(await rowOf(email)).toMatchObject({ confirmed: true })
  })

  test('a changed link ends nothing', async () => {
    const { email, path } = await confirmed()
    const last = path.endsWith('A') ? 'B' : 'A'
    const other = path.slice(0, -1) + last
    const ended = await web.visitor().send(other, { 'List-Unsubscribe': 'One-Click' }, {})
    expect(ended.status).toBe(404)
    expect(ended.text).toContain('not one of ours')
    expect((await web.visitor().get(path.slice(0, -1))).status).toBe(404)
    expect(await rowOf(email)).toMatchObject({ confirmed: true })
  })
})
