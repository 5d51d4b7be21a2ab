import { rename } from 'node:fs/promises'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { becomesTrue } from '../../../start/embedded/bounded.ts'
import type { Fault } from './fault.ts'
import type { FaultyMesh } from './faulty-mesh.ts'
import { publishFromTheFuture } from './spoil-nats.ts'

/** Runs an operator command as printed, with paths of the mesh. */
const run = (mesh: FaultyMesh, command = ''): Promise<string> =>
  mesh.admin(command.replace('--out ', `--out ${mesh.folder}/`).split(' '))

/** Agents with wrong credentials or clocks, and wrong credentials of the doctor. */
export const faultsOfAgents: readonly Fault[] = [
  {
    planted: "an agent's credentials expire in two days",
    plant: async (mesh) => {
      const out = mesh.credentialsOf('fra-3')
      await run(mesh, `agent enroll --region fra --name fra-3 --days 2 --out agent-fra-3.creds`)
      if (out !== `${mesh.folder}/agent-fra-3.creds`) throw new Error(`they are not in ${out}`)
    },
    found: {
      level: 'broken',
      topic: 'credentials',
      message: /^the NATS credentials of fra-3: expires in 48 h/,
    },
    remedy: /^npm run -s admin -- (?<command>agent rotate fra-3 --region fra --out) <its file>/,
    apply: async (mesh, { command }) => void (await run(mesh, `${command} agent-fra-3.creds`)),
  },
  {
    planted: 'NATS_CREDENTIALS of a control plane belong to an agent',
    plant: async (mesh) => {
      mesh.environment['NATS_CREDENTIALS'] = mesh.credentialsOf('fra-1')
    },
    found: {
      level: 'broken',
      topic: 'nats',
      message: /belong to the agent fra-1 of fra, not to a control plane/,
    },
    remedy: /^Set NATS_CREDENTIALS=(?<path>\S+)\.$/,
    apply: async (mesh, { path = '' }) => {
      mesh.environment['NATS_CREDENTIALS'] = path
      await mesh.restart(0)
    },
  },
  {
    planted: 'REGIONS contains a region that NATS is not configured for',
    plant: async (mesh) => {
      mesh.environment['REGIONS'] = 'fra,nrt,sjc'
      await mesh.restart(0)
    },
    found: {
      level: 'broken',
      topic: 'agents',
      message: /^REGIONS contains sjc, but NATS is configured for fra, nrt/,
    },
    remedy: /^Set REGIONS=(?<regions>[a-z,]+) on every control plane/,
    apply: async (mesh, { regions = '' }) => {
      mesh.environment['REGIONS'] = regions
      await mesh.restart(0)
    },
  },
  {
    planted: 'readings of an agent with a wrong clock were put aside',
    plant: publishFromTheFuture,
    found: {
      level: 'warning',
      topic: 'put aside',
      message: /^1 messages or readings were put aside.*from the future/,
    },
    remedy: /psql "\$DATABASE_URL" -c "(?<statement>[^"]+)"/,
    apply: async (mesh, { statement = '' }) => {
      const sql = connectPostgres(mesh.postgres.url, { connectionsMax: 1 })
      await sql.unsafe(statement).finally(() => sql.end({ timeout: 1 }))
    },
  },
  {
    planted: "the clock of the doctor's own machine is 120 s ahead",
    plant: async (mesh) => mesh.skewDoctor(120_000),
    found: {
      level: 'broken',
      topic: 'clock',
      message: /^This machine's clock is \d+ (?:s|min) ahead of those of all \d servers/,
    },
    remedy: /^Run an NTP client on this machine: "timedatectl set-ntp true"/,
    apply: async (mesh) => mesh.skewDoctor(0),
  },
  {
    planted: 'the clock of an agent is 90 s ahead',
    plant: (mesh) => mesh.skewAgent(90_000),
    found: { level: 'broken', topic: 'clock', message: /^the clock of fra-1 is \d+ s ahead of/ },
    remedy: /"timedatectl set-ntp true"/,
    apply: (mesh) => mesh.skewAgent(0),
  },
  {
    planted: 'an agent with revoked credentials keeps connecting',
    plant: async (mesh) => void (await run(mesh, 'agent revoke fra-2')),
    found: {
      level: 'warning',
      topic: 'agents',
      message: /^NATS refuses fra-2 at \S+,.*the credentials of fra-2 were revoked/,
    },
    remedy: /"npm run -s admin -- (?<command>agent enroll --region fra --name fra-2 --out (?<file>\S+))"/,
    apply: async (mesh, { command = '', file = '' }) => {
      const fresh = command.replace(file, `new-${file}`)
      await run(mesh, fresh)
      // later faults use them too
      await rename(`${mesh.folder}/new-${file}`, mesh.credentialsOf('fra-2'))
      await mesh.agent('fra-2', mesh.credentialsOf('fra-2'), 'fra')
    },
  },
  {
    planted: "a region's only agent has the credentials of another region",
    plant: async (mesh) => {
      // it answers on its port before it exits
      await mesh.agent('nrt-1', mesh.credentialsOf('fra-1'), 'nrt').catch(() => undefined)
      const line = 'AGENT_CREDENTIALS are of region fra (fra-1), and REGION is nrt'
      const says = async () => mesh.agents.get('nrt-1')?.printed().includes(line) === true
      if (!(await becomesTrue(says, { waitMs: 30_000, everyMs: 100 }))) {
        throw new Error('the agent did not say so')
      }
    },
    found: { level: 'broken', topic: 'agents', message: /^nrt has no online agent/ },
    remedy: /its last log line has the reason.*78: its credentials are not of nrt/,
    apply: (mesh) => mesh.agent('nrt-1', mesh.credentialsOf('nrt-1'), 'nrt'),
  },
]
