import { hostname } from 'node:os'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import {
  acceptNatsSystem,
  readNatsServer,
  readNatsSystem,
  type NatsServerFacts,
} from '@probe-mesh/bus/nats/system-mark'
import type { Bus } from '@probe-mesh/bus/port'
import type { Config } from '@probe-mesh/control-plane/app/config'
import type { Logger } from 'pino'

/** The connection of a control plane. @throws Error if its credentials cannot be read */
const connectionOf = async (config: Config, servers: readonly string[], log: Logger) => {
  const path = config.natsCredentials
  const credentials = path === null ? null : await readNatsCredentials(path)
  if (credentials !== null && credentials.warning !== null) log.warn({}, credentials.warning)
  return {
    servers,
    name: `control-plane ${hostname()} ${process.pid}`,
    ...controlPlaneConnection,
    ...(credentials === null ? {} : { authenticator: credentials.authenticator }),
    log: log.child({ component: 'bus' }),
  }
}

/**
 * Opens the bus of a control plane, which declares the streams of the live regions under the system's id.
 * @throws Error if its credentials cannot be read, BusUnavailable if no server answers
 */
export const openControlPlaneBus = async (
  config: Config,
  servers: readonly string[],
  system: string,
  log: Logger,
): Promise<Bus> =>
  openNatsBus({
    ...(await connectionOf(config, servers, log)),
    topology: { regions: config.regions, replicas: config.natsReplicas, system },
  })

/** Reads the id of the system on NATS; null: none. */
export const readControlPlaneSystem = async (
  config: Config,
  servers: readonly string[],
  log: Logger,
): Promise<string | null> => readNatsSystem(await connectionOf(config, servers, log))

/** Reads the version of the NATS server and the id of the system on it. */
export const readControlPlaneNats = async (
  config: Config,
  servers: readonly string[],
  log: Logger,
): Promise<NatsServerFacts> => readNatsServer(await connectionOf(config, servers, log))

/** Sets the id of the system on NATS, over any other id. */
export const acceptControlPlaneSystem = async (
  config: Config,
  servers: readonly string[],
  system: string,
  log: Logger,
): Promise<void> => acceptNatsSystem(await connectionOf(config, servers, log), system)
