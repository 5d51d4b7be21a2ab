import { createStop, isDeadline } from '../../request/stop.ts'
import type { Stop } from '../../request/stop.ts'
import { startDeadline } from '../deadline.ts'
import type { ProbeContext } from '../probe.ts'
import { journeyDeadline } from './journey-deadline.ts'

/**
 * What ends a hop: its own 10 s, the journey's deadline or the agent, through one signal of its
 * own. To be closed when the hop is over.
 */
export const startHopStop = (
  { signal, deadlineMs }: Pick<ProbeContext, 'signal' | 'deadlineMs'>,
  requestMsMax: number,
): Stop => {
  const deadline = startDeadline(requestMsMax, signal)
  const own = createStop(deadline.signal, requestMsMax)
  return {
    during: own.during,
    failure: (phase) =>
      isDeadline(signal) ? journeyDeadline(phase, deadlineMs) : own.failure(phase),
    passedMs: () => (isDeadline(signal) ? deadlineMs : own.passedMs()),
    leftMs: own.leftMs,
    close: () => {
      deadline.clear()
      own.close()
    },
  }
}
