import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { TcpSettings } from '@probe-mesh/check-types/tcp/settings'
import type { CheckRecord } from '../../records/check/check-record.ts'
import { aCheckRecord } from '../../checks/testing.ts'
import { differenceOf } from './assigner.ts'

const heartbeat: CheckConfig = {
  type: 'heartbeat',
  settings: HeartbeatSettings.parse({ periodSeconds: 60, graceSeconds: 60 }),
}
const tcp: CheckConfig = {
  type: 'tcp',
  settings: TcpSettings.parse({ host: 'example.com', port: 443 }),
}
const configArbitrary = fc.constantFrom<CheckConfig>({ type: 'http' }, heartbeat, tcp)

const fieldsArbitrary = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  accountId: fc.constant('account'),
  config: configArbitrary,
  name: fc.constant('name'),
  url: fc.constant('https://example.com/'),
  target: fc.constant(null),
  intervalSeconds: fc.constant(60),
  regions: fc.subarray(['iad', 'fra'], { minLength: 1 }),
  allRegions: fc.constant(false),
  paused: fc.boolean(),
  tags: fc.constant([]),
  private: fc.constant(false),
  assertions: fc.constant(noAssertions),
  revision: fc.integer({ min: 1, max: 3 }),
  validFromMs: fc.constant(0),
  createdAtMs: fc.constant(0),
  updatedAtMs: fc.constant(0),
})
const checkArbitrary: fc.Arbitrary<CheckRecord> = fieldsArbitrary.map((fields) => ({
  ...fields,
  type: fields.config.type,
}))
const checksArbitrary = fc.uniqueArray(checkArbitrary, { selector: (check) => check.id })

test('after the difference the region has exactly the assignments of its checks', () => {
  forAll([checksArbitrary, checksArbitrary], (before, after) => {
    const held = differenceOf('fra', before, []).put
    const { put, remove } = differenceOf('fra', after, held)
    const bucket = new Map(held.map((assignment) => [assignment.checkId, assignment]))
    for (const assignment of put) bucket.set(assignment.checkId, assignment)
    for (const checkId of remove) bucket.delete(checkId)
    const wanted = after.filter(
      (check) => check.type !== 'heartbeat' && !check.paused && check.regions.includes('fra'),
    )
    const revisions = (list: readonly (Assignment | CheckRecord)[]) =>
      new Map(list.map((item) => ['checkId' in item ? item.checkId : item.id, item.revision]))
    expect(revisions([...bucket.values()])).toEqual(revisions(wanted))
  })
})

test('does not write unchanged assignments again', () => {
  forAll([checksArbitrary], (checks) => {
    const held = differenceOf('iad', checks, []).put
    expect(differenceOf('iad', checks, held)).toEqual({ put: [], remove: [] })
  })
})

test('writes an assignment again that an older control plane wrote without its phase', () => {
  const check: CheckRecord = { ...aCheckRecord, isSpread: true }
  const [put] = differenceOf('fra', [check], []).put
  expect(put?.phaseMs).toBeTypeOf('number')
  const { phaseMs: _, ...untold } = put ?? anAssignment()
  expect(differenceOf('fra', [check], [untold]).put).toEqual([put])
})
