import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestApp, type TestAccount } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { testContext } from '../terminal/testing.ts'
import { fetchInto } from './testing.ts'

let account: TestAccount
const at = useTestApp()
beforeEach(async () => {
  account = await at.account('growth')
  at.answers.observed.setReadings('github', { fra: 'up', iad: 'down', sjc: 'blocked' })
  // the budget of each test is its own
  at.pass(61_000)
})

/** A command line against the app; its pauses are the app's too. */
const run = async (line: string, options: { key?: string } = {}) => {
  const { fetch, asked } = fetchInto(at)
  const context = testContext({
    fetch,
    nowMs: at.now(),
    environment: {
      SERVICE_API_URL: 'http://app/v1',
      SERVICE_API_KEY: options.key ?? account.readKey,
      LANG: 'C.UTF-8',
    },
  })
  const patient = {
    ...context,
    pause: async (ms: number) => {
      await context.pause(ms)
      at.pass(ms)
    },
  }
  const exitCode = await runCommandLine(allCommands, patient, line.split(' '))
  return { exitCode, ...context.written, asked, json: () => JSON.parse(context.written.out) }
}

const create = async (name: string): Promise<string> => {
  const body = { name, url: 'https://example.org/' }
  const made = await at.call('POST', '/v1/checks', { key: account.writeKey, body })
  return made.json.id
}

describe('status', () => {
  test('lists every check, or says that there is none', async () => {
    expect((await run('status')).out).toBe('This account has no checks.\n')
    await create('api')
    const { out, exitCode } = await run('status')
    expect(exitCode).toBe(0)
    expect(out).toContain('1 check: 1 unknown')
    expect(out).toMatch(/^\? unknown {2}api {2}/m)
    expect((await run('status --json')).json()).toMatchObject({
      version: 1,
      checks: [{ name: 'api' }],
    })
  })

  test('shows every check with a name, or the one with an id', async () => {
    const ids = [await create('api'), await create('api'), await create('web')]
    const { out, exitCode } = await run('status api')
    expect(exitCode).toBe(0)
    expect(out.match(/^ {2}id .*$/gm)).toEqual(ids.slice(0, 2).map((id) => `  id ${id}`))
    expect(out).toContain('Nothing has been measured yet.')
    expect((await run(`status ${ids[1]} --json`)).json().checks).toMatchObject([
      { id: ids[1], vantage: 'local', regionStatuses: { length: 4 } },
    ])
  })

  test('suggests the nearest names for an unknown name, and exits 1', async () => {
    await create('checkout')
    const { out, err, exitCode } = await run('status chekout')
    expect([exitCode, out]).toEqual([1, ''])
    expect(err).toBe('There is no check named chekout.\nDid you mean checkout?\n')
    expect((await run('status zzz')).err).toContain('Run `probe-mesh status` to list the 1 check.')
  })

  test('waits for the time that a 429 names', async () => {
    for (let n = 0; n < 120; n++) await at.call('GET', '/v1/checks', { key: account.readKey })
    const { exitCode, err } = await run('status')
    expect(exitCode).toBe(0)
    expect(err).toMatch(/^The read rate limit is reached \(SV-6001\): waiting \d+ s\.$/m)
  })

  test('prints an API refusal as returned', async () => {
    const free = await at.account('free')
    const { exitCode, err } = await run('status', { key: free.readKey })
    expect([exitCode, err]).toEqual([1, `SV-1003: ${refusals['SV-1003'].message}\n`])
  })
})

describe('outage', () => {
  test('sends one request without a key, and exits 0 even if the service is down', async () => {
    const { exitCode, out, asked } = await run('outage gh')
    expect(exitCode).toBe(0)
    expect(out).toMatch(/^GitHub\n {2}◐ down in some regions\n/)
    expect(out).toMatch(/^sjc {5}⊘ blocked/m)
    expect(out).toContain('Regions read: fra, iad, sjc\n')
    expect(out).toContain('Measured from one machine, which stands for every region.')
    expect(asked.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['http://app/v1/public/services/gh/status', null],
    ])
  })

  test('reports a service outside the catalog as not covered', async () => {
    const { exitCode, out } = await run('outage githup')
    expect(exitCode).toBe(0)
    expect(out).toMatch(/^\? not covered\n/)
    expect(out).toContain('  probe-mesh outage github\n')
    expect((await run('outage githup --json')).json()).toMatchObject({
      version: 1,
      status: 'not_covered',
      didYouMean: ['github'],
    })
  })

  test('reports no data for a service that was never measured', async () => {
    const { out } = await run('outage stripe')
    expect(out).toMatch(/^Stripe\n {2}\? no data\n/)
    expect(out).toContain('Regions read: none\n')
  })

  test('waits for the rate limit of keyless requests', async () => {
    for (let n = 0; n < 60; n++) await at.call('GET', '/v1/public/internet')
    const { exitCode, err } = await run('outage github')
    expect(exitCode).toBe(0)
    expect(err).toContain('(SV-6004): waiting ')
  })
})

