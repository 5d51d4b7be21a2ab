import { allowNothing } from '@probe-mesh/contracts/target/address'
import { addressRate, agentPools, type addressPools } from '@probe-mesh/contracts/agent/agent-pools'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { createNameInquiry } from '@probe-mesh/probe-agent/dns-evidence/inquire'
import { nothingAsked } from '@probe-mesh/probe-agent/src/dns-evidence/name-facts'
import { createLargeHeads } from '@probe-mesh/probe-agent/request/large-heads'
import { createTargetRate } from '@probe-mesh/probe-agent/request/target-rate'
import { expect } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { turnsCase, type Opened } from './turns.ts'

const openGuard = {
  allow: allowNothing,
  deny: denyNothing,
  ownAddresses: () => new Set<string>(),
  spend: () => true,
}

/** The first query of an inquiry is for the servers of the top-level zone, and the test delays the answer. */
const openNameInquiries = (): Opened => {
  const works = new Map<string, () => Promise<void>>()
  const resolver = {
    resolve4: async () => [],
    resolve6: async () => [],
    resolveNs: async (zone: string) => {
      await works.get(zone)?.()
      return []
    },
  }
  const inquiry = createNameInquiry({
    controls: { ask: async () => 'answered', addResolved: () => undefined },
  })
  return {
    perform: (accountId, hold) => {
      const zone = `zone${works.size}`
      works.set(zone, hold)
      const guard = { ...openGuard, resolver }
      const unresolved = { name: `www.${zone}`, type: 'A', resolverResult: 'NXDOMAIN' } as const
      return inquiry
        .ask(unresolved, { accountId, guard, signal: new AbortController().signal, sinceMs: 0 })
        .then(({ zone: { result }, controls }) => ({ controls, result }))
    },
  }
}

const spendRate = () => {
  let nowMs = 0
  const rate = createTargetRate({ perSecond: () => addressRate.perSecond, nowMs: () => nowMs })
  const spend = (account: string): boolean => rate.spend('192.0.2.1', account)
  return { spend, pass: (ms: number) => (nowMs += ms) }
}

/** Requests of an agent to targets and to their name servers. */
export const probingCases = {
  largeHeads: turnsCase({
    pool: agentPools.largeHeads,
    open: () => {
      const heads = createLargeHeads()
      return {
        perform: async (accountId, hold) => {
          const place = heads.take(accountId)
          if (place === null) return 'no room'
          await hold()
          place.release()
        },
      }
    },
    crowds: [2, 7],
    within: () => 0,
    refused: 'no room',
  }),
  nameInquiries: turnsCase({
    pool: agentPools.nameInquiries,
    open: openNameInquiries,
    // a larger crowd is decided by control names; the row promises no more
    crowds: [2, agentPools.nameInquiries.bounds.reserve.places - 1],
    within: () => 0,
    refused: { controls: 'answered', result: nothingAsked.result },
  }),
  addressRate: {
    floor: (crowd) => {
      const { spend, pass } = spendRate()
      const { burstOfAccount, perSecond, accountsMax } = addressRate
      // ten seconds of continuous requests by all of them
      for (const _ of numbers(10)) {
        for (const n of numbers(crowd)) for (let most = 300; most > 0 && spend(`${n}`);) most--
        pass(1_000)
      }
      for (const n of numbers(crowd)) for (let most = 300; most > 0 && spend(`${n}`);) most--
      for (const _ of numbers(burstOfAccount)) expect(spend('newcomer')).toBe(true)
      // then its part of the rate
      pass((1_000 * Math.min(crowd + 1, accountsMax)) / perSecond + 1)
      for (const n of numbers(crowd)) for (let most = 300; most > 0 && spend(`${n}`);) most--
      expect(spend('newcomer')).toBe(true)
    },
    share: () => {
      const { spend, pass } = spendRate()
      const { perSecond, burstSeconds } = addressRate
      for (const _ of numbers(perSecond * burstSeconds)) expect(spend('alone')).toBe(true)
      expect(spend('alone')).toBe(false)
      pass(1_000)
      for (const _ of numbers(perSecond)) expect(spend('alone')).toBe(true)
      expect(spend('alone')).toBe(false)
    },
  },
} satisfies Partial<Record<keyof typeof agentPools | keyof typeof addressPools, FairnessCase>>
