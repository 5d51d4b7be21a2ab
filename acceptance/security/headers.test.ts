import { startTestApp, type TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { beforeAll, describe, expect, test } from 'vitest'
import { serveWeb } from '@probe-mesh/infra/start/processes/serve-web'

const publicUrl = 'https://status.example.com'

let at: TestApp
let open: TestApp
beforeAll(async () => {
  const serve: Parameters<typeof startTestApp>[0] = {
    serve: (app) => serveWeb(app, { publicUrl, mcpUrl: null }),
  }
  at = await startTestApp({ ...serve, config: { publicUrl } })
  open = await startTestApp(serve)
})

type Method = Parameters<TestApp['call']>[0]

/** Every route of the app, including pages, with samples for its parameters. */
const routesOf = ({ app }: TestApp): { method: Method; url: string }[] => {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      // a branch is indented by four characters more than its parent
      const [, indent = '', part = '', methods] = /^(.*?)[├└]── ([^ ]*)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
      above.splice(indent.length / 4)
      above.push(part)
      const url = above
        .join('')
        .replace(/:\w+(?:\([^)]*\))?/g, 'x')
        .replace('*', 'nowhere')
      return (methods?.split(', ') ?? []).map((method) => ({ method: method as Method, url }))
    })
}

const isPage = (headers: Record<string, unknown>): boolean =>
  String(headers['content-type']).startsWith('text/html')

describe('every route', () => {
  test('of the API, pages, pings and error events has the security headers', async () => {
    const routes = routesOf(at)
    expect(routes.length).toBeGreaterThan(250)
    let pages = 0
    for (const { method, url } of routes) {
      const { headers } = await at.call(method, url, { headers: { accept: 'text/html' } })
      const of = `${method} ${url}`
      expect(headers['x-content-type-options'], of).toBe('nosniff')
      expect(headers['strict-transport-security'], of).toBe('max-age=31536000')
      if (!isPage(headers)) continue
      pages += 1
      expect(headers['cross-origin-opener-policy'], of).toBe('same-origin')
      expect(headers['permissions-policy'], of).toContain('camera=()')
      expect(headers['referrer-policy'], of).toBe('same-origin')
      expect(headers['content-security-policy'], of).toContain("default-src 'none'")
    }
    expect(pages).toBeGreaterThan(80)
  })

  test.each(['/%zz', '/nowhere', '/v1/nowhere', '//login', `/${'x'.repeat(20_000)}`])(
    'and unknown paths have the security headers: %s',
    async (url) => {
      const { headers, status } = await at.call('GET', url)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000',
      })
    },
  )
})

test('sends no HSTS header without TLS', async () => {
  for (const url of ['/login', '/v1/me', '/healthz'])
    expect((await open.call('GET', url)).headers['strict-transport-security']).toBeUndefined()
})

const secret = 'a'.repeat(43)
test.each([
  `/login/link?token=${secret}`,
  `/signup/confirm?token=${secret}`,
  `/subscriptions/confirm?token=${secret}`,
  `/subscriptions/unsubscribe/${secret}${'b'.repeat(21)}`,
])('a page with a token in its URL sends no referrer: %s', async (path) => {
  const shown = await at.call('GET', path, { headers: { accept: 'text/html' } })
  expect(isPage(shown.headers)).toBe(true)
  expect(shown.headers['referrer-policy']).toBe('same-origin')
})

test('no log line of a failure contains a URL with a token', async () => {
  const token = 'secret-token-of-a-mail-0123456789abcdefghijklmnopqrstuvwxyz'
  const broken = await startTestApp({
    serve: (app) => serveWeb(app, { publicUrl, mcpUrl: null }),
  })
  // every statement fails from here on
  await broken.sql`alter schema public rename to gone`
  const calls: [Method, string, unknown?][] = [
    ['GET', `/subscriptions/confirm?token=${token}`],
    ['GET', `/subscriptions/unsubscribe/${token}`],
    ['POST', `/subscriptions/unsubscribe/${token}`],
    ['GET', `/login/link?token=${token}`],
    ['GET', `/ping/${token}/start?rid=${token}`],
    ['GET', `/ping/00000000-0000-4000-8000-000000000000?rid=${token}`],
    ['POST', '/dashboard-api/login-links/confirm', { token }],
    ['POST', '/dashboard-api/sign-ups/confirm', { token, accountName: 'x', password: token }],
    ['POST', `/api/7/store/?sentry_key=${token}`, {}],
    ['GET', `/v1/checks?cursor=${token}`],
  ]
  for (const [method, url, body] of calls) {
    await broken.call(method, url, {
      headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      ...(body === undefined ? {} : { body }),
    })
  }
  const lines = broken.logged.join('\n')
  // one line for the fault of the database, and one for each failure that the database did not cause
  expect(lines).toContain('a request failed')
  expect(lines).not.toContain(token)
  await broken.close()
})
