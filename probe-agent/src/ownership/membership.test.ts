import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import { BusUnavailable, type Bus, type Presence } from '@probe-mesh/bus/port'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMembership, firstListMsMax, type Membership } from './membership.ts'

let directory = ''
let bus: Bus
let joined: Membership[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-members-'))
  bus = await openInProcessBus({ directory: join(directory, 'bus') })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(joined.map((membership) => membership.close()))
  joined = []
  await bus.close()
  rmSync(directory, { recursive: true, force: true })
})

const pathOf = (agent: string) => join(directory, agent, 'members')

let startedAt = 0
const joinAs = (
  agent: string,
  presence: Presence = bus.presence,
  announceAfter: Promise<void> = Promise.resolve(),
  chromium: boolean | null = null,
) => {
  const seen: string[] = []
  let superseded = 0
  const membership = createMembership({
    presence: { agent, region: 'fra', version: '1', startedAt: ++startedAt, chromium },
    bus: { presence, onReturn: bus.onReturn },
    path: pathOf(agent),
    nowMs: () => performance.now(),
    random: () => 0,
    log: silentLogger,
    announceAfter,
    onMembers: ({ members, chromium }) =>
      seen.push(members.map((name) => (chromium.includes(name) ? `${name}*` : name)).join(' ')),
    onSuperseded: () => superseded++,
  })
  joined.push(membership)
  return { membership, seen, superseded: () => superseded }
}

const away: Presence = {
  announce: () => Promise.reject(new BusUnavailable('away')),
  list: () => Promise.reject(new BusUnavailable('away')),
}

describe('membership', () => {
  test('reports the members at once, then only changes', async () => {
    const a = joinAs('a')
    await until(() => a.seen.length === 1)
    const b = joinAs('b')
    await until(() => a.seen.length === 2 && b.seen.length === 1)
    await b.membership.close()
    await until(() => a.seen.length === 3)
    expect([a.seen, b.seen]).toEqual([['a', 'a b', 'a'], ['a b']])
    expect(a.membership.isBusUnavailable).toBe(false)
  })

  test('an agent without bus and remembered members is alone after a limited wait, and reports that', async () => {
    vi.useFakeTimers()
    const { seen, membership } = joinAs('a', away)
    await vi.advanceTimersByTimeAsync(firstListMsMax - 1)
    expect(seen).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect([seen, membership.isBusUnavailable]).toEqual([['a'], true])
  })

  test('a list that never answers counts as failed', async () => {
    vi.useFakeTimers()
    const { seen } = joinAs('a', { ...bus.presence, list: () => new Promise(() => undefined) })
    await vi.advanceTimersByTimeAsync(firstListMsMax)
    expect(seen).toEqual(['a'])
  })

  test('the last known members count while the bus is unavailable, also after a restart', async () => {
    const b = joinAs('b')
    const first = joinAs('a')
    await until(() => first.seen.includes('a b'))
    await first.membership.close()
    await b.membership.close()
    expect(JSON.parse(readFileSync(pathOf('a'), 'utf8'))).toEqual({
      members: ['a', 'b'],
      chromium: [],
    })
    vi.useFakeTimers()
    const second = joinAs('a', away)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(second.seen).toEqual(['a b'])
  })

  test('a lost bus removes no member', async () => {
    let isAway = false
    const a = joinAs('a', {
      ...bus.presence,
      list: (region) => (isAway ? away.list(region) : bus.presence.list(region)),
    })
    const b = joinAs('b')
    await until(() => a.seen.includes('a b'))
    isAway = true
    await until(() => a.membership.isBusUnavailable)
    await b.membership.close()
    expect(a.seen.at(-1)).toBe('a b')
    isAway = false
    await until(() => !a.membership.isBusUnavailable)
  })

  test('a list without this agent is from a bus that lost its data: no member is removed', async () => {
    let isEmpty = false
    let emptyLists = 0
    const list: Presence['list'] = async (region) => {
      if (!isEmpty) return bus.presence.list(region)
      emptyLists++
      return []
    }
    const a = joinAs('a', { ...bus.presence, list })
    joinAs('b')
    await until(() => a.seen.includes('a b'))
    isEmpty = true
    await until(() => emptyLists >= 2)
    expect(a.seen.at(-1)).toBe('a b')
  })

  test('a later instance with the same name ends the earlier one, which is reported once', async () => {
    const earlier = joinAs('a')
    await until(() => earlier.seen.length === 1)
    const later = joinAs('a')
    await until(() => earlier.superseded() === 1 && later.seen.length === 1)
    await earlier.membership.close()
    expect(await bus.presence.list('fra')).toMatchObject([{ agent: 'a', startedAt }])
  })

  test('is not announced before it knows its share', async () => {
    const ready = Promise.withResolvers<void>()
    const a = joinAs('a')
    const b = joinAs('b', bus.presence, ready.promise)
    await until(() => a.seen.length === 1 && !b.membership.isBusUnavailable)
    expect([a.seen, b.seen]).toEqual([['a'], []])
    ready.resolve()
    await until(() => a.seen.length === 2 && b.seen.length === 1)
    expect([a.seen, b.seen]).toEqual([['a', 'a b'], ['a b']])
  })

  test('an unreadable file of members counts as empty', async () => {
    const { seen, membership } = joinAs('a')
    await until(() => seen.length === 1)
    await membership.close()
    writeFileSync(pathOf('a'), '{"members":')
    vi.useFakeTimers()
    const next = joinAs('a', away)
    await vi.advanceTimersByTimeAsync(firstListMsMax)
    expect(next.seen).toEqual(['a'])
  })

  test('Chromium is reported, and remembered across a restart without a bus', async () => {
    const ready = Promise.resolve()
    const b = joinAs('b', bus.presence, ready, true)
    const first = joinAs('a')
    await until(() => first.seen.includes('a b*'))
    await first.membership.close()
    await b.membership.close()
    vi.useFakeTimers()
    const second = joinAs('a', away, ready, true)
    await vi.advanceTimersByTimeAsync(firstListMsMax)
    expect(second.seen).toEqual(['a* b*'])
  })
})
