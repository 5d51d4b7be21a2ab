import { openLateBus } from '@probe-mesh/bus/late-bus'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { refuseOtherHolder, requireFit } from '@probe-mesh/bus/nats/credentials-fit'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, agentInboxPrefix } from '@probe-mesh/bus/nats/permissions'
import { refusalOf } from '@probe-mesh/bus/nats/refusals'
import type { Bus } from '@probe-mesh/bus/port'
import { openRelayBus } from '@probe-mesh/bus/relay/relay-bus'
import type { openTokenFile } from '@probe-mesh/bus/relay/token-file'
import { exitCodes, type AgentAdmission, type Ending } from '@probe-mesh/probe-agent/admission'
import type { AgentProcessConfig } from '@probe-mesh/probe-agent/config'
import manifest from '@probe-mesh/probe-agent/package.json' with { type: 'json' }
import type { Logger } from 'pino'
import { messageOf } from './process.ts'

export type Token = ReturnType<typeof openTokenFile> | null

/** The agent cannot start, for a reason that only a person can fix. */
export class StartRefused extends Error {
  readonly ending: Ending
  constructor(ending: Ending) {
    super(ending.text)
    this.ending = ending
  }
}

/**
 * Opens the connection to the mesh and retries it. `tried` resolves once it is open or no server answers.
 * `admission` receives refusals of the mesh.
 * @throws StartRefused if the credentials belong to another region
 */
export const openAgentBus = async (
  config: AgentProcessConfig,
  { token, admission, instance }: { token: Token; admission: AgentAdmission; instance: string },
  log: Logger,
): Promise<{ bus: Bus; tried: Promise<void>; enrolledAs: string | null }> => {
  const { region, agent } = config.agent
  const { connection: way } = config
  if (way.kind === 'relay') {
    if (token === null) throw new Error('a private agent needs its token')
    if (token.warning !== null) log.warn({}, token.warning)
    const { version } = manifest
    const { url, network } = way
    const relay = { url, network, token: token.token, region, version, instance, admission, log }
    return { bus: openRelayBus(relay), tried: admission.settled, enrolledAs: null }
  }
  const path = way.credentialsPath
  const credentials = path === null ? null : await readNatsCredentials(path)
  if (credentials !== null && credentials.warning !== null) log.warn({}, credentials.warning)
  const holder = credentials?.holder ?? null
  try {
    refuseOtherHolder(holder, region)
  } catch (error) {
    throw new StartRefused({ text: messageOf(error), code: exitCodes.misfit })
  }
  const enrolledAs = holder === null || holder.name === agent ? null : holder.name
  const bus = openLateBus({
    open: () =>
      openNatsBus({
        servers: way.urls,
        name: agent,
        admission,
        // Only a server that asks for credentials has an account, and so an API, for each region.
        ...(credentials === null
          ? { inboxPrefix: agentInboxPrefix(region) }
          : {
              ...agentConnection(region),
              authenticator: credentials.authenticator,
              check: (nc) => requireFit(nc, region, holder),
            }),
        log,
      }),
    onRefused: (error) => {
      const refusal = refusalOf(error)
      if (refusal === null) log.error({ err: error }, 'the bus could not be opened; retrying')
      else admission.onRefused(refusal)
    },
    log,
  })
  return { bus, tried: bus.tried, enrolledAs }
}
