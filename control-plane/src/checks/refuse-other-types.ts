import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckRecord } from '../check-record/check-record.ts'

/** Over REST only `http` checks are created and changed (S-202). */
export const refuseOtherTypes = (check: CheckRecord): Refusal | null =>
  check.type === 'http'
    ? null
    : refuse('SV-3005', {
        message: `This is a ${check.type} check. The REST API edits http checks only; use the dashboard.`,
      })
