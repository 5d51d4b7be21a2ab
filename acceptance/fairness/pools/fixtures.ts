import { noAssertions } from '@probe-mesh/contracts/assertions'
import type { CheckRecord } from '@probe-mesh/control-plane/checks/check-record'

/** A check of whatever account a case gives it. */
export const aCheck: CheckRecord = {
  id: '01890000-0000-7000-8000-000000000001',
  accountId: '01890000-0000-7000-8000-000000000002',
  type: 'http',
  name: 'web',
  url: 'https://example.org/',
  target: null,
  intervalSeconds: 60,
  regions: ['fra', 'nrt'],
  allRegions: false,
  paused: false,
  private: false,
  assertions: noAssertions,
  config: { type: 'http' },
  revision: 3,
  validFromMs: 5,
  createdAtMs: 1,
  updatedAtMs: 5,
}
