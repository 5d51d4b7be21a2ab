import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { expect, test } from 'vitest'
import { testContext } from '../terminal/testing.ts'
import { doctorOn, type Machine } from './doctor.ts'

const nowMs = Date.parse('2026-11-20T12:00:00Z')
const key = formatApiKey('read', new Uint8Array(32))
const me = {
  account: { id: 'id', name: 'Acme \u001B[2J', tier: 'growth' },
  key: { scope: 'read', name: 'laptop' },
  limits: {
    monitors: { used: 100, allowed: 100 },
    minimumIntervalSeconds: 60,
    reads: { left: 118 },
    writes: { left: 30 },
  },
  regions: ['iad', 'fra'],
}

/** An API whose clock is so many seconds behind ours. @param answer to whoever has a key */
const apiOf = (
  behind: number,
  answer: () => Response = () => Response.json(me),
  statuses: readonly string[] = ['operational', 'down'],
): typeof fetch =>
  (async (url, init) => {
    const hasKey = new Headers(init?.headers).has('authorization')
    const response = hasKey
      ? String(url).endsWith('/checks')
        ? Response.json({ checks: statuses.map(checkOf) })
        : answer()
      : Response.json(toProblem(refuse('SV-1001')), { status: 401 })
    response.headers.set('date', new Date(nowMs - behind * 1000).toUTCString())
    return response
  }) as typeof fetch

const checkOf = (status: string) =>
  status === 'paused' ? { status: 'stale', paused: true } : { status, paused: false }

const unreachable = (async () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  throw new TypeError('fetch failed', { cause })
}) as typeof fetch

const examine = async (given: {
  json?: boolean
  fetch?: typeof fetch
  environment?: Record<string, string>
  machine?: Partial<Machine>
  columns?: number
}) => {
  const context = testContext({
    fetch: given.fetch ?? apiOf(0),
    columns: given.columns ?? 200,
    nowMs,
    environment: {
      SERVICE_API_KEY: key,
      SERVICE_API_URL: 'https://api.example.com/v1',
      ...given.environment,
    },
  })
  const machine: Machine = {
    nodeVersion: '24.21.0',
    lookup: async () => [{ address: '192.0.2.1', family: 4 }],
    ...given.machine,
  }
  const options = {
    json: given.json ?? false,
    noColor: false,
    apiUrl: undefined,
    apiKey: undefined,
  }
  const exitCode = await doctorOn(machine)(context, options, [])
  return { exitCode, out: context.written.out }
}

test('reports every part, with a fix for each that fails', async () => {
  const { out, exitCode } = await examine({ columns: 80 })
  expect(exitCode).toBe(0)
  expect(`\n${out}`).toMatchInlineSnapshot(`
    "
    ok    node      24.21.0
    ok    terminal  the output is not a terminal: colours are off
    ok    address   https://api.example.com/v1
    ok    dns       api.example.com is 192.0.2.1
    ok    api       answered in 0 ms
    ok    clock     agrees with the API
    ok    key       well formed, read
    ok    account   Acme \\u001b[2J, growth plan
    warn  scope     read: can show changes, but cannot apply them or run checks.
                    -> Create a read_write key in the dashboard to change anything.
    warn  checks    100 of 100 used, shortest interval 60 s
                    -> Delete a check or change the plan before you create another.
    ok    budget    118 reads and 30 writes left this minute
    ok    regions   iad, fra
    ok    readings  2 of 2 running checks have fresh readings

    11 ok, 2 warnings, 0 failures.
    "
  `)
})

