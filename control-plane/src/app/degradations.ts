import { startLoop, type Loop } from '@probe-mesh/runtime/loop'
import { Gauge, type Registry } from 'prom-client'
import type { Logger } from 'pino'
import { withDeadline } from '@probe-mesh/runtime/deadline'

/** A part that most requests do not need, and the effect of its failure. */
type DegradablePart = {
  /** One sentence, for people. */
  effect: string
  /** An error means no. What it is like instead, if that is known. */
  works: () => boolean | PartState | Promise<boolean | PartState>
  /** The pace of the tests, ms. Default: 2 s. */
  paceMs?: number
}
/** A state such as `read_only`, and its effect in one sentence, for people. */
export type PartState = { state: string; effect: string }

/** By name, such as `clickhouse`. */
export type DegradableParts = Readonly<Record<string, DegradablePart>>

type Degradation = { part: string; effect: string; state?: string }

export type Degradations = {
  /** By the last test of each part. An untested part counts as working. */
  current(): Degradation[]
  close(): void
}

const paceMsDefault = 2_000
/** A test that takes longer fails. */
const tryMsMax = 5_000

/**
 * Tests each part that readiness does not depend on, at its own pace. Health requests do not wait for these
 * parts; otherwise a proxy would remove a process because of a database that it does not need.
 */
export const startDegradations = (capabilities: {
  parts: DegradableParts
  registry: Registry
  log: Logger
}): Degradations => {
  const { parts, registry, log } = capabilities
  const degraded = new Map<string, PartState | null>()
  const gauge: Gauge<'part'> = new Gauge({
    name: 'degraded',
    help: '1 while a part that most requests do not need does not work, by part. Readiness does not depend on it',
    labelNames: ['part'],
    registers: [registry],
    collect: () => {
      for (const part of Object.keys(parts)) gauge.set({ part }, degraded.has(part) ? 1 : 0)
    },
  })

  const report = (part: string, usual: string, works: boolean | PartState, error: unknown): void => {
    const found = typeof works === 'boolean' ? null : works
    const { state, effect } = found ?? { state: undefined, effect: usual }
    if (works === true) {
      if (degraded.delete(part)) log.info({ part }, 'a degraded part works again')
      return
    }
    const before = degraded.get(part)
    degraded.set(part, found)
    if (before !== undefined && before?.state === state) return
    log.warn({ part, state, err: error }, `a part does not work; ${effect}`)
  }
  const follow = (name: string, part: DegradablePart): Loop =>
    startLoop({
      round: async (signal) => {
        const works = await withDeadline(Promise.resolve(part.works()), tryMsMax)
        if (!signal.aborted) report(name, part.effect, works, undefined)
      },
      everyMs: part.paceMs ?? paceMsDefault,
      onError: (error, signal) => {
        if (!signal.aborted) report(name, part.effect, false, error)
      },
    })
  const loops = Object.entries(parts).map(([name, part]) => follow(name, part))
  return {
    current: () =>
      Object.entries(parts).flatMap(([part, { effect }]) =>
        degraded.has(part) ? [{ part, effect, ...degraded.get(part) }] : [],
      ),
    close: () => {
      for (const loop of loops) void loop.close()
    },
  }
}
