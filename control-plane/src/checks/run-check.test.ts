import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, cookieOf, loggedIn, logInAs } from '../app/testing/log-in.ts'
import { readingAt } from '../status/testing.ts'
import { aStep, typedChecks, typedCheckTypes } from '../app/testing/operation-context.ts'

const at = useTestApp({ config: { budgetScale: 100 } })
const acme = useOnce(() => loggedIn(at))
const free = useOnce(() => loggedIn(at, 'free'))

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Agents of those regions, and what they are asked. */
const serve = async (...regions: string[]) => {
  const requests: RunRequest[] = []
  for (const region of regions) {
    const serving = await at.bus.runs.serve(region, async (request) => {
      requests.push(request)
      const { at: slot, number, kind, assignment } = request
      const more = { checkId: assignment.checkId, slot, number, kind }
      return { agent: `${region}-1`, reading: readingAt(region, 'up', slot, more) }
    })
    closing.push(() => serving.close())
  }
  return requests
}

const tryIt = (body: unknown, user = acme) => asUser(at, user, 'POST', '/trials', body)
const http = { name: 'site', url: 'https://example.org/', assertionStatusMin: 201 }
const counts = async () => {
  const [row] = await at.sql`select (select count(*) from checks) as checks,
    (select count(*) from check_revisions) as revisions, (select count(*) from outbox) as outbox`
  return row
}

describe('a trial', () => {
  test('returns a reading per region and the unanswered regions, and saves nothing', async () => {
    const requests = await serve('fra', 'nrt')
    const before = await counts()
    const { status, json } = await tryIt({ ...http, regions: ['fra', 'nrt', 'iad'] })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      readings: [
        { region: 'fra', kind: 'manual', verdict: 'up', receivedAt: null },
        { region: 'nrt', kind: 'manual', verdict: 'up', receivedAt: null },
      ],
      unanswered: ['iad'],
      vantage: 'local',
    })
    expect(await counts()).toEqual(before)
    expect(requests[0]).toMatchObject({
      kind: 'manual',
      assignment: {
        accountId: acme.accountId,
        owner: 'account',
        url: http.url,
        intervalSeconds: 10,
        assertions: { assertionStatusMin: 201, assertionJsonPath: null },
      },
    })
    // of no check that there is
    const id = requests[0]?.assignment.checkId
    expect(await asUser(at, acme, 'GET', `/checks/${id}`)).toMatchObject({ status: 404 })
  })

  test.each(typedCheckTypes.filter((type) => type !== 'heartbeat'))(
    'of a %s check asks what the check would, also of one that would be paused',
    async (type) => {
      const requests = await serve('fra')
      const { name: _name, ...held } = typedChecks[type].body
      const body = { ...typedChecks[type].body, regions: ['fra'], paused: true }
      expect(await tryIt(body)).toMatchObject({ status: 200, json: { unanswered: [] } })
      expect(requests).toMatchObject([{ assignment: held }])
    },
  )

  test('is in the audit log', async () => {
    await tryIt(http)
    const { entries } = (await asUser(at, acme, 'GET', '/audit-log')).json
    expect(entries[0]).toMatchObject({ action: 'tryCheck', actor: { name: acme.email } })
  })

  test('does not count against the limit of checks', async () => {
    await serve('fra')
    for (let n = 0; n < 10; n++) {
      await asUser(at, free, 'POST', '/typed-checks', typedChecks.heartbeat.body)
    }
    expect(await tryIt({ ...http, regions: ['fra'] }, free)).toMatchObject({ status: 200 })
  })
})

test('a free account runs two trials at a time, over all its sessions', async () => {
  const asked: (() => void)[] = []
  const serving = await at.bus.runs.serve('fra', async ({ at: slot, number, kind, assignment }) => {
    await new Promise<void>((resolve) => asked.push(resolve))
    const more = { checkId: assignment.checkId, slot, number, kind }
    return { agent: 'fra-1', reading: readingAt('fra', 'up', slot, more) }
  })
  closing.push(() => serving.close())
  const body = { ...http, regions: ['fra'] }
  const again = { ...free, cookie: cookieOf(await logInAs(at, free.email)) }
  const underWay = [tryIt(body, free), tryIt(body, again)]
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  for (const session of [free, again]) {
    const { status, json, headers } = await tryIt(body, session)
    expect(json).toMatchObject({ code: 'SV-6002', detail: expect.stringContaining('2 trials') })
    expect([status, headers['retry-after']]).toEqual([429, '10'])
  }
  // a paying account's are its own
  const paying = tryIt(body, acme)
  await vi.waitFor(() => expect(asked).toHaveLength(3))
  for (const answer of asked) answer()
  const done = await Promise.all([...underWay, paying])
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200])
  const next = tryIt(body, free)
  await vi.waitFor(() => expect(asked).toHaveLength(4))
  asked.at(-1)?.()
  expect((await next).status).toBe(200)
})

