import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { inspectNats, type BusFacts } from '@probe-mesh/bus/nats/inspect'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Config } from '@probe-mesh/control-plane/app/config'

/** Inspects NATS with a control plane's credentials. */
export const gatherBus = async (
  config: Pick<Config, 'natsCredentials' | 'regions'>,
  servers: readonly string[],
  now: () => number,
): Promise<{ bus: BusFacts; askedAtMs: number }> => {
  const path = config.natsCredentials
  const credentials = path === null ? null : await readNatsCredentials(path)
  const bus = await inspectNats({
    servers,
    name: 'admin doctor',
    ...controlPlaneConnection,
    ...(credentials === null ? {} : { authenticator: credentials.authenticator }),
    regions: config.regions,
    log: silentLogger,
  })
  return { bus, askedAtMs: now() }
}
