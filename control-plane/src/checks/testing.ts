import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { CheckRecord } from '../records/check/check-record.ts'

/** A stored check with two regions. */
export const aCheckRecord: CheckRecord = {
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
  tags: [],
  private: false,
  assertions: noAssertions,
  config: { type: 'http' },
  revision: 3,
  validFromMs: 5,
  createdAtMs: 1,
  updatedAtMs: 5,
}
