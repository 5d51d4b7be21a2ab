import type { Logger } from 'pino'
import type { ControlPlane, UpstreamReadiness } from './control-plane.ts'

/** Asks the control plane whether it trusts this gateway, and logs one line when that changes. */
export const createHandshake = (
  controlPlane: Pick<ControlPlane, 'readiness'>,
  log: Logger,
): (() => Promise<UpstreamReadiness>) => {
  let isRefused = false
  return async () => {
    const state = await controlPlane.readiness()
    if (state === 'refused' && !isRefused) {
      log.error({}, 'the control plane refuses this gateway: it has another GATEWAY_KEY')
      isRefused = true
    } else if (state === 'ready' && isRefused) {
      log.info({}, 'the control plane trusts this gateway again')
      isRefused = false
    }
    return state
  }
}
