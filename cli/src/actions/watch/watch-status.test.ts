import type { CheckDetail, CheckStatus } from '@probe-mesh/contracts/check/check'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import { describe, expect, test, vi } from 'vitest'
import type { FollowEvents } from '../../api/follow-events.ts'
import { acted, before, detailOf, hostile, nowMs, readingOf, regionOf, rowOf } from '../../show/testing.ts'
import type { StatusRow } from '../../show/sort-rows.ts'
import { testContext } from '../../terminal/testing.ts'
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
  checks: StatusRow[]
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
    if (id === undefined)
      return Response.json({ checks: read, nextCursor: null, vantage: 'regional', trendFrom: before(0) })
    return one === undefined
      ? Response.json(toProblem(refuse('SV-3001')), { status: 404 })
      : Response.json(one)
  }
  const context = testContext({
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
    context,
    {
      watch: true,
      wide: false,
      sort: undefined,
      json: given.json ?? false,
      noColor: false,
      apiUrl: 'http://app/v1',
      apiKey: undefined,
    },
    given.name === undefined ? [] : [given.name],
  )
  const following = () => vi.waitUntil(() => stream)
  return {
    context,
    reads: () => reads,
    set: (next: StatusRow[]) => {
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
      context.interrupt()
      return ended
    },
    ended,
  }
}

describe('off a terminal', () => {
  test('prints a line for each flip, and exits 0 on Ctrl-C', async () => {
    const watch = start({ checks: [rowOf('api')] })
    await watch.connect()
    await watch.tell(flipOf('api', 'operational', 'down', `refused ${hostile}`))
    await watch.tell(flipOf('api', 'down', 'operational'))
    expect(await watch.stop()).toBe(0)
    const lines = watch.context.written.out.split('\n')
    expect(lines.slice(-3)).toEqual([
      `2026-11-20T12:00:00.000Z  api  operational -> down  refused ${String.raw`\u001b[2J\u009b31m\u202egnp.exe\u000d\u000a\u0007`}`,
      '2026-11-20T12:00:00.000Z  api  down -> operational',
      '',
    ])
    expect(watch.context.written.out).not.toMatch(acted)
    expect(watch.context.written.err).toBe('Watching for changes; Ctrl-C stops.\n')
  })

  test('reports what changed during a disconnection after reading again', async () => {
    const watch = start({ checks: [rowOf('api'), rowOf('web')] })
    await watch.connect()
    await watch.state('reconnecting')
    watch.set([rowOf('api', { status: 'down' }), rowOf('web')])
    await watch.connect()
    await vi.waitFor(() =>
      expect(watch.context.written.out).toMatch(
        /Z {2}api {2}operational -> down {2}\(found when read again\)\n$/,
      ),
    )
    expect(watch.context.written.err).toContain('was lost; reconnecting.')
    expect(await watch.stop()).toBe(0)
  })

  test('reports a flip once when it arrives during a read, whether or not the read contains it', async () => {
    for (const inRead of ['operational', 'down'] as const) {
      const watch = start({ checks: [rowOf('api')] })
      await watch.connect()
      watch.set([rowOf('api', { status: inRead })])
      const release = watch.hold()
      await watch.connect()
      await watch.tell(flipOf('api', 'operational', 'down'))
      release()
      // also a flip that was not held back would have met the read by then
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
      await vi.waitFor(() => expect(watch.context.written.out).toContain('operational -> down\n'))
      await watch.tell(flipOf('api', 'down', 'operational'))
      expect(await watch.stop()).toBe(0)
      expect(watch.context.written.out.match(/->/g)).toHaveLength(2)
    }
  })

  test('reads a check that is new in the stream', async () => {
    const watch = start({ json: true, checks: [] })
    await watch.connect()
    watch.set([rowOf('new')])
    const reads = watch.reads()
    await watch.tell(flipOf('new', 'unknown', 'operational'))
    await vi.waitFor(() => expect(watch.reads()).toBe(reads + 1))
    await watch.stop()
  })
})

test('prints one JSON object per line: all checks, then flips and connection states', async () => {
  const watch = start({ json: true, checks: [rowOf('api')] })
  await watch.connect()
  await watch.tell(flipOf('api', 'operational', 'down', hostile))
  await watch.state('reconnecting')
  expect(await watch.stop()).toBe(0)
  expect(watch.context.written.out).not.toMatch(acted)
  const objects = watch.context.written.out
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

  test('redraws the table in place with the newest readings', async () => {
    const watch = start({ isTerminal: true, checks: [rowOf('api'), rowOf('web')] })
    await watch.connect()
    await watch.tell({
      kind: 'reading',
      accountId: 'account',
      checkId: 'id of web',
      reading: readingOf('fra'),
    })
    await watch.tell(flipOf('api', 'operational', 'down'))
    await vi.waitFor(() => expect(lastScreen(watch.context.written.out)).toMatch(/✗ down/))
    expect(await watch.stop()).toBe(0)
    const { out } = watch.context.written
    // seven lines before: summary, blank, titles, two checks, blank, footer
    expect(out).toContain('\r\u001B[7A\u001B[J')
    expect(lastScreen(out)).toContain('2 checks: 1 down, 1 operational\n')
    expect(lastScreen(out)).toContain('12:00:00 fra up 84.2 ms')
    expect(lastScreen(out)).toContain('; Ctrl-C stops\n')
  })

  test('counts the lines that do not fit', async () => {
    const checks = Array.from({ length: 50 }, (_, n) => rowOf(`check-${n}`))
    const watch = start({ isTerminal: true, rows: 10, checks })
    await watch.connect()
    await watch.stop()
    const lines = lastScreen(watch.context.written.out).trimEnd().split('\n')
    expect(lines.length).toBeLessThan(10)
    expect(lines).toContain('47 lines more')
  })

  test('reads the regions again when a watched check is measured', async () => {
    const detail = (more: Partial<CheckDetail>) => ({ ...detailOf('api', more), id: 'id of api' })
    const watch = start({ isTerminal: true, name: 'api', checks: [detail({})] })
    await watch.connect()
    watch.set([detail({ regionStatuses: [regionOf('iad', { status: 'blocked', reason: 'refused' })] })])
    const reading = readingOf('iad', { verdict: 'blocked' })
    await watch.tell({ kind: 'reading', accountId: 'account', checkId: 'id of api', reading })
    await vi.waitFor(() => expect(lastScreen(watch.context.written.out)).toContain('iad: refused'))
    expect(await watch.stop()).toBe(0)
  })
})

test('exits 1 for an unknown name before it opens the stream', async () => {
  const watch = start({ name: 'ap', checks: [rowOf('api')] })
  expect(await watch.ended).toBe(1)
  expect(watch.context.written.err).toContain('Did you mean api?')
})
