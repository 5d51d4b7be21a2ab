import type { ChromiumWay } from '@probe-mesh/check-types/browser/probe/sandbox'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import { chromiumFigure, chromiumStates, type ChromiumState } from './chromium-state.ts'

/** A working Chromium on this machine, and how it is started. */
export type FoundChromium = { readonly executablePath: string; readonly way: ChromiumWay }

/**
 * Tries Chromium once, before the agent accepts browser checks: with its sandbox, and without it only if the
 * operator allows it. The log and a metric show the result.
 * @param setting.path null: no Chromium, or turned off
 * @returns null: this process runs no browser checks
 */
export const tryChromium = async (
  setting: { path: string | null; mayGoWithout: boolean },
  { registry, log }: { registry: Registry; log: Logger },
): Promise<FoundChromium | null> => {
  const { path: chromium, mayGoWithout } = setting
  if (chromium === null) {
    showState(registry, 'none')
    return null
  }
  const { findWay, waysOf } = await import('@probe-mesh/check-types/browser/probe/sandbox')
  const isRoot = process.getuid?.() === 0
  const { way, why } = await findWay(chromium, waysOf({ isRoot, mayGoWithout }))
  if (way === null) {
    showState(registry, 'off')
    const next = mayGoWithout
      ? 'browser checks are off: Chromium does not start'
      : 'browser checks are off: Chromium does not start with its sandbox; CHROMIUM_WITHOUT_SANDBOX=yes runs it without'
    log.warn({ chromium, why }, next)
    return null
  }
  showState(registry, way.isSandboxed ? 'sandboxed' : 'without_sandbox')
  if (way.isSandboxed) log.info({ chromium, user: way.user }, 'Chromium runs with its sandbox')
  else log.warn({ chromium, why }, 'Chromium runs without its sandbox: CHROMIUM_WITHOUT_SANDBOX is set')
  return { executablePath: chromium, way }
}

const showState = (registry: Registry, now: ChromiumState): void => {
  const gauge = new Gauge({
    name: chromiumFigure,
    help: 'State of Chromium for browser checks: 1 for the current state',
    labelNames: ['state'],
    registers: [registry],
  })
  for (const state of chromiumStates) gauge.set({ state }, state === now ? 1 : 0)
}
