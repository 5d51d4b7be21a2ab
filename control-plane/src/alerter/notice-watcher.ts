import { pause } from '@probe-mesh/bus/pause'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { tellNotices } from './notify-operator.ts'
import type { NoticeContext, SeenNotices } from './notify-operator.ts'

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
  const closing = new AbortController()
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        const seen = await look()
        shown.reset()
        for (const { region, what } of seen.notices) shown.set({ region, what }, 1)
        if (isOurs()) await tellNotices(capabilities, seen)
      } catch (error) {
        log.warn({ err: error }, 'what the operator has to know of the mesh cannot be looked at')
      }
      await pause(paceMs, closing.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}
