import { describe, expect, test } from 'vitest'
import { run, serve, step } from './testing/journey.ts'

/**
 * A shop: a login redirects, and the redirect sets the session. Its shelves are public; its orders need a
 * session.
 */
const openShop = (broken: { login: boolean }) =>
  serve(({ method, url, headers, body }, response) => {
    if (method === 'POST' && url === '/login' && body === 'user=a&password=b') {
      const session = broken.login ? {} : { 'set-cookie': 'session=s1; Path=/; HttpOnly' }
      response.writeHead(302, { location: '/welcome', ...session }).end()
    } else if (url === '/orders') {
      const known = headers.cookie === 'session=s1'
      response.writeHead(known ? 200 : 401).end(known ? '{"orders":[{"id":7}]}' : 'who are you?')
    } else {
      response.writeHead(200).end(`${url} is open`)
    }
  })

const journeyOf = (at: (path: string) => string) => {
  const status = { statusMin: 200, statusMax: 200 }
  return [
    step({
      name: 'login',
      method: 'POST',
      url: at('/login'),
      body: 'user=a&password=b',
      contentType: 'application/x-www-form-urlencoded',
    }),
    step({ name: 'shelves', url: at('/shelves'), assertions: status }),
    step({
      name: 'orders',
      url: at('/orders'),
      assertions: { ...status, jsonPath: 'orders[0].id', jsonOp: 'equals', jsonValue: '7' },
    }),
  ] as const
}

describe('a journey whose login sets a cookie on a redirect', () => {
  test('is up while the session reaches every later request', async () => {
    const broken = { login: false }
    const { at, requests } = await openShop(broken)
    expect(await run([...journeyOf(at)])).toMatchObject({
      verdict: 'up',
      fault: 'none',
      cause: 'ok',
      reason: null,
    })
    expect(requests.map(({ method, url, headers }) => [method, url, headers.cookie])).toEqual([
      ['POST', '/login', undefined],
      ['GET', '/welcome', 'session=s1'],
      ['GET', '/shelves', 'session=s1'],
      ['GET', '/orders', 'session=s1'],
    ])
  })

  test('fails at step 3 without the cookie, although step 2 passes alone', async () => {
    const { at } = await openShop({ login: true })
    const [login, shelves, orders] = journeyOf(at)
    expect(await run([login])).toMatchObject({ verdict: 'up' })
    expect(await run([shelves])).toMatchObject({ verdict: 'up' })
    const journey = await run([login, shelves, orders])
    expect(journey).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause: 'status_mismatch',
      reason: 'Step 3 (orders): expected status 200, got 401',
      trace: { answered: true, httpStatus: 401 },
    })
    expect(journey.hops.map(({ step, hop, httpStatus }) => [step, hop, httpStatus])).toEqual([
      [1, 0, 302],
      [1, 1, 200],
      [2, 0, 200],
      [3, 0, 401],
    ])
  })

  test('shares its jar with no other run', async () => {
    const { at, requests } = await openShop({ login: false })
    await run([...journeyOf(at)])
    const asked = requests.length
    await run([...journeyOf(at)])
    expect(requests[asked]?.headers.cookie).toBeUndefined()
  })
})
