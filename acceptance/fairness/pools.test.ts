import { sharedPools, type PoolName } from '@probe-mesh/contracts/api/pools'
import { afterAll, describe, expect, test } from 'vitest'
import { agentCases } from './pools/agents.ts'
import { crowdsDefault, type FairnessCase } from './pools/case.ts'
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

describe.each(Object.entries(cases))('%s', (_name, { crowds = crowdsDefault, floor, share }) => {
  test.each(crowds)('gives another account its floor with %i accounts at their maximum', async (crowd) => {
    await floor(crowd)
  })

  test('gives one account alone its share and no more', async () => {
    await share()
  })
})
