import { startLoop } from '@probe-mesh/runtime/loop'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { tellNotices } from './tell-notices.ts'
import type { NoticeContext, SeenNotices } from './tell-notices.ts'

const paceMs = 5_000

export type NoticeWatch = {
  /** What is so now. */
  look: () => Promise<SeenNotices>
  /** Whether this control plane sends the messages. */
  isOurs: () => boolean
}
export type NoticeWatcher = { close(): Promise<void> }

/**
 * Looks every five seconds for what the operator has to know of the mesh. It is on `/metrics` of every control
 * plane, and one of them sends messages.
 */
export const startNoticeWatcher = (
  capabilities: NoticeContext & NoticeWatch & { registry: Registry },
): NoticeWatcher => {
  const { registry, look, isOurs, log } = capabilities
  const shown = new Gauge({
    name: 'mesh_notices',
    help: 'What the operator has to look at in a region, by what it is: names, network, quarantine, clock, version; 1 while it lasts',
    labelNames: ['region', 'what'] as const,
    registers: [registry],
  })
  const loop = startLoop({
    everyMs: paceMs,
    round: async () => {
      const seen = await look()
      shown.reset()
      for (const { region, what } of seen.notices) shown.set({ region, what }, 1)
      if (isOurs()) await tellNotices(capabilities, seen)
    },
    onError: (error) => {
      log.warn({ err: error }, 'what the operator has to know of the mesh cannot be looked at')
    },
  })
  return {
    close: loop.close,
  }
}
