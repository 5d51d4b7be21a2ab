import { hostname } from 'node:os'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import type { Config } from '@probe-mesh/control-plane/config'
import type { Logger } from 'pino'

/**
 * The bus as a control plane has it: it declares what NATS holds for the live regions.
 * @throws Error when its credentials cannot be read, BusUnavailable while no server answers
 */
export const openControlPlaneBus = async (
  config: Config,
  servers: readonly string[],
  log: Logger,
): Promise<Bus> => {
  const path = config.natsCredentials
  const credentials = path === null ? null : await readNatsCredentials(path)
  if (credentials !== null && credentials.warning !== null) log.warn({}, credentials.warning)
  return openNatsBus({
    servers,
    name: `control-plane ${hostname()} ${process.pid}`,
    ...controlPlaneConnection,
    ...(credentials === null ? {} : { authenticator: credentials.authenticator }),
    topology: { regions: config.regions, replicas: config.natsReplicas },
    log: log.child({ part: 'bus' }),
  })
}
