import { describe, expect, test } from 'vitest'
import { roundMsOf } from '../freshness.ts'
import { nextBurst } from './burst.ts'
import type { ComparedHost, Owner } from './tally.ts'

const t0 = 1_700_000_000_000
const roundMs = roundMsOf(60)
const catalog: Owner = { kind: 'catalog' }

const silent = (host: string, sinceMs: number, more: Partial<ComparedHost> = {}): ComparedHost => ({
  host,
  owner: catalog,
  site: host,
  network: null,
  failingSinceMs: sinceMs,
  run: { sinceMs, roundMs },
  ...more,
})
const burstOf = (...failing: ComparedHost[]) => nextBurst(null, { failing }, t0)

describe('unrelated services that fall silent for one region within a round are a burst', () => {
  test('two of them', () => {
    expect(burstOf(silent('a.com', t0 - 60_000), silent('b.com', t0 - 10_000))).toEqual({
      sinceMs: t0 - 60_000,
      untilMs: t0 + roundMs,
    })
  })

  test.each<[string, ComparedHost[]]>([
    ['one alone', [silent('a.com', t0)]],
    ['two at different times', [silent('a.com', t0 - roundMs - 1), silent('b.com', t0)]],
    ['two of one site', [silent('a.b.com', t0, { site: 'b.com' }), silent('b.com', t0)]],
    [
      'two of one network',
      [silent('a.com', t0, { network: '20.1.1.1' }), silent('b.com', t0, { network: '20.1.1.1' })],
    ],
    [
      'what accounts measure',
      ['a.com', 'b.com', 'c.com'].map((host) =>
        silent(host, t0, { owner: { kind: 'account', accountId: host } }),
      ),
    ],
  ])('not %s', (_, failing) => {
    expect(burstOf(...failing)).toBeNull()
  })

  test('it lasts while any of them is silent, and a round longer', () => {
    const held = burstOf(silent('a.com', t0), silent('b.com', t0))
    const later = t0 + 600_000
    const left = nextBurst(held, { failing: [silent('a.com', t0)] }, later)
    expect(left).toEqual({ sinceMs: t0, untilMs: later + roundMs })
    expect(nextBurst(left, { failing: [] }, later + roundMs)).toEqual(left)
    expect(nextBurst(left, { failing: [] }, later + roundMs + 1)).toBeNull()
  })
})