test('free accounts together run two trials of browser checks, and a third is told to wait', async () => {
  const requests: RunRequest[] = []
  const answers: (() => void)[] = []
  const serving = await at.bus.runs.serve('fra', async (request) => {
    requests.push(request)
    await new Promise<void>((resolve) => answers.push(resolve))
    const { at: slot, number, kind, assignment } = request
    const more = { checkId: assignment.checkId, slot, number, kind }
    return { agent: 'fra-1', reading: readingAt('fra', 'up', slot, more) }
  })
  closing.push(() => serving.close())
  const body = { ...typedChecks.browser.body, intervalSeconds: 300, regions: ['fra'] }
  const others = [await loggedIn(at, 'free'), await loggedIn(at, 'free')] as const
  const underWay = [tryIt(body, free), tryIt(body, others[0])]
  await vi.waitFor(() => expect(requests).toHaveLength(2))
  const { status, json, headers } = await tryIt(body, others[1])
  expect(json).toMatchObject({ code: 'SV-6002', detail: expect.stringContaining('browser checks') })
  expect([status, headers['retry-after']]).toEqual([429, '20'])
  // a paying account's are its own, and agents tell them apart
  const paying = tryIt(body, acme)
  await vi.waitFor(() => expect(requests).toHaveLength(3))
  expect(requests.map(({ freeTrial }) => freeTrial)).toEqual([true, true, undefined])
  for (const answer of answers) answer()
  const done = await Promise.all([...underWay, paying])
  expect(done.map((each) => each.status)).toEqual([200, 200, 200])
})

describe('a trial refused like a create, without any request', () => {
  test.each([
    ['no name', { url: http.url }, 422, 'SV-2001', 'name'],
    ['not an object', [], 422, 'SV-2001', ''],
    ['another type', { ...http, type: 'ftp' }, 422, 'SV-2001', 'type'],
    ['an unknown field', { ...http, port: 5 }, 422, 'SV-2001', 'port'],
    ['a region that is not live', { ...http, regions: ['xxx'] }, 422, 'SV-2001', 'regions[0]'],
    [
      'a pattern',
      { ...http, assertionJsonPath: '$..a', assertionJsonOp: 'exists' },
      422,
      'SV-2002',
      'assertionJsonPath',
    ],
    ['an inner address', { ...http, url: 'http://10.0.0.1/' }, 422, 'SV-5001', 'url'],
    ['too fast', { ...http, intervalSeconds: 9 }, 403, 'SV-4002', 'intervalSeconds'],
    [
      'eleven steps',
      { ...typedChecks.multistep.body, steps: Array.from({ length: 11 }, () => aStep) },
      422,
      'SV-2003',
      'steps',
    ],
    [
      'a step inside',
      { ...typedChecks.multistep.body, steps: [aStep, { ...aStep, url: 'http://10.0.0.1/' }] },
      422,
      'SV-5001',
      'steps[1].url',
    ],
  ])('%s', async (_name, body, status, code, path) => {
    const requests = await serve('fra')
    const answer = await tryIt(body)
    expect(answer).toMatchObject({ status, json: { code } })
    expect(answer.json.errors.map((each: { path: string }) => each.path)).toContain(path)
    expect(requests).toEqual([])
  })

  test('a heartbeat', async () => {
    expect(await tryIt(typedChecks.heartbeat.body)).toMatchObject({
      status: 405,
      json: { code: 'SV-3005' },
    })
  })

  test('an interval below the plan of the account', async () => {
    expect(await tryIt({ ...http, intervalSeconds: 299 }, free)).toMatchObject({ status: 403 })
  })
})
