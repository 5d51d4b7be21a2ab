import { findWay, waysOf } from '@probe-mesh/probe-agent/probes/browser/sandbox'
import type { ChromiumWay } from '@probe-mesh/probe-agent/probes/browser/sandbox'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { chromiumFigure, chromiumStates } from './chromium-state.ts'
import type { ChromiumState } from './chromium-state.ts'

/** A Chromium that draws pages on this machine, and how it is started. */
export type FoundChromium = { readonly executablePath: string; readonly way: ChromiumWay }

/**
 * Tries Chromium once, before browser checks are taken: with its sandbox, and without it only where the
 * operator said so. Says in the log and the figures what came of it.
 * @param setting.path null: there is none, or it is off
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
    help: 'What browser checks run in: 1 for the state that is so',
    labelNames: ['state'],
    registers: [registry],
  })
  for (const state of chromiumStates) gauge.set({ state }, state === now ? 1 : 0)
}
