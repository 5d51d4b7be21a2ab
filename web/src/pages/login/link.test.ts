import { newUser } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { beforeEach, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { useTestWeb, type Visitor } from '../../testing/test-web.ts'

const web = useTestWeb()
// one client address asks in every test: its minute is over
beforeEach(() => web.at.pass(61_000))

/** Where the newest mail to somebody new leads. */
const mailedLink = async (visitor: Visitor): Promise<{ link: string; token: string }> => {
  const { email } = await newUser(web.at)
  expect(await visitor.post('/login/links', { email })).toMatchObject({ status: 303, to: '/login/sent' })
  const [mail] = await web.at.sql<{ message: { text: string } }[]>`
    select message from deliveries where recipient = ${email} order by sequence desc`
  const [, link = '', token = ''] =
    /http:\/\/127\.0\.0\.1:8080(\/login\/link\?token=([\w-]{43}))\s/.exec(mail?.message.text ?? '') ?? []
  return { link, token }
}

test('a mailed link shows a button and uses nothing up, however often it is opened', async () => {
  const visitor = web.visitor()
  const { link, token } = await mailedLink(visitor)
  for (let n = 0; n < 3; n++) {
    const shown = await visitor.get(link, { 'sec-fetch-site': 'cross-site' })
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('<form method="post" action="/login/link">')
    expect(shown.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      // no other site is told the token, and the form still says where it comes from
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(shown.headers['set-cookie']).toBeUndefined()
  }
  expect(await visitor.post('/login/link', { token })).toMatchObject({
    status: 303,
    to: '/dashboard',
  })
  expect((await visitor.get('/dashboard/checks')).status).toBe(200)
  const again = await web.visitor().post('/login/link', { token })
  expect(again.status).toBe(401)
  expect(again.text).toContain('used or expired')
  expect(again.headers['set-cookie']).toBeUndefined()
})

test('no form of another site logs its visitors in as somebody else', async () => {
  const visitor = web.visitor()
  const { token } = await mailedLink(visitor)
  const refused = await visitor.send('/login/link', { token }, { 'sec-fetch-site': 'cross-site' })
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('sent from a page of another site')
  expect((await visitor.post('/login/link', { token })).status).toBe(303)
})

test.each([
  ['GET', 404],
  ['POST', 422],
] as const)(
  'what is no link says so, and nothing that was sent is in the page: %s',
  async (method, status) => {
    const token = '"><script>alert(1)</script>'
    const shown =
      method === 'GET'
        ? await web.visitor().get(`/login/link?${new URLSearchParams({ token }).toString()}`)
        : await web.visitor().post('/login/link', { token })
    expect(shown.status).toBe(status)
    expect(shown.text).toContain('This is not a login link.')
    expect(withoutOwnScript(shown.raw)).not.toContain('script')
  },
)
