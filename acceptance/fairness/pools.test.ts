import { answerMsMax, slowAnswerMsMax } from '@probe-mesh/contracts/api/request-pools'
import { sharedPools, type PoolName } from '@probe-mesh/contracts/api/pools'
import { isSlow, slowestNeighbours, type SharedPool } from '@probe-mesh/contracts/schema/shared-pool'
import { afterAll, describe, expect, test } from 'vitest'
import { agentCases } from './pools/agents.ts'
import { crowdsDefault, numbers, type FairnessCase } from './pools/case.ts'
import { closeTestSql } from './pools/database.ts'
import { errorCases } from './pools/errors.ts'
import { relayCases } from './pools/kept.ts'
import { loginCases } from './pools/logins.ts'
import { outgoingCases } from './pools/outgoing.ts'
import { importCases } from './pools/imports.ts'
import { pageCases } from './pools/pages.ts'
import { privateAgentCases } from './pools/private-agents.ts'
import { probingCases } from './pools/probing.ts'
import { requestCases } from './pools/requests.ts'
import { storeCases } from './pools/stores.ts'
import { targetCases } from './pools/targets.ts'
import { uploadCases } from './pools/uploads.ts'

/** A case for every row of pools in `docs/overload.md`. A row without a case does not compile. */
const cases: Record<PoolName, FairnessCase> = {
  ...agentCases,
  ...probingCases,
  ...requestCases,
  ...storeCases,
  ...errorCases,
  ...uploadCases,
  ...loginCases,
  ...outgoingCases,
  ...pageCases,
  ...importCases,
  ...relayCases,
  ...privateAgentCases,
  ...targetCases,
}

afterAll(closeTestSql)

test('every row of the table of shared pools has a case', () => {
  expect(Object.keys(cases).toSorted()).toEqual(Object.keys(sharedPools).toSorted())
})

/** Pools whose works wait for a limited time, and are not as slow as a client wants. */
const neverSlow: Partial<Record<PoolName, string>> = {
  requestFloors: 'at its places only an account with fewer than two requests is served, at most 200 at once',
  runFloors: 'at its places only an account with one run is served, at most 100 at once',
  requestTurns: 'a turn ends after 50 ms, whatever the request does',
  lookUps: 'a look-up is by an index, and its request ends after 5 s',
  targetQuestions: 'a query counts the checks of one host by an index',
}
const timed = Object.entries<SharedPool>(sharedPools).filter(([, row]) => 'waitMsMax' in row)

test.each(timed)('%s prints a wait, so its case has the slowest work', (name, row) => {
  const isNeverSlow = name in neverSlow
  expect(isSlow(row)).toBe(!isNeverSlow)
  expect(cases[name as PoolName].slowest !== undefined).toBe(!isNeverSlow)
})

const slowPools = timed.flatMap(([name, row]) =>
  isSlow(row) ? [{ name: name as PoolName, most: slowestNeighbours(row) }] : [],
)
/** The smallest number of other accounts that may be slow; by default 2. */
const neighboursMin: Partial<Record<PoolName, number>> = {
  // a statement has 10 s (S-3504), and the whole request no more
  postgresConnections: 1,
  clickhouseQueries: 1,
}
describe.each(slowPools)('$name with the slowest work', ({ name, most }) => {
  const least = neighboursMin[name] ?? 2

  test.each(numbers(least).map((n) => n + 1))(
    'of %i other accounts starts the work of one more within its wait',
    async (crowd) => {
      await cases[name].slowest?.(crowd)
    },
  )

  test(`of as many accounts as its figures allow (${most}) too`, async () => {
    expect(most).toBeGreaterThanOrEqual(least)
    await cases[name].slowest?.(most)
  })
})

/** Pools whose work is the answer to a request. */
const answers = ['imports', 'longImports', 'replays', 'newPasswords', 'logoImages'] as const
test.each(answers)('%s: the longest wait and the slowest work fit into the time of an answer', (name) => {
  const { waitMsMax, workMsMax } = sharedPools[name]
  expect(waitMsMax + workMsMax).toBeLessThanOrEqual(name === 'logoImages' ? answerMsMax : slowAnswerMsMax)
})

describe.each(Object.entries(cases))('%s', (_name, { crowds = crowdsDefault, floor, share }) => {
  test.each(crowds)('gives another account its floor with %i accounts at their maximum', async (crowd) => {
    await floor(crowd)
  })

  test('gives one account alone its share and no more', async () => {
    await share()
  })
})
