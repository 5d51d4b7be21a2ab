import type { Check, CheckDetail, CheckStatus } from '@probe-mesh/contracts/check/check'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { formatApiKey } from '@probe-mesh/contracts/account/api-key'
import { describe, expect, test, vi } from 'vitest'
import type { FollowEvents } from '../../api/follow-events.ts'
import { checkOf } from '../../plan/testing.ts'
import { acted, before, detailOf, hostile, nowMs, readingOf, regionOf } from '../../show/testing.ts'
import { testWorld } from '../../terminal/testing.ts'
import { showStatus } from '../show-status.ts'

const key = formatApiKey('read', new Uint8Array(32))

const flipOf = (
  name: string,
  from: CheckStatus,
  to: CheckStatus,
  reason: string | null = null,
): AccountEvent => ({
  kind: 'flip',
  accountId: 'account',
  flip: {
    id: 'flip',
    accountId: 'account',
    checkId: `id of ${name}`,
    checkName: name,
    from,
    to,
    reason,
    at: before(0),
  },
})

/** An account that the test sets, and a stream that it tells on. */
const start = (given: {
  name?: string
  json?: boolean
  isTerminal?: boolean
  rows?: number
  checks: Check[]
}) => {
  let { checks } = given
  let reads = 0
  let holdRead: Promise<void> | null = null
  const answer = async (input: string | URL | Request): Promise<Response> => {
    reads += 1
    const read = checks
    await holdRead
    const id = new URL(String(input)).pathname.split('/v1/checks/')[1]
    const one = read.find((check) => check.id === decodeURIComponent(id ?? ''))
    if (id === undefined) return Response.json({ checks: read })
    return one === undefined
      ? Response.json(toProblem(refuse('SV-3001')), { status: 404 })
      : Response.json(one)
  }
  const world = testWorld({
    environment: { SERVICE_API_KEY: key, LANG: 'C.UTF-8' },
    isTerminal: given.isTerminal ?? false,
    fetch: answer as typeof fetch,
    nowMs,
  })
  let stream: Parameters<FollowEvents>[0] | undefined
  const ended = showStatus({
    rows: () => given.rows ?? 24,
    followEvents: async (following) => {
      stream = following
      await new Promise<void>((resolve) => {
        following.signal.addEventListener('abort', () => resolve())
      })
      return null
    },
  })(
    world,
    {
      watch: true,
      json: given.json ?? false,
      noColor: false,
      apiUrl: 'http://app/v1',
      apiKey: undefined,
    },
    given.name === undefined ? [] : [given.name],
  )
  const following = () => vi.waitUntil(() => stream)
  return {
    world,
    reads: () => reads,
    set: (next: Check[]) => {
      checks = next
    },
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      holdRead = promise
      return () => {
        holdRead = null
        resolve()
      }
    },
    tell: async (event: AccountEvent) => (await following()).onEvent(event),
    state: async (state: 'connected' | 'reconnecting') => (await following()).onState(state, null),
    /** All is read after the stream stands. */
    connect: async () => {
      const earlier = reads
      ;(await following()).onState('connected', null)
      await vi.waitFor(() => expect(reads).toBeGreaterThan(earlier))
      await new Promise(setImmediate)
    },
    stop: () => {
      world.interrupt()
      return ended
    },
    ended,
  }
}

