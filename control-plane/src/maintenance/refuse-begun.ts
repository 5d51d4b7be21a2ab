import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { windowState } from './window.ts'
import type { WindowRecord } from './window.ts'

/** Only a window that has not begun can be changed or cancelled; null where this one has not. Pure. */
export const refuseBegun = (window: WindowRecord, nowMs: number): Refusal | null => {
  switch (windowState(window, nowMs)) {
    case 'scheduled':
      return null
    case 'active':
      return refuse('SV-3002', {
        message: 'The window has begun. DELETE /maintenance/:id ends it now.',
      })
    case 'ended': {
      const isCancelled = (window.cancelledAtMs ?? null) !== null
      const message = isCancelled ? 'The window was cancelled.' : 'The window is over.'
      return refuse('SV-3002', { message })
    }
  }
}
