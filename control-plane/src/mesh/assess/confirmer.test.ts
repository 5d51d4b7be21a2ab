import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { RunReply } from '@probe-mesh/bus/port'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { Counter, Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { createConfirmer } from './confirmer.ts'

type Reply = RunReply | 'no_agent' | 'timeout'

/** Agents that receive requests; `answer` is called for each. */
const setUp = (answer: (request: RunRequest) => Promise<Reply>) => {
  const confirmations = new Counter({
    name: 'confirmations',
    help: 'by outcome',
    labelNames: ['outcome'] as const,
    registers: [new Registry()],
  })
  const asked: RunRequest[] = []
  const warn = vi.fn()
  const confirmer = createConfirmer({
    bus: {
      runs: {
        serve: () => Promise.reject(new Error('not served here')),
        request: (_region, request) => {
          asked.push(request)
          return answer(request)
        },
      },
    },
    assignmentFor: async (checkId, region) => {
      const [accountId = ''] = checkId.split('/')
      return anAssignment({ checkId, accountId, region })
    },
    metrics: { confirmations },
    log: { warn },
    busyPauseMs: 1,
  })
  const outcomes = async () =>
    Object.fromEntries((await confirmations.get()).values.map(({ labels, value }) => [labels.outcome, value]))
  const ask = (accountId: string, check: number | string = 0) =>
    confirmer.confirm({ checkId: `${accountId}/${check}`, accountId, regions: ['fra'], atMs: 7 })
  const askedOf = (accountId: string) => asked.filter(({ assignment }) => assignment.accountId === accountId)
  return { ask, asked, askedOf, outcomes, warn }
}

const never = () => new Promise<never>(() => undefined)
const busy = { agent: 'a', error: 'busy' }
const reading = { agent: 'a', reading: {} } as RunReply

test('retries a busy region a limited number of times, and does not count busy as answered', async () => {
  const { ask, asked, outcomes } = setUp(async () => busy)
  ask('a')
  await vi.waitFor(async () => expect(await outcomes()).toEqual({ busy: 3 }))
  expect(asked).toHaveLength(3)
})

test('a briefly busy region confirms a moment later', async () => {
  const replies: Reply[] = [busy, reading]
  const { ask, outcomes } = setUp(async () => replies.shift() ?? 'timeout')
  ask('a')
  await vi.waitFor(async () => expect(await outcomes()).toEqual({ busy: 1, answered: 1 }))
})

test.each([
  ['no_agent', 'no_agent'],
  ['timeout', 'timeout'],
  [{ agent: 'a', error: 'other_region' }, 'refused'],
] as const)('%j is asked once and counted as %s', async (reply, outcome) => {
  const { ask, asked, outcomes } = setUp(async () => reply)
  ask('a')
  await vi.waitFor(async () => expect(await outcomes()).toEqual({ [outcome]: 1 }))
  expect(asked).toHaveLength(1)
})

test('confirms a first failure at once while silent targets of another account hold places', async () => {
  const { ask, askedOf } = setUp(never)
  const { placesOfOwner, waitingOfOwner } = agentPools.confirmationsSent.bounds
  for (let check = 0; check < placesOfOwner + waitingOfOwner; check++) ask('hog', check)
  ask('small')
  await vi.waitFor(() => expect(askedOf('small')).toHaveLength(1))
  expect(askedOf('hog')).toHaveLength(placesOfOwner)
})

test('50 accounts at their limit do not prevent the confirmation of another', async () => {
  const { ask, askedOf } = setUp(never)
  for (let hog = 0; hog < 50; hog++) for (let check = 0; check < 100; check++) ask(`hog-${hog}`, check)
  ask('small')
  await vi.waitFor(() => expect(askedOf('small')).toHaveLength(1))
})

test('serves each of 1,000 waiting accounts once before any is served twice', async () => {
  const waiting: ((reply: Reply) => void)[] = []
  const { ask, asked } = setUp(() => new Promise((resolve) => waiting.push(resolve)))
  for (let check = 0; check < 2; check++) {
    for (let account = 0; account < 1_000; account++) ask(`account-${account}`, check)
  }
  await vi.waitFor(() => {
    for (const answer of waiting.splice(0)) answer(reading)
    expect(asked.length).toBeGreaterThanOrEqual(2_000)
  })
  const accounts = asked.map(({ assignment }) => assignment.accountId)
  expect(new Set(accounts.slice(0, 1_000)).size).toBe(1_000)
  expect(new Set(accounts.slice(1_000)).size).toBe(1_000)
})

test('drops and counts confirmations beyond the bounds', async () => {
  const { ask, outcomes } = setUp(never)
  const { placesOfOwner, waitingOfOwner } = agentPools.confirmationsSent.bounds
  for (let check = 0; check < placesOfOwner + waitingOfOwner + 5; check++) ask('hog', check)
  await vi.waitFor(async () => expect(await outcomes()).toEqual({ dropped: 5 }))
})
