import { join } from 'node:path'
import type { Bus } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { startChild, type Child } from '../harness/child.ts'
import { withClickHouseDatabase } from '../harness/fresh-clickhouse.ts'
import type { AgentQuestion } from './agent-process.ts'
import { withClosers } from '../harness/scope.ts'
import { createControlPlane, shared, type MeshControlPlane } from './control-plane.ts'
import { withCopy, withPostgres } from './databases.ts'
import { meshRegions, type MeshServers } from './servers.ts'
import { until } from '../harness/until.ts'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import {
  statesWantedMs,
  watchingMs,
  type AccountEvent,
  type StatesTold,
} from '@probe-mesh/contracts/mesh/events'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'

const agentScript = new URL('agent-process.ts', import.meta.url)
const name = 'bench_mesh_paced'

/** A mesh with two whole agents, which run each check when it is due. */
export type PacedMesh = {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly announced: Announced
  readonly agents: readonly { region: Region; child: Child }[]
  /** The first runs. The second can be started beside it. */
  readonly controlPlanes: readonly [MeshControlPlane, MeshControlPlane]
}

/** Starts a mesh on a copy of the database, and waits until its agents have all assignments. */
export const withPacedMesh = <Result>(
  servers: MeshServers,
  { database, checks }: { database: string; checks: number },
  act: (mesh: PacedMesh) => Promise<Result>,
): Promise<Result> =>
  withCopy(servers.postgresUrl, { original: database, copy: name }, (databaseUrl) =>
    withClickHouseDatabase(servers.clickhouseUrl, name, (clickhouseUrl, clickhouse) =>
      withPostgres(databaseUrl, (sql) =>
        withClosers(async (keep) => {
          const control = async (at: number) => {
            const how = { name: `${name}_${at}`, databaseUrl, clickhouseUrl }
            return keep(await createControlPlane(servers, how))
          }
          const controlPlanes = [await control(1), await control(2)] as const
          await controlPlanes[0].start()
          await shared([controlPlanes[0]])
          const [account] = await sql<{ id: string }[]>`select account_id as id from checks limit 1`
          const bus = keep<Bus>(await servers.openBus())
          const { announced } = keep(await followEvents(bus, account?.id ?? ''))
          const agents: { region: Region; child: Child }[] = []
          for (const region of meshRegions) {
            const child = keep(startChild(agentScript))
            await startAgent(servers, region, child)
            agents.push({ region, child })
          }
          await until('every check is assigned', () => haveAll(agents, checks))
          return await act({ sql, clickhouse, announced, agents, controlPlanes })
        }),
      ),
    ),
  )

const startAgent = (servers: MeshServers, region: Region, child: Child): Promise<null> => {
  const agent = `${region}-paced`
  return child.ask<null>({
    kind: 'start',
    region,
    agent,
    folder: join(servers.folder, name, agent),
    natsUrl: servers.natsUrl,
    credentialsFile: servers.agentFile(region),
  } satisfies AgentQuestion)
}

const haveAll = async (agents: PacedMesh['agents'], checks: number): Promise<boolean> => {
  const question = { kind: 'assignments' } satisfies AgentQuestion
  const counts = await Promise.all(agents.map(({ child }) => child.ask<number>(question)))
  return counts.every((count) => count === checks)
}

/** Events that the control planes published, with the times at which they arrived. */
export type Announced = {
  /** Scheduled readings. Their event is published after their batch is stored. Unix ms. */
  readings: { measuredAt: number; announcedAt: number; partition: number }[]
  /** Readings that a control plane judged, as it tells others (S-947). Unix ms. */
  judged: { measuredAt: number; announcedAt: number; partition: number }[]
  /** When the first flip of each check arrived, Unix ms. */
  flips: Map<string, number>
  /** Forgets every event. */
  clear(): void
}

type FollowedEvents = { announced: Announced; close(): Promise<void> }

/** Subscribes to the live events of an account, and keeps announcing that it watches them. */
const followEvents = async (bus: Bus, accountId: string): Promise<FollowedEvents> => {
  const watch = (): void => bus.events.publish('watching', { accountIds: [accountId] })
  const watching = setInterval(watch, watchingMs)
  const teller = uuidv7(Date.now())
  const want = (): void => bus.events.publish('states_wanted', { teller })
  const wanting = setInterval(want, statesWantedMs)
  const announced: Announced = {
    readings: [],
    judged: [],
    flips: new Map(),
    clear: () => {
      announced.readings = []
      announced.judged = []
      announced.flips.clear()
    },
  }
  await bus.events.subscribe('reading', (payload) => {
    const event = eventOf(payload)
    if (event.kind !== 'reading' || event.reading.kind !== 'scheduled') return
    const measuredAt = Date.parse(event.reading.measuredAt)
    announced.readings.push({
      measuredAt,
      announcedAt: Date.now(),
      partition: partitionOf(event.checkId),
    })
  })
  await bus.events.subscribe('flip', (payload) => {
    const event = eventOf(payload)
    if (event.kind !== 'flip' || announced.flips.has(event.flip.checkId)) return
    announced.flips.set(event.flip.checkId, Date.now())
  })
  await bus.events.subscribe('states_told', (payload) => {
    const announcedAt = Date.now()
    for (const { checkId, regions } of (payload as StatesTold).states) {
      const partition = partitionOf(checkId)
      for (const { measuredAt } of Object.values(regions)) {
        if (typeof measuredAt === 'number') announced.judged.push({ measuredAt, announcedAt, partition })
      }
    }
  })
  watch()
  want()
  const close = async (): Promise<void> => {
    clearInterval(watching)
    clearInterval(wanting)
  }
  return { announced, close }
}

/** Both sides are files of one commit, and no other program has credentials, so that the type is right. */
const eventOf = (payload: unknown): AccountEvent => payload as AccountEvent
