import { keepLooping } from '../../stores/faults.ts'
import { Gauge, type Registry } from 'prom-client'
import { notifyOperator, type NoticeContext, type SeenNotices } from './notify-operator.ts'

const paceMs = 5_000

export type NoticeWatch = {
  /** The current faults, by region. */
  look: () => Promise<SeenNotices>
  /** Whether this control plane sends the messages. */
  isOurs: () => boolean
}
export type NoticeWatcher = { close(): Promise<void> }

/**
 * Looks for notices of the mesh every five seconds. Every control plane shows them on `/metrics`; one of
 * them notifies the operator.
 */
export const startNoticeWatcher = (
  capabilities: NoticeContext & NoticeWatch & { registry: Registry },
): NoticeWatcher => {
  const { registry, look, isOurs, log } = capabilities
  const shown = new Gauge({
    name: 'mesh_notices',
    help: 'Open notices about a region, by kind: names, network, quarantine, clock, version; 1 while open',
    labelNames: ['region', 'what'] as const,
    registers: [registry],
  })
  const loop = keepLooping(log, {
    what: 'the notices of the mesh cannot be read',
    everyMs: paceMs,
    round: async () => {
      const seen = await look()
      shown.reset()
      for (const { region, what } of seen.notices) shown.set({ region, what }, 1)
      if (isOurs()) await notifyOperator(capabilities, seen)
    },
  })
  return {
    close: loop.close,
  }
}
