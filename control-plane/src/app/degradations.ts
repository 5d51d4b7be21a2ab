import { startLoop } from '@probe-mesh/runtime/loop'
import type { Loop } from '@probe-mesh/runtime/loop'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Logger } from 'pino'
import { withDeadline } from '@probe-mesh/runtime/deadline'

/** A part that most requests do without, and what is worse while it does not work. */
export type DegradablePart = {
  /** One sentence, for people. */
  effect: string
  /** Throwing means no. */
  works: () => boolean | Promise<boolean>
  /** How often it is tried, ms; every 2 s where it is not said. */
  paceMs?: number
}
/** By name, such as `clickhouse`. */
export type DegradableParts = Readonly<Record<string, DegradablePart>>

export type Degradation = { part: string; effect: string }

export type Degradations = {
  /** By the last try of each; a part that was not tried yet counts as working. */
  current(): Degradation[]
  close(): void
}

const paceMsDefault = 2_000
/** A try that takes longer is a no. */
const tryMsMax = 5_000

/**
 * Tries, at its own pace, each part that readiness does not depend on. Nothing that asks how we are waits for
 * such a part: a proxy would take a process off for a store that it does not need.
 */
export const startDegradations = (capabilities: {
  parts: DegradableParts
  registry: Registry
  log: Logger
}): Degradations => {
  const { parts, registry, log } = capabilities
  const degraded = new Set<string>()
  const gauge: Gauge<'part'> = new Gauge({
    name: 'degraded',
    help: '1 while a part does not work that most requests do without, by part: readiness does not depend on it',
    labelNames: ['part'],
    registers: [registry],
    collect: () => {
      for (const part of Object.keys(parts)) gauge.set({ part }, degraded.has(part) ? 1 : 0)
    },
  })

  const turn = (part: string, effect: string, works: boolean, error: unknown): void => {
    if (works !== degraded.has(part)) return
    if (works) {
      degraded.delete(part)
      log.info({ part }, 'a part works again')
    } else {
      degraded.add(part)
      log.warn({ part, err: error }, `a part does not work; ${effect}`)
    }
  }
  const follow = (name: string, part: DegradablePart): Loop =>
    startLoop({
      round: async (signal) => {
        const works = await withDeadline(Promise.resolve(part.works()), tryMsMax)
        if (!signal.aborted) turn(name, part.effect, works, undefined)
      },
      everyMs: part.paceMs ?? paceMsDefault,
      onError: (error, signal) => {
        if (!signal.aborted) turn(name, part.effect, false, error)
      },
    })
  const loops = Object.entries(parts).map(([name, part]) => follow(name, part))
  return {
    current: () =>
      Object.entries(parts).flatMap(([part, { effect }]) =>
        degraded.has(part) ? [{ part, effect }] : [],
      ),
    close: () => {
      for (const loop of loops) void loop.close()
    },
  }
}
