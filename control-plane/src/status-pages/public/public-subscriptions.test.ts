import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteUnconfirmed } from '../../subscribers/subscribers-store.ts'
import { createUnsubscribeTokens } from '../../accounts/link-tokens.ts'
import { useTestApp } from '../../app/testing/test-app.ts'

let page: { id: string; slug: string; accountId: string }
const at = useTestApp()
beforeEach(async () => {
  // all tests share one client address, so each starts in a new minute
  at.pass(61_000)
  const account = await at.account('scale')
  page = { ...(await pageOf(account.id)), accountId: account.id }
})

const pageOf = async (accountId: string): Promise<{ id: string; slug: string }> => {
  const [row] = await at.sql<{ id: string; slug: string }[]>`
    select id, slug from status_pages where account_id = ${accountId}`
  if (row === undefined) throw new Error('the account has no page')
  return row
}

const subscribe = (body: unknown, slug = page.slug) =>
  at.call('POST', `/status/${slug}/subscribers`, { body })

const mailsTo = async (email: string) =>
  (
    await at.sql<{ message: { subject: string; text: string; html: string } }[]>`
      select message from deliveries where kind = 'mail' and recipient = ${email}
      order by created_at, id`
  ).map(({ message }) => message)

const tokenIn = (mail: { text: string } | undefined): string => {
  const link = /http:\/\/127\.0\.0\.1:8080\/subscriptions\/confirm\?token=([\w-]{43})\n/.exec(
    mail?.text ?? '',
  )
  if (link?.[1] === undefined) throw new Error('the mail has no link')
  return link[1]
}

const toConfirm = (token: string) => at.call('GET', `/subscriptions/confirm.json?token=${token}`)
const confirm = (token: string) => at.call('POST', '/subscriptions/confirm.json', { body: { token } })

const isConfirmed = async (email: string): Promise<boolean | undefined> =>
  (
    await at.sql<{ confirmed: boolean }[]>`
      select confirmed_at is not null as confirmed from subscribers where email = ${email}`
  )[0]?.confirmed

const address = (): string => `${uuidv7(Date.now())}@example.org`

const outcomes = async (outcome: string): Promise<number> => {
  const metric = await at.registry.getSingleMetric('subscriptions_asked_total')?.get()
  return metric?.values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0
}

describe('subscribing to a page', () => {
  test('sends one mail with a link, and no mail of the page until the link is used', async () => {
    const email = address()
    const { status, json } = await subscribe({ email })
    expect(status).toBe(202)
    expect(json).toEqual({ accepted: true, message: expect.stringContaining(email) })
    const mails = await mailsTo(email)
    expect(mails).toHaveLength(1)
    expect(mails[0]?.subject).toBe('Confirm your subscription to status updates')
    expect(await isConfirmed(email)).toBe(false)
    // programs that look into mail follow its links: nothing happens by that
    const token = tokenIn(mails[0])
    const told = { status: 200, json: { pageName: 'scale account', componentName: null } }
    expect(await toConfirm(token)).toMatchObject(told)
    expect(await isConfirmed(email)).toBe(false)
    const confirmed = await confirm(token)
    expect(confirmed).toMatchObject(told)
    // neither ids nor addresses
    expect(Object.keys(confirmed.json)).toEqual(['pageName', 'componentName'])
    expect(confirmed.headers['cache-control']).toBe('no-store')
    expect(await isConfirmed(email)).toBe(true)
    expect((await confirm(token)).status).toBe(200)
  })

  test('the answer does not reveal whether an address is known', async () => {
    const email = address()
    const first = await subscribe({ email })
    await confirm(tokenIn((await mailsTo(email))[0]))
    const again = await subscribe({ email: email.toUpperCase() })
    expect(again.status).toBe(first.status)
    expect(again.json.message.toLowerCase()).toBe(first.json.message.toLowerCase())
    expect(await mailsTo(email)).toHaveLength(1)
    expect(await mailsTo(email.toUpperCase())).toHaveLength(0)
  })

  test.each([
    ['no address', {}, 'email'],
    ['what is no address', { email: 'nobody' }, 'email'],
    ['an address with a line break', { email: 'a@example.org\r\nbcc: b@example.org' }, 'email'],
    ['what is no component', { email: 'a@example.org', componentId: 'x' }, 'componentId'],
    [
      'a component that the page does not have',
      { email: 'a@example.org', componentId: uuidv7(Date.now()) },
      'componentId',
    ],
    ['an unknown field', { email: 'a@example.org', name: 'A' }, 'name'],
  ])('%s is SV-2001', async (_, body, path) => {
    const { status, json } = await subscribe(body)
    expect(status).toBe(422)
    expect(json.code).toBe('SV-2001')
    expect(json.errors[0].path).toBe(path)
    expect(await mailsTo('a@example.org')).toHaveLength(0)
  })

  test.each(['nobody-has-this', 'Not-A-Slug', '%00'])('an unknown page is SV-3001: %s', async (slug) => {
    const { status, json } = await subscribe({ email: address() }, slug)
    expect(status).toBe(404)
    expect(json.code).toBe('SV-3001')
  })
})