describe('off a terminal', () => {
  test('every flip is a line, and Ctrl-C exits 0', async () => {
    const watch = start({ checks: [checkOf('api')] })
    await watch.connect()
    await watch.tell(flipOf('api', 'operational', 'down', `refused ${hostile}`))
    await watch.tell(flipOf('api', 'down', 'operational'))
    expect(await watch.stop()).toBe(0)
    const lines = watch.world.written.out.split('\n')
    expect(lines.slice(-3)).toEqual([
      `2026-11-20T12:00:00.000Z  api  operational -> down  refused ${String.raw`\u001b[2J\u009b31m\u202egnp.exe\u000d\u000a\u0007`}`,
      '2026-11-20T12:00:00.000Z  api  down -> operational',
      '',
    ])
    expect(watch.world.written.out).not.toMatch(acted)
    expect(watch.world.written.err).toBe('Following changes; Ctrl-C ends.\n')
  })

  test('what changed while the stream was away is told when all is read anew', async () => {
    const watch = start({ checks: [checkOf('api'), checkOf('web')] })
    await watch.connect()
    await watch.state('reconnecting')
    watch.set([checkOf('api', { status: 'down' }), checkOf('web')])
    await watch.connect()
    await vi.waitFor(() =>
      expect(watch.world.written.out).toMatch(
        /Z {2}api {2}operational -> down {2}\(seen when read anew\)\n$/,
      ),
    )
    expect(watch.world.written.err).toContain('broke off: connecting anew.')
    expect(await watch.stop()).toBe(0)
  })

  test('a flip that comes while all is read is told once, whether the read holds it or not', async () => {
    for (const inRead of ['operational', 'down'] as const) {
      const watch = start({ checks: [checkOf('api')] })
      await watch.connect()
      watch.set([checkOf('api', { status: inRead })])
      const release = watch.hold()
      await watch.connect()
      await watch.tell(flipOf('api', 'operational', 'down'))
      release()
      // also a flip that was not held back would have met the read by then
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
      await vi.waitFor(() => expect(watch.world.written.out).toContain('operational -> down\n'))
      await watch.tell(flipOf('api', 'down', 'operational'))
      expect(await watch.stop()).toBe(0)
      expect(watch.world.written.out.match(/->/g)).toHaveLength(2)
    }
  })

  test('a check that nobody knew is read', async () => {
    const watch = start({ json: true, checks: [] })
    await watch.connect()
    watch.set([checkOf('new')])
    const reads = watch.reads()
    await watch.tell(flipOf('new', 'unknown', 'operational'))
    await vi.waitFor(() => expect(watch.reads()).toBe(reads + 1))
    await watch.stop()
  })
})

test('with --json every line is an object: all checks, then the flips and the state of the stream', async () => {
  const watch = start({ json: true, checks: [checkOf('api')] })
  await watch.connect()
  await watch.tell(flipOf('api', 'operational', 'down', hostile))
  await watch.state('reconnecting')
  expect(await watch.stop()).toBe(0)
  expect(watch.world.written.out).not.toMatch(acted)
  const objects = watch.world.written.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(objects).toMatchObject([
    { version: 1, kind: 'checks', checks: [{ name: 'api' }] },
    { version: 1, kind: 'link', state: 'connected' },
    { version: 1, kind: 'flip', flip: { to: 'down', reason: hostile } },
    { version: 1, kind: 'link', state: 'reconnecting' },
  ])
})

describe('on a terminal', () => {
  const lastScreen = (out: string): string => out.split('\u001B[J').at(-1) ?? ''

  test('the table is drawn in its place with the newest readings', async () => {
    const watch = start({ isTerminal: true, checks: [checkOf('api'), checkOf('web')] })
    await watch.connect()
    await watch.tell({
      kind: 'reading',
      accountId: 'account',
      checkId: 'id of web',
      reading: readingOf('fra'),
    })
    await watch.tell(flipOf('api', 'operational', 'down'))
    await vi.waitFor(() => expect(lastScreen(watch.world.written.out)).toMatch(/✗ down/))
    expect(await watch.stop()).toBe(0)
    const { out } = watch.world.written
    // seven lines before: summary, blank, titles, two checks, blank, footer
    expect(out).toContain('\r\u001B[7A\u001B[J')
    expect(lastScreen(out)).toContain('2 checks: 1 down, 1 operational\n')
    expect(lastScreen(out)).toContain('12:00:00 fra up 84.2 ms')
    expect(lastScreen(out)).toContain('; Ctrl-C ends\n')
  })

  test('what has no room is counted', async () => {
    const checks = Array.from({ length: 50 }, (_, n) => checkOf(`check-${n}`))
    const watch = start({ isTerminal: true, rows: 10, checks })
    await watch.connect()
    await watch.stop()
    const lines = lastScreen(watch.world.written.out).trimEnd().split('\n')
    expect(lines.length).toBeLessThan(10)
    expect(lines).toContain('47 lines more')
  })

  test('of one name the regions are read anew when one is measured', async () => {
    const detail = (more: Partial<CheckDetail>) => ({ ...detailOf('api', more), id: 'id of api' })
    const watch = start({ isTerminal: true, name: 'api', checks: [detail({})] })
    await watch.connect()
    watch.set([
      detail({ regionStatuses: [regionOf('iad', { status: 'blocked', reason: 'refused' })] }),
    ])
    const reading = readingOf('iad', { verdict: 'blocked' })
    await watch.tell({ kind: 'reading', accountId: 'account', checkId: 'id of api', reading })
    await vi.waitFor(() => expect(lastScreen(watch.world.written.out)).toContain('iad: refused'))
    expect(await watch.stop()).toBe(0)
  })
})

test('a name that is not there ends it with exit code 1 before anything is followed', async () => {
  const watch = start({ name: 'ap', checks: [checkOf('api')] })
  expect(await watch.ended).toBe(1)
  expect(watch.world.written.err).toContain('Did you mean api?')
})