describe('incidents and maintenance', () => {
  const pageId = async (): Promise<string> => {
    const pages = await at.call('GET', '/v1/status-pages', { key: account.readKey })
    return pages.json.statusPages[0].id
  }

  test('lists incidents newest first with the names of their checks', async () => {
    expect((await run('incidents')).out).toBe('No incidents.\n')
    const checkId = await create('api')
    const statusPageId = await pageId()
    for (const title of ['first', 'second']) {
      const body = { statusPageId, checkId, region: 'fra', title, body: 'It is slow.' }
      await at.call('POST', '/v1/incidents', { key: account.writeKey, body })
      at.pass(1_000)
    }
    const { out, exitCode } = await run('incidents')
    expect(exitCode).toBe(0)
    const rows = out.split('\n').slice(1, 3)
    expect(rows[0]).toMatch(/^investigating .* so far {2}fra +api +second$/)
    expect(rows[1]).toMatch(/ first$/)
    expect((await run('incidents --limit 1 --json')).json().incidents).toMatchObject([{ title: 'second' }])
  })

  test.each(['0', '501', 'ten', '1.5'])(
    'a limit of %s is refused before anything is asked',
    async (limit) => {
      const { exitCode, err, asked } = await run(`incidents --limit ${limit}`)
      expect([exitCode, asked]).toEqual([1, []])
      expect(err).toBe(`--limit: "${limit}" is not a whole number from 1 to 500.\n`)
    },
  )

  test('lists active maintenance of each status page', async () => {
    expect((await run('maintenance')).out).toBe('No maintenance is active on 1 status page.\n')
    const window = { title: 'New disks', body: 'Soon over.', durationMinutes: 90 }
    const body = { statusPageId: await pageId(), ...window }
    await at.call('POST', '/v1/maintenance', { key: account.writeKey, body })
    const { out } = await run('maintenance')
    expect(out).toMatch(/ 1 h \d+ min {2}the whole page +New disks$/m)
    expect((await run('maintenance --json')).json()).toMatchObject({
      windows: [{ title: 'New disks', state: 'active' }],
      statusPages: { length: 1 },
    })
  })
})

describe('run', () => {
  test('measures from every region, reports a silent region as unmeasured, and exits 0 when down', async () => {
    const id = await create('api')
    const serving = await at.bus.runs.serve('fra', async ({ at: slot, number }) => ({
      agent: 'agent',
      reading: {
        checkId: id,
        region: 'fra',
        slot,
        kind: 'manual',
        number,
        verdict: 'down',
        fault: 'target',
        cause: 'status_mismatch',
        reason: 'expected status 200 to 299, got \u001B[31m503',
        httpStatus: 503,
        latencyMs: 84,
        timings: { dnsMs: 4, connectMs: 20, tlsMs: 20, ttfbMs: 40, transferMs: 0 },
        measuredAt: at.now(),
        attempts: 2,
        lateMs: 0,
        address: '192.0.2.1',
        certificateExpiresAt: null,
      },
    }))
    const { exitCode, out } = await run('run api', { key: account.writeKey })
    expect(exitCode).toBe(0)
    expect(out).toContain('4 regions: 1 down, 3 unmeasured\n')
    expect(out).toContain('fra  ✗ down, 84.0 ms, HTTP 503, ')
    expect(out).toContain('     expected status 200 to 299, got \\u001b[31m503\n')
    expect(out).toMatch(/^ {5}ttfb {4,} +█+ +40\.0 ms$/m)
    expect(out.match(/^\w{3} {2}\? unmeasured$/gm)).toHaveLength(3)
    await serving.close()
  })

  test('is refused for a read-only key', async () => {
    await create('api')
    const { exitCode, err } = await run('run api')
    expect(exitCode).toBe(1)
    expect(err).toMatch(/^SV-1004: /)
  })

  test('asks for an id when several checks share a name', async () => {
    const ids = [await create('api'), await create('api')]
    const { exitCode, err } = await run('run api', { key: account.writeKey })
    expect(exitCode).toBe(1)
    expect(err).toBe(`2 checks are named api: use the id.\n${ids.join(', ')}\n`)
  })

  test('does not wait when the write limit is reached', async () => {
    const id = await create('api')
    for (let n = 0; n < 30; n++) await at.call('DELETE', `/v1/checks/${uuidv7(n)}`, { key: account.writeKey })
    const { exitCode, err } = await run(`run ${id}`, { key: account.writeKey })
    expect(exitCode).toBe(1)
    expect(err).toMatch(/^SV-6002: /)
  })
})

test('doctor reports the account and its remaining limits', async () => {
  const { exitCode, out } = await run('doctor', { key: account.writeKey })
  // the host of the test has no name in DNS
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^fail {2}dns +app does not resolve on this machine/m)
  expect(out).toMatch(/^ok {4}api +answered in \d+ ms$/m)
  expect(out).toMatch(/^ok {4}account +growth account, growth plan$/m)
  expect(out).toMatch(/^ok {4}scope +read_write/m)
  expect(out).toMatch(/^ok {4}budget +\d+ reads and \d+ writes left/m)
  expect(out).toMatch(/^ok {4}regions +iad, sjc, fra, nrt$/m)
  expect(out).not.toContain(account.writeKey)
})