describe('the form cannot flood an address', () => {
  test('an address gets at most five links a day, for all pages', async () => {
    const email = address()
    const other = await pageOf((await at.account('growth')).id)
    for (const slug of [page.slug, other.slug, page.slug, other.slug, page.slug, other.slug, page.slug]) {
      at.pass(61_000)
      expect((await subscribe({ email }, slug)).status).toBe(202)
    }
    expect(await mailsTo(email)).toHaveLength(5)
    expect(await outcomes('address_limit')).toBe(2)
    at.pass(86_400_000)
    await subscribe({ email })
    expect(await mailsTo(email)).toHaveLength(6)
  })

  test('concurrent requests are all counted', async () => {
    const email = address()
    const slugs: string[] = []
    for (let made = 0; made < 8; made += 1) {
      slugs.push((await pageOf((await at.account('growth')).id)).slug)
    }
    await Promise.all(
      slugs.map((slug, n) =>
        at.app.inject({
          method: 'POST',
          url: `/status/${slug}/subscribers`,
          remoteAddress: `192.0.2.${n}`,
          payload: { email },
        }),
      ),
    )
    expect(await mailsTo(email)).toHaveLength(5)
  })

  test('a client address may send five requests a minute and learns how long to wait', async () => {
    for (let asked = 0; asked < 5; asked += 1) {
      expect((await subscribe({ email: address() })).status).toBe(202)
    }
    const email = address()
    const refused = await subscribe({ email })
    expect(refused.status).toBe(429)
    expect(refused.json.code).toBe('SV-6004')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(await mailsTo(email)).toHaveLength(0)
    at.pass(61_000)
    expect((await subscribe({ email })).status).toBe(202)
  })
})

describe('a confirmation link', () => {
  test('works for 24 hours, then the subscription is deleted', async () => {
    const email = address()
    await subscribe({ email })
    const token = tokenIn((await mailsTo(email))[0])
    at.pass(86_400_000 - 60_000)
    expect((await toConfirm(token)).status).toBe(200)
    at.pass(61_000)
    expect((await toConfirm(token)).status).toBe(404)
    expect((await confirm(token)).status).toBe(404)
    expect(await isConfirmed(email)).toBe(false)
    await deleteUnconfirmed(at.sql, at.now())
    expect(await isConfirmed(email)).toBeUndefined()
  })

  test('is replaced by a newer link', async () => {
    const email = address()
    await subscribe({ email })
    await subscribe({ email })
    const [older, newer] = (await mailsTo(email)).map(tokenIn)
    expect((await confirm(older ?? '')).status).toBe(404)
    expect((await confirm(newer ?? '')).status).toBe(200)
  })

  test.each(['', '?token=', '?token=x', `?token=${'A'.repeat(43)}`, '?token=a&token=b'])(
    'with an unknown token is SV-3001: %s',
    async (query) => {
      const answer = await at.call('GET', `/subscriptions/confirm.json${query}`)
      expect(answer).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    },
  )

  test.each([{}, { token: '' }, { token: 1 }, { token: 'A'.repeat(10_000) }])(
    'with an invalid token confirms nothing: %o',
    async (body) => {
      const answer = await at.call('POST', '/subscriptions/confirm.json', { body })
      expect(answer).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    },
  )
})

describe('unsubscribing', () => {
  const tokens = createUnsubscribeTokens('the key of the tests')
  const path = '/subscriptions/unsubscribe.json'
  const end = (token: string) => at.call('POST', path, { body: { token } })
  const toEnd = (token: string) => at.call('GET', `${path}?token=${token}`)

  const confirmed = async (): Promise<{ email: string; token: string }> => {
    const email = address()
    await subscribe({ email })
    await confirm(tokenIn((await mailsTo(email))[0]))
    const [row] = await at.sql<{ id: string }[]>`select id from subscribers where email = ${email}`
    return { email, token: tokens.of(row?.id ?? '') }
  }

  test('one POST ends the subscription, and a second one changes nothing', async () => {
    const { email, token } = await confirmed()
    expect(await end(token)).toMatchObject({ status: 200, json: { unsubscribed: true } })
    expect(await isConfirmed(email)).toBeUndefined()
    expect(await end(token)).toMatchObject({ status: 200, json: { unsubscribed: true } })
    expect(await toEnd(token)).toMatchObject({ status: 200, json: { subscription: null } })
  })

  test('a GET shows the subscription and changes nothing', async () => {
    const { email, token } = await confirmed()
    const subscription = { pageName: 'scale account', componentName: null }
    expect((await toEnd(token)).json).toEqual({ subscription })
    expect(await isConfirmed(email)).toBe(true)
  })

  test('a token with one changed character ends nothing', async () => {
    const { email, token } = await confirmed()
    const last = token.endsWith('A') ? 'B' : 'A'
    expect((await end(token.slice(0, -1) + last)).status).toBe(404)
    expect((await toEnd(token.slice(0, -1))).status).toBe(404)
    expect(await isConfirmed(email)).toBe(true)
  })
})