test.each<[string, Parameters<typeof examine>[0], RegExp, number]>([
  ['an old Node', { machine: { nodeVersion: '20.19.0' } }, /^fail {2}node +20.19.0 is older than 22/m, 1],
  ['Node 22.0', { machine: { nodeVersion: '22.0.0' } }, /^ok {4}node/m, 0],
  ['no key', { environment: { SERVICE_API_KEY: '' } }, /^fail {2}key +No API key is set/m, 1],
  [
    'a cut key',
    { environment: { SERVICE_API_KEY: key.slice(1) } },
    /^fail {2}key +.*truncated or mistyped/m,
    1,
  ],
  ['no URL', { environment: { SERVICE_API_URL: 'api' } }, /^fail {2}address +SERVICE_API_URL: "api"/m, 1],
  ['no server', { fetch: unreachable }, /^fail {2}api +No answer from .*: connection refused/m, 1],
  [
    'another server',
    { fetch: (async () => new Response('<html>')) as typeof fetch },
    /^fail {2}api +http.* answered with status 200, but it is not the API/m,
    1,
  ],
  ['a clock 4 s ahead', { fetch: apiOf(4) }, /^ok {4}clock/m, 0],
  ['a clock 7 s ahead', { fetch: apiOf(7) }, /^warn {2}clock +This machine is \d s ahead of the API/m, 0],
  ['a clock an hour behind', { fetch: apiOf(-3_600) }, /^warn {2}clock +.* (1 h|59 min) behind the API/m, 0],
  [
    'no such host',
    {
      machine: {
        lookup: async () => {
          throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
        },
      },
    },
    /^fail {2}dns +api.example.com does not resolve on this machine \(ENOTFOUND\)/m,
    1,
  ],
  [
    'a host of IPv6 only',
    { machine: { lookup: async () => [{ address: '2001:db8::1', family: 6 }] } },
    /^ok {4}dns +.*needs IPv6/m,
    0,
  ],
  ['a proxy', { environment: { HTTPS_PROXY: 'proxy:3128' } }, /^ok {4}proxy +proxy:3128, by HTTPS_PROXY/m, 0],
  [
    'a proxy that is none',
    { environment: { HTTPS_PROXY: 'socks5://user:secret@proxy' } },
    /^fail {2}proxy +HTTPS_PROXY is not the URL of an HTTP proxy/m,
    1,
  ],
  [
    'no encryption',
    { environment: { SERVICE_API_URL: 'http://api.example.com/v1' } },
    /^warn {2}address +.*not encrypted/m,
    0,
  ],
  [
    'a host that only looks local',
    { environment: { SERVICE_API_URL: 'http://127.example.com/v1' } },
    /^warn {2}address +.*not encrypted/m,
    0,
  ],
  ['this machine', { environment: { SERVICE_API_URL: 'http://127.0.0.1:8080/v1' } }, /^ok {4}address/m, 0],
  [
    'a revoked key',
    { fetch: apiOf(0, () => Response.json(toProblem(refuse('SV-1002')), { status: 401 })) },
    /^fail {2}account +SV-1002: .*\n +-> Create a key/m,
    1,
  ],
  [
    'a check that went stale',
    { fetch: apiOf(0, undefined, ['operational', 'stale', 'unknown', 'paused']) },
    /^warn {2}readings +1 of 3 running checks .*1 are stale, 1 were never measured/m,
    0,
  ],
  [
    'no reads left',
    { fetch: apiOf(0, () => Response.json(toProblem(refuse('SV-6001')), { status: 429 })) },
    /^warn {2}account +SV-6001/m,
    0,
  ],
])('reports %s in words and by the exit code', async (_, given, line, code) => {
  const { out, exitCode } = await examine(given)
  expect(out).toMatch(line)
  expect(exitCode).toBe(code)
  expect(out).not.toContain(key)
})

test('reports all failures at once when nothing works', async () => {
  const { out } = await examine({
    fetch: unreachable,
    environment: { SERVICE_API_KEY: '' },
    machine: {
      nodeVersion: '18.0.0',
      lookup: async () => {
        throw Object.assign(new Error('no'), { code: 'EAI_AGAIN' })
      },
    },
  })
  expect(out.match(/^fail {2}\w+/gm)).toEqual(['fail  node', 'fail  dns', 'fail  api', 'fail  key'])
})

test('prints findings as JSON without terminal control characters', async () => {
  const { out } = await examine({ json: true })
  expect(out).not.toContain('\u001B')
  const { version, findings } = JSON.parse(out)
  expect(version).toBe(1)
  expect(findings).toContainEqual({
    level: 'ok',
    topic: 'account',
    message: 'Acme \u001B[2J, growth plan',
  })
})
